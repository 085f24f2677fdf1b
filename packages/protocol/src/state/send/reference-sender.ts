import { ByteWriter } from "../../bytes/byte-writer.js";
import { limits } from "../../limits.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import type { StateHistory } from "../columns/state-history.js";
import type { ReceiverGroupOptions } from "./receiver-group.js";
import { WholeSender } from "./whole-sender.js";

/** Ticks that a reference holds: enough to know velocity and its change. */
const REFERENCE_TICKS = 3;
/** Bytes reserved in a reliable message for everything but the states. */
const MESSAGE_HEAD_BYTES = 64;
const NO_IDS: readonly number[] = [];

/**
 * Sends states to many receivers, with each packet encoded once: as differences from a reference that all
 * receivers got over the reliable channel. A reference is the states of three consecutive ticks. Its id is
 * the last of them.
 */
export class ReferenceSender extends WholeSender {
  readonly #history: StateHistory;
  /** Id of the reference in use; NO_TICK before the first. */
  active = NO_TICK;
  #pending = NO_TICK;

  constructor(options: ReceiverGroupOptions & { readonly history: StateHistory }) {
    super(options);
    this.#history = options.history;
  }

  /**
   * Makes the states of this tick (and the two before) the next reference. Send its messages to all receivers
   * over the reliable channel, and call {@link activate} after they have arrived. Refresh early enough: a
   * reference must arrive before the history drops the last one. A sixth of the history's length is a good
   * interval.
   */
  refresh(tick: number): Uint8Array[] {
    this.#pending = tick;
    return this.#messages(tick, this.active);
  }

  /** Starts to use the reference of {@link refresh}. Call it when all receivers have its messages. */
  activate(): void {
    if (this.#pending !== NO_TICK) this.active = this.#pending;
    this.#pending = NO_TICK;
  }

  /** Returns the messages for a joining receiver: the active and the pending reference. */
  join(): Uint8Array[] {
    const messages = this.active === NO_TICK ? [] : this.#messages(this.active, NO_TICK);
    return this.#pending === NO_TICK
      ? messages
      : [...messages, ...this.#messages(this.#pending, this.active)];
  }

  protected override choose(entries: PacketEntries, index: number, tick: number): void {
    chooseReference(entries, index, tick, this.active);
  }

  #messages(reference: number, previous: number): Uint8Array[] {
    const messages: Uint8Array[] = [];
    for (let back = REFERENCE_TICKS - 1; back >= 0; back--) {
      const tick = (reference - back) >>> 0;
      const base = back === REFERENCE_TICKS - 1 ? previous : (tick - 1) >>> 0;
      const depth = back === REFERENCE_TICKS - 1 ? REFERENCE_TICKS : REFERENCE_TICKS - 1 - back;
      const entities = this.#history.entities.filter((entity) => entity.find(tick) >= 0);
      this.splitter.split(entities, {
        tick,
        removed: NO_IDS,
        maxBytes: limits.reliablePacketBytes - MESSAGE_HEAD_BYTES,
        // Each reference carries checksums, because an error in it would spread to all later states.
        checksumTicks: 1,
        choose: (entries, index) => chooseReference(entries, index, tick, base, depth),
      });
      for (let body = this.splitter.next(); body; body = this.splitter.next())
        messages.push(new ByteWriter(body.length + 4).u32(tick).bytes(body).take());
    }
    return messages;
  }
}

function chooseReference(
  entries: PacketEntries,
  index: number,
  tick: number,
  reference: number,
  depth = REFERENCE_TICKS,
): void {
  const entity = entries.entities[index]!;
  if (reference === NO_TICK || ((tick - reference) | 0) < 1 || entity.find(reference) < 0) return;
  const second = (reference - 1) >>> 0;
  const third = (reference - 2) >>> 0;
  const tick1 = depth > 1 && entity.find(second) >= 0 ? second : NO_TICK;
  const tick2 = depth > 2 && tick1 !== NO_TICK && entity.find(third) >= 0 ? third : NO_TICK;
  entries.setBaselines(index, reference, tick1, tick2);
}
