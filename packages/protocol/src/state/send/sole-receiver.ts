import type { EntityRows } from "../columns/entity-rows.js";
import type { GroupStates } from "./cohort.js";
import { ReceiverGroup, type ReceiverGroupOptions } from "./receiver-group.js";
import { Receiver } from "./receiver.js";

/** A receiver that shares its states with nobody: a group of one, which gets whatever is due, from the first tick on. */
export class SoleReceiver extends Receiver {
  readonly #group: ReceiverGroup<SoleReceiver>;
  readonly #members = [this];

  constructor(options: ReceiverGroupOptions) {
    super();
    this.#group = new ReceiverGroup(options);
    this.join(this.#group);
  }

  /**
   * Begins the states of a tick. `entities`: those that are due, each with a state of the tick. Call {@link next}
   * until it returns undefined.
   */
  start(tick: number, entities: readonly EntityRows[]): void {
    if (this.isNew) this.attend(tick);
    // Packets without an answer for so long are lost. The sender notices an earlier loss by other means, and writes again.
    this.lose(Number.NEGATIVE_INFINITY, tick);
    this.#group.start(tick, entities, this.#members, () => entities);
  }

  /** Returns the tick's next body, or undefined after the last one. Call {@link sent} before the next call. */
  next(): GroupStates | undefined {
    return this.#group.next();
  }

  /**
   * Writes the states of a tick as bodies. `send` puts a body into a packet, and returns the sequence of that packet;
   * undefined if it was not sent.
   */
  write(
    tick: number,
    entities: readonly EntityRows[],
    send: (states: GroupStates) => number | undefined,
  ): void {
    this.start(tick, entities);
    for (let states = this.next(); states; states = this.next()) this.sent(states, send(states), 0);
  }
}
