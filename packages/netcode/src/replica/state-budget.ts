/** Budget that may accumulate in a quiet time, s. */
const BURST_SECONDS = 0.25;
const MIN_BURST_BYTES = 1200;
/** Assumed size of a state before the first was written. */
const FIRST_GUESS_BYTES = 16;

/** Budget of bytes for states per second. It learns the size of a state from what was sent. */
export class StateBudget {
  /** Used share of the budget, 0 to 1. */
  pressure = 0;
  #tokens = Infinity;
  #filledAtMs: number | undefined;
  #bytesPerState = FIRST_GUESS_BYTES;

  /** Mean size of a state with its part of the heads, bytes. */
  get bytesPerState(): number {
    return this.#bytesPerState;
  }

  /** Number of states that the budget affords now. */
  get affordable(): number {
    return Math.max(0, Math.ceil(this.#tokens / this.#bytesPerState));
  }

  /** Adds the bytes of the time since the last call. Call it before {@link affordable}. */
  refill(nowMs: number, bytesPerSecond: number): void {
    const capacity = Math.max(bytesPerSecond * BURST_SECONDS, MIN_BURST_BYTES);
    const seconds = (nowMs - (this.#filledAtMs ?? nowMs)) / 1000;
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(this.#tokens + seconds * bytesPerSecond, capacity);
    this.pressure = Math.min(Math.max(0, 1 - this.#tokens / capacity), 1);
  }

  /** Records the bytes sent, and the number of states in them. Undefined bytes: takes the mean size. */
  spent(bytes: number | undefined, states: number): void {
    this.#tokens -= bytes ?? states * this.#bytesPerState;
    if (bytes !== undefined && states > 0) this.#bytesPerState += (bytes / states - this.#bytesPerState) / 8;
  }
}
