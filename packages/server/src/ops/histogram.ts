const BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 1000];

/** Counts durations in buckets that a metrics exporter can use unchanged. */
export class Histogram {
  /** Upper bounds of the buckets, ms. One more bucket counts the durations above the last bound. */
  readonly boundsMs: readonly number[] = BOUNDS_MS;
  readonly counts = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0);
  /** Number, sum and maximum of the durations. */
  total = 0;
  sumMs = 0;
  maxMs = 0;

  add(ms: number): void {
    let bucket = 0;
    while (bucket < this.boundsMs.length && ms > this.boundsMs[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.total += 1;
    this.sumMs += ms;
    if (ms > this.maxMs) this.maxMs = ms;
  }

  /** Adds the counts of another histogram. */
  addAll(other: Histogram): void {
    for (const [bucket, count] of other.counts.entries()) this.counts[bucket]! += count;
    this.total += other.total;
    this.sumMs += other.sumMs;
    this.maxMs = Math.max(this.maxMs, other.maxMs);
  }

  /**
   * Returns the upper bound of the bucket that holds this quantile (0 to 1), ms. Returns at most the largest
   * duration.
   */
  quantile(share: number): number {
    let below = 0;
    for (const [bucket, count] of this.counts.entries()) {
      below += count;
      if (below >= share * this.total) return Math.min(this.boundsMs[bucket] ?? this.maxMs, this.maxMs);
    }
    return this.maxMs;
  }
}
