/** Window over which the fastest arrival counts, in buckets of one second. */
const BUCKETS = 4;
const BUCKET_MS = 1000;
/** Difference beyond which the estimate jumps: the sender paused, or its page was hidden. */
const JUMP_MS = 250;
/** Else the estimate moves by at most this share of elapsed time, so that nobody sees it. */
const SLEW = 0.05;

/**
 * When another participant's simulation ticks happen, on this machine's clock. The packet that travelled fastest
 * says most: the smallest difference between arrival and tick time over a few seconds, less the fastest one-way
 * time (half the round trip).
 */
export class TickClock {
  readonly #msPerTick: number;
  readonly #buckets: number[] = [];
  #bucketStartMs = Number.NEGATIVE_INFINITY;
  #origin: number | undefined;
  #offsetMs: number | undefined;
  #slewedAtMs = 0;

  /** @param tickHz the sender's simulation steps per second */
  constructor(tickHz: number) {
    this.#msPerTick = 1000 / tickHz;
  }

  /** A state of `tick` (32 bits, circular) arrived at `nowMs`; the path's round trip takes `rttMs`. */
  observe(tick: number, nowMs: number, rttMs: number): void {
    this.#origin ??= tick;
    const sampleMs = nowMs - this.#ticksSinceOrigin(tick) * this.#msPerTick;
    if (nowMs - this.#bucketStartMs >= BUCKET_MS) {
      this.#buckets.push(sampleMs);
      if (this.#buckets.length > BUCKETS) this.#buckets.shift();
      this.#bucketStartMs = nowMs;
    } else {
      const last = this.#buckets.length - 1;
      this.#buckets[last] = Math.min(this.#buckets[last]!, sampleMs);
    }
    this.#approach(Math.min(...this.#buckets) - rttMs / 2, sampleMs - rttMs / 2, nowMs);
  }

  /** How long ago, in seconds, the sender was at `tick`; 0 before the first observation. Never negative. */
  secondsSince(tick: number, nowMs: number): number {
    if (this.#offsetMs === undefined) return 0;
    return Math.max(0, nowMs - this.#offsetMs - this.#ticksSinceOrigin(tick) * this.#msPerTick) / 1000;
  }

  #approach(targetMs: number, latestMs: number, nowMs: number): void {
    if (this.#offsetMs === undefined) this.#offsetMs = targetMs;
    // All recent arrivals are far later than the estimate: its ticks stood still for a while.
    else if (Math.abs(latestMs - this.#offsetMs) > JUMP_MS) {
      this.#buckets.splice(0, this.#buckets.length, latestMs);
      this.#offsetMs = latestMs;
    } else {
      const limitMs = SLEW * (nowMs - this.#slewedAtMs);
      const changeMs = targetMs - this.#offsetMs;
      this.#offsetMs += Math.max(-limitMs, Math.min(limitMs, changeMs));
    }
    this.#slewedAtMs = nowMs;
  }

  #ticksSinceOrigin(tick: number): number {
    return (tick - this.#origin!) | 0;
  }
}
