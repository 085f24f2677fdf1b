/** Budget that may accumulate in a quiet time, s. */
const BURST_SECONDS = 0.25;
const MIN_BURST_BYTES = 1200;
/** Assumed size of a state before the first was written. */
const FIRST_GUESS_BYTES = 16;

/** Shortest time of a lack that counts, ms: states that wait for a burst to end are none. */
const SHORT_MS = 1000;
/** Longest time between two calls that counts as a lack, s. After a stall of the machine, everything is due at once. */
const MAX_LACK_SECONDS = 0.25;

/** States that wait because the budget is too small. */
export interface StateShortage {
  /** Number of entities that wait now. */
  readonly waiting: number;
  /** The budget that would do for what is due now, bytes per second. */
  readonly neededBytesPerSecond: number;
}

/** Budget of bytes and of states per second. It learns the size of a state from what was sent. */
export class StateBudget {
  /** Used share of the budget, 0 to 1. */
  pressure = 0;
  /** Defined while states have waited in every call of {@link afford} for a second in which this machine ran. */
  shortage: StateShortage | undefined;
  /** States that may be sent now, by their weight. */
  states = Infinity;
  #tokens = Infinity;
  #filledAtMs: number | undefined;
  #bytesPerState = FIRST_GUESS_BYTES;
  #seconds = 0;
  #shortMs = 0;

  /** Number of states that the budget affords now. */
  get affordable(): number {
    return Math.max(0, Math.ceil(this.#tokens / this.#bytesPerState));
  }

  /** Returns how many of the due states it affords, and notes the {@link shortage}. */
  afford(due: number): number {
    const { affordable } = this;
    const waiting = due - affordable;
    const lackMs = 1000 * Math.min(this.#seconds, MAX_LACK_SECONDS);
    this.#shortMs = waiting > 0 ? this.#shortMs + lackMs : 0;
    const neededBytesPerSecond = Math.ceil((due * this.#bytesPerState) / this.#seconds);
    this.shortage = this.#shortMs >= SHORT_MS ? { waiting, neededBytesPerSecond } : undefined;
    return affordable;
  }

  /** Adds the bytes and states of the time since the last call. Call it before {@link affordable}. */
  refill(nowMs: number, bytesPerSecond: number, statesPerSecond?: number): void {
    const capacity = Math.max(bytesPerSecond * BURST_SECONDS, MIN_BURST_BYTES);
    const seconds = (nowMs - (this.#filledAtMs ?? nowMs)) / 1000;
    if (seconds > 0) this.#seconds = seconds;
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(this.#tokens + seconds * bytesPerSecond, capacity);
    this.states =
      statesPerSecond === undefined
        ? Infinity
        : Math.min(this.states + seconds * statesPerSecond, statesPerSecond * BURST_SECONDS);
    this.pressure = Math.min(Math.max(0, 1 - this.#tokens / capacity), 1);
  }

  /** Records the bytes sent, and the number of states in them. Undefined bytes: takes the mean size. */
  spent(bytes: number | undefined, states: number): void {
    this.#tokens -= bytes ?? states * this.#bytesPerState;
    if (bytes !== undefined && states > 0) this.#bytesPerState += (bytes / states - this.#bytesPerState) / 8;
  }
}
