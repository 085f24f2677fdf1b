/**
 * Round trips in the median that is the estimate: one or two outliers do not move it, three similar ones do.
 */
const MEDIAN_OF = 5;
/** Differences between neighbouring round trips in the jitter. */
const JITTER_OF = 12;
/**
 * A round trip may be the first of a new delay if it differs from the estimate by more than this time, this
 * share of the estimate, and this multiple of the jitter.
 */
const SURPRISE_MS = 20;
const SURPRISE_SHARE = 0.2;
const SURPRISE_JITTERS = 3;

/** The round trip over one link, and its jitter. Has no clock of its own. */
export class RoundTrip {
  readonly #samplesMs: number[] = [];
  // Plain fields, because the timer of every session reads them more often than samples write them.
  /**
   * Round-trip time, ms: the median of the last few samples. Before the first sample it is the shortest late
   * one, or undefined.
   */
  rttMs: number | undefined;
  /** Mean difference between neighbouring round trips, ms. */
  jitterMs = 0;
  /** Number of samples so far. */
  count = 0;
  /** True if the last sample differed so much from the estimate that the next one should come soon. */
  isSurprised = false;

  /**
   * Takes a round trip that waited for the page's own loop. The network's part is shorter by an unknown time,
   * so the shortest of them is the estimate, and only until the first sample.
   */
  sampleLate(rttMs: number): void {
    if (this.#samplesMs.length === 0) this.rttMs = Math.min(this.rttMs ?? rttMs, rttMs);
  }

  sample(rttMs: number): void {
    const estimateMs = this.#samplesMs.length === 0 ? rttMs : this.rttMs!;
    const usualMs = Math.max(SURPRISE_MS, estimateMs * SURPRISE_SHARE, this.jitterMs * SURPRISE_JITTERS);
    this.count += 1;
    this.#samplesMs.push(rttMs);
    if (this.#samplesMs.length > JITTER_OF + 1) this.#samplesMs.shift();
    this.isSurprised = Math.abs(rttMs - estimateMs) > usualMs;
    const last = this.#samplesMs.slice(-MEDIAN_OF).sort((a, b) => a - b);
    this.rttMs = last[(last.length - 1) >> 1];
    const differences = this.#samplesMs.slice(1).map((ms, index) => Math.abs(ms - this.#samplesMs[index]!));
    this.jitterMs = differences.reduce((sum, ms) => sum + ms, 0) / Math.max(1, differences.length);
  }
}
