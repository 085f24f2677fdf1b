import { readInputs, type DropReason, type InputDefinition, type InputFeedback } from "@paceline/protocol";
import { ServerInputBuffer } from "@paceline/netcode";

/** Inputs wait for this many ticks at first: jitter is not known yet. */
const FIRST_LEAD_TICKS = 2;
/** After this many packets in a row that are too late or far too early, the numbering of the player's ticks restarts. */
const STRANGE_PACKETS = 8;
/** A player of whom nothing came for so many ticks does nothing any more. */
const IDLE_AFTER_TICKS = 30;
const CAPACITY_TICKS = 64;

/** The inputs of one player: they are numbered by its ticks, and taken one for each tick of the room. */
export class PlayerInputs {
  readonly #definition: InputDefinition;
  readonly #idle: Float32Array;
  #buffer: ServerInputBuffer<Float32Array>;
  /** Room tick less input number; undefined before the first input. */
  #offset: number | undefined;
  #newest = 0;
  #processed: number | undefined;
  #strange = 0;
  #missedInARow = 0;
  /** Late inputs of earlier buffers. */
  #late = 0;
  #missing = 0;

  constructor(definition: InputDefinition) {
    this.#definition = definition;
    this.#idle = idleRow(definition);
    this.#buffer = this.#newBuffer();
  }

  /** Inputs that came too late, and ticks that had none. */
  get counts(): { readonly late: number; readonly missing: number } {
    return { late: this.#late + this.#buffer.counts.late, missing: this.#missing };
  }

  /** The feedback that goes to the player with the states. */
  get feedback(): InputFeedback {
    const { leadErrorTicks } = this.#buffer;
    const processed = this.#processed === undefined ? undefined : this.#processed & 0xffff;
    return { processed, leadErrorTicks };
  }

  readonly #wanted = (newest: number): number => {
    const news = this.#unwrap(newest) - this.#newest;
    return this.#offset === undefined || news <= 0 ? Number.POSITIVE_INFINITY : news;
  };

  /** Number of the input that the tick was simulated with last; unwrapped. */
  get processed(): number | undefined {
    return this.#processed;
  }

  /** A packet's inputs, at the room's tick; a reason where it was dropped. */
  receive(body: Uint8Array, tick: number): DropReason | undefined {
    // A packet repeats earlier inputs: all up to the newest that is here have come already.
    const run = readInputs(this.#definition, body, this.#wanted);
    if (typeof run === "string") return run;
    const newest = this.#unwrap(run.newest);
    this.#offset ??= tick + FIRST_LEAD_TICKS - newest;
    this.#watch(newest, tick);
    this.#newest = Math.max(this.#newest, newest);
    const first = newest - run.rows.length + 1;
    const inputs: { readonly tick: number; readonly input: Float32Array }[] = [];
    for (let index = Math.max(0, -first); index < run.rows.length; index++) {
      inputs.push({ tick: first + index, input: run.rows[index]! });
    }
    this.#buffer.receive(inputs);
    return undefined;
  }

  /** The input to simulate a tick with, a row of components. */
  take(tick: number): Float32Array {
    if (this.#offset === undefined) return this.#idle;
    const number = tick - this.#offset;
    if (number < 0) return this.#idle;
    const { input, isRepeated } = this.#buffer.take(number);
    this.#processed = number;
    if (!isRepeated) this.#missedInARow = 0;
    else {
      this.#missing += 1;
      this.#missedInARow += 1;
    }
    return this.#missedInARow > IDLE_AFTER_TICKS ? this.#idle : input;
  }

  /** A page that was hidden, or another machine's clock: its numbers lie where none of them is ever in time. */
  #watch(newest: number, tick: number): void {
    if (newest <= this.#newest && this.#newest > 0) return;
    const next = tick + 1 - this.#offset!;
    const isStrange = newest < next || newest > next + CAPACITY_TICKS;
    this.#strange = isStrange ? this.#strange + 1 : 0;
    if (this.#strange < STRANGE_PACKETS) return;
    this.#strange = 0;
    this.#offset = tick + FIRST_LEAD_TICKS - newest;
    this.#late += this.#buffer.counts.late;
    this.#buffer = this.#newBuffer();
  }

  #newBuffer(): ServerInputBuffer<Float32Array> {
    return new ServerInputBuffer(this.#idle, { capacity: CAPACITY_TICKS });
  }

  #unwrap(number: number): number {
    if (this.#offset === undefined) return number;
    return this.#newest + (((number - this.#newest) << 16) >> 16);
  }
}

function idleRow({ definition }: InputDefinition): Float32Array {
  return Float32Array.from(definition.components, ({ min, max }) => Math.min(Math.max(0, min), max));
}
