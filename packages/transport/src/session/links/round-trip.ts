/** The estimate is the median of so many round trips: one or two outliers do not move it, three in agreement do. */
const MEDIAN_OF = 5;
/** The jitter is measured over so many differences between neighbours. */
const JITTER_OF = 12;
/** A round trip so far from the estimate, and this much more than the jitter, may be the first of a new delay. */
const SURPRISE_MS = 20;
const SURPRISE_SHARE = 0.2;
const SURPRISE_JITTERS = 3;

/** The round trip over one link, and how much it varies. Pure. */
export class RoundTrip {
  readonly #samplesMs: number[] = [];
  // Written by samples, read by the timer of every session.
  /** Undefined before the first sample; never less than the least of the last samples. */
  rttMs: number | undefined;
  /** Mean difference between neighbouring round trips. */
  jitterMs = 0;
  /** Whether the last sample was so unlike the estimate that the next one should come soon. */
  isSurprised = false;

  sample(rttMs: number): void {
    const estimateMs = this.rttMs ?? rttMs;
    const usualMs = Math.max(SURPRISE_MS, estimateMs * SURPRISE_SHARE, this.jitterMs * SURPRISE_JITTERS);
    this.#samplesMs.push(rttMs);
    if (this.#samplesMs.length > JITTER_OF + 1) this.#samplesMs.shift();
    this.isSurprised = Math.abs(rttMs - estimateMs) > usualMs;
    const last = this.#samplesMs.slice(-MEDIAN_OF).sort((a, b) => a - b);
    this.rttMs = last[(last.length - 1) >> 1];
    const differences = this.#samplesMs.slice(1).map((ms, index) => Math.abs(ms - this.#samplesMs[index]!));
    this.jitterMs = differences.reduce((sum, ms) => sum + ms, 0) / Math.max(1, differences.length);
  }
}
