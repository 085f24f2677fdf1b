import {
  roundInput,
  writeInputs,
  type Fields,
  type InputDefinition,
  type InputFeedback,
} from "@paceline/protocol";
import {
  EntityTable,
  InputBuffer,
  InputPace,
  defineFields,
  type Place,
  type WritableFields,
} from "@paceline/netcode";
import type { Cancel, Scheduler } from "@paceline/transport";

export interface InputSenderOptions {
  readonly scheduler: Scheduler;
  readonly definition: InputDefinition;
  readonly tickHz: number;
  send(body: Uint8Array): void;
  /** Before the input of a tick is taken: the game writes it now, if it has not before. */
  beforeTick(): void;
  /** The input of a tick is taken; its number counts up from 1. */
  onTick(number: number, input: Float32Array): void;
}

/** Steps made up for at once; what is behind by more is left out. */
const MOST_CATCH_UP = 4;

/**
 * Takes this player's input once for every step of the authority and sends it with the ones before it. The steps run a
 * little faster or slower, as the authority asks, so that inputs are there just in time.
 */
export class InputSender {
  readonly view: WritableFields<Fields>;
  readonly inputs = new InputBuffer<Float32Array>();
  readonly #options: InputSenderOptions;
  readonly #place: Place;
  readonly #pace: InputPace;
  #number = 0;
  #nextAtMs: number;
  #cancel: Cancel | undefined;

  constructor(options: InputSenderOptions) {
    const { definition, tickHz, scheduler } = options;
    this.#options = options;
    const table = new EntityTable(definition.definition, 1);
    this.#place = { table, row: table.allocate() };
    const row = { place: this.#place, layer: "state", isWritable: true } as const;
    this.view = defineFields({}, definition.definition, row) as WritableFields<Fields>;
    this.#pace = new InputPace(1 / tickHz);
    this.#nextAtMs = scheduler.nowMs();
    this.#wait();
  }

  /** The newest input's number. */
  get number(): number {
    return this.#number;
  }

  /** What the authority says of the inputs; the newest number that is in its states, unwrapped. */
  told({ processed, leadErrorTicks }: InputFeedback): number | undefined {
    if (processed === undefined) return undefined;
    this.#pace.hint(leadErrorTicks);
    const unwrapped = this.#number + (((processed - this.#number) << 16) >> 16);
    this.inputs.confirm(unwrapped);
    return unwrapped;
  }

  stop(): void {
    this.#cancel?.();
  }

  #wait(): void {
    const { scheduler } = this.#options;
    this.#cancel = scheduler.after(Math.max(0, this.#nextAtMs - scheduler.nowMs()), () => this.#run());
  }

  #run(): void {
    const nowMs = this.#options.scheduler.nowMs();
    for (let made = 0; made < MOST_CATCH_UP && this.#nextAtMs <= nowMs + 0.5; made++) {
      this.#nextAtMs += this.#pace.nextTickSeconds() * 1000;
      this.#step();
    }
    if (this.#nextAtMs <= nowMs) this.#nextAtMs = nowMs;
    this.#wait();
  }

  #step(): void {
    const { definition } = this.#options;
    this.#options.beforeTick();
    const input = roundInput(definition, this.#place.table.stateOf(this.#place.row));
    this.#number += 1;
    this.inputs.add(this.#number, input);
    this.#options.onTick(this.#number, input);
    const rows = this.inputs.toSend().map((each) => each.input);
    this.#options.send(writeInputs(definition, { newest: this.#number & 0xffff, rows }));
  }
}
