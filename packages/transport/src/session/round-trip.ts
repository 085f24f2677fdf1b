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
  // Read far more often than sampled: by every session's timer.
  #rttMs: number | undefined;
  #jitterMs = 0;
  #isSurprised = false;

  /** Undefined before the first sample; never less than the least of the last samples. */
  get rttMs(): number | undefined {
    return this.#rttMs;
  }

  /** Mean difference between neighbouring round trips. */
  get jitterMs(): number {
    return this.#jitterMs;
  }

  /** Whether the last sample was so unlike the estimate that the next one should come soon. */
  get isSurprised(): boolean {
    return this.#isSurprised;
  }

  sample(rttMs: number): void {
    const estimateMs = this.rttMs ?? rttMs;
    const usualMs = Math.max(SURPRISE_MS, estimateMs * SURPRISE_SHARE, this.jitterMs * SURPRISE_JITTERS);
    this.#samplesMs.push(rttMs);
    if (this.#samplesMs.length > JITTER_OF + 1) this.#samplesMs.shift();
    this.#isSurprised = Math.abs(rttMs - estimateMs) > usualMs;
    const last = this.#samplesMs.slice(-MEDIAN_OF).sort((a, b) => a - b);
    this.#rttMs = last[Math.floor((last.length - 1) / 2)];
    this.#jitterMs = meanDifference(this.#samplesMs);
  }
}

function meanDifference(values: readonly number[]): number {
  let sum = 0;
  for (let index = 1; index < values.length; index++) sum += Math.abs(values[index]! - values[index - 1]!);
  return sum / Math.max(1, values.length - 1);
}
