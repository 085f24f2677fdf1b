import {
  FIRST_FIELD_COLUMN,
  MAX_INPUT_BITS,
  matchColumns,
  readInputs,
  type DropReason,
  type InputColumns,
  type InputDefinition,
  type InputFeedback,
  type StatePlan,
} from "@paceline/protocol";
import { INPUT_CAPACITY_TICKS, ServerInputBuffer } from "@paceline/netcode";
import type { RoomCounters } from "../ops/room-counters.js";

/** Lead of the first inputs, before their jitter is known. */
const FIRST_LEAD_TICKS = 2;
/**
 * After this many packets in a row that are too late or far too early, the numbering of the player's ticks
 * restarts.
 */
const MAX_UNEXPECTED_PACKETS = 8;
/** After this many ticks without an input the player is idle. */
const IDLE_AFTER_TICKS = 30;
/** The motion `hold` in a description of columns: inputs have no other. */
const HOLD = 0;

type InputCounters = Pick<RoomCounters, "inputsLate" | "inputsMissing" | "inputsSkipped">;

/** The inputs of one player, numbered by the player's ticks. The room takes one for each of its own ticks. */
export class PlayerInputs {
  readonly #definition: InputDefinition;
  /** The columns of the player's packets; undefined if its build has none of the room's fields. */
  #reads: InputColumns | undefined;
  readonly #idle: Float32Array;
  #buffer: ServerInputBuffer<Float32Array>;
  /** Room tick minus input number; undefined before the first input. */
  #offset: number | undefined;
  #newest = 0;
  /** Number of the input for the room's present tick, by which the 16 bits of a packet's number are completed. */
  #expected: number | undefined;
  #processed: number | undefined;
  #unexpected = 0;
  #consecutiveMisses = 0;
  readonly #counters: InputCounters;

  /** @param counters counts late and skipped inputs, and ticks without an input */
  constructor(definition: InputDefinition, counters: InputCounters) {
    this.#definition = definition;
    this.#reads = definition;
    this.#counters = counters;
    this.#idle = idleRow(definition);
    this.#buffer = this.#newBuffer();
  }

  /** Feedback to the player, sent with the states. */
  get feedback(): InputFeedback {
    const { leadErrorTicks } = this.#buffer;
    const processed = this.#processed === undefined ? undefined : this.#processed & 0xffff;
    return { processed, leadErrorTicks };
  }

  readonly #wanted = (newest: number): number => {
    const news = this.#unwrap(newest) - this.#newest;
    return this.#offset === undefined || news <= 0 ? Infinity : news;
  };

  /**
   * Takes another build's description of its inputs, which are then read by the names of the fields. Returns
   * false if it is malformed, or does not describe inputs.
   */
  describe(columns: Uint8Array): boolean {
    // The rate does not matter: inputs are not predicted from ticks.
    const match = matchColumns(this.#definition.definition, columns, { tickHz: 60 });
    if (!match || columns[0] !== HOLD || (match.plan && !isInputPlan(match.plan))) return false;
    this.#reads = match.plan && { ...this.#definition, plan: match.plan };
    return true;
  }

  /** Takes a packet's inputs at a tick of the room. Returns a reason if the packet is dropped. */
  receive(body: Uint8Array, tick: number): DropReason | undefined {
    // A packet repeats earlier inputs: read only those newer than the newest one here.
    if (!this.#reads) return "bad-message";
    this.#expected = this.#offset === undefined ? undefined : tick - this.#offset;
    const run = readInputs(this.#reads, body, this.#wanted, this.#idle);
    if (typeof run === "string") return run;
    const newest = this.#unwrap(run.newest);
    this.#offset ??= tick + FIRST_LEAD_TICKS - newest;
    this.#watch(newest, tick);
    this.#newest = Math.max(this.#newest, newest);
    const { late, early } = this.#buffer;
    this.#buffer.receive(newest, run.rows);
    this.#counters.inputsLate += this.#buffer.late - late;
    this.#counters.inputsSkipped += this.#buffer.early - early;
    return undefined;
  }

  /** Returns the input for a tick, as a row of components. */
  take(tick: number): Float32Array {
    if (this.#offset === undefined) return this.#idle;
    const number = tick - this.#offset;
    if (number < 0) return this.#idle;
    const { input, isRepeated } = this.#buffer.take(number);
    this.#processed = number;
    if (!isRepeated) this.#consecutiveMisses = 0;
    else {
      this.#counters.inputsMissing += 1;
      this.#consecutiveMisses += 1;
    }
    return this.#consecutiveMisses > IDLE_AFTER_TICKS ? this.#idle : input;
  }

  /** Notes that the room has left out so many steps. */
  stoodStill(ticks: number): void {
    this.#buffer.stoodStill(ticks);
  }

  /**
   * Restarts the numbering after several packets in a row whose inputs cannot be in time, such as after the
   * page was hidden, or after the client has started to count from 1 again.
   */
  #watch(newest: number, tick: number): void {
    const next = tick + 1 - this.#offset!;
    const isOld = newest <= this.#newest && this.#newest > 0;
    const isStrange = isOld || newest < next || newest > next + INPUT_CAPACITY_TICKS;
    this.#unexpected = isStrange ? this.#unexpected + 1 : 0;
    if (this.#unexpected < MAX_UNEXPECTED_PACKETS) return;
    this.#unexpected = 0;
    this.#offset = tick + FIRST_LEAD_TICKS - newest;
    this.#newest = newest - 1;
    this.#counters.inputsSkipped += this.#buffer.waiting;
    this.#buffer = this.#newBuffer();
  }

  #newBuffer(): ServerInputBuffer<Float32Array> {
    return new ServerInputBuffer(this.#idle);
  }

  #unwrap(number: number): number {
    // The newest input here may be older than half of the 16 bits: a player who was away has gone on counting.
    const near = this.#expected;
    return near === undefined ? number : near + (((number - near) << 16) >> 16);
  }
}

function idleRow({ definition }: InputDefinition): Float32Array {
  return Float32Array.from(definition.components, ({ min, max }) => Math.min(Math.max(0, min), max));
}

/** Returns true if a plan of described columns is one of inputs: without text, and not too long. */
function isInputPlan({ texts, bits }: StatePlan): boolean {
  const sum = bits.subarray(FIRST_FIELD_COLUMN).reduce((all, each) => all + each, 0);
  return texts.length === 0 && sum <= MAX_INPUT_BITS;
}
