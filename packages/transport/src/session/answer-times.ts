/** Shortest time between two samples, ms: a few of them stand for seconds of play. */
const PERIOD_MS = 250;
const MAX_SAMPLES = 16;
const MIN_SAMPLES = 3;
/** Older samples do not count: the path may have become slower since. */
const MAX_AGE_MS = 10_000;

/**
 * Times that the other side has taken lately to answer. Each is an upper bound of the round trip: the other
 * side can answer late, but not early. Has no clock of its own.
 */
export class AnswerTimes {
  #tookMs: number[] = [];
  #atMs: number[] = [];

  take(tookMs: number, nowMs: number): void {
    const newestMs = this.#atMs.at(-1);
    if (newestMs !== undefined && nowMs - newestMs < PERIOD_MS) return;
    this.#tookMs.push(tookMs);
    this.#atMs.push(nowMs);
    if (this.#atMs.length <= MAX_SAMPLES) return;
    this.#tookMs.shift();
    this.#atMs.shift();
  }

  /**
   * Returns the longest of the recent times, ms. A shorter one of an honest player on an unsteady line would not
   * fit the next answer. Undefined if there are too few.
   */
  longestMs(nowMs: number): number | undefined {
    const recent = this.#tookMs.filter((_, index) => nowMs - this.#atMs[index]! <= MAX_AGE_MS);
    return recent.length < MIN_SAMPLES ? undefined : Math.max(...recent);
  }

  /** Forgets all samples, because another path carries the answers. */
  clear(): void {
    this.#tookMs = [];
    this.#atMs = [];
  }
}
