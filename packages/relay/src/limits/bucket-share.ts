import type { TokenBucket } from "@paceline/transport";

/**
 * One session's share of a rate that several sessions have in common. Other sessions cannot take from this
 * share.
 */
export class BucketShare {
  readonly #own: TokenBucket;
  readonly #common: TokenBucket;

  constructor(own: TokenBucket, common: TokenBucket) {
    this.#own = own;
    this.#common = common;
  }

  /** Takes `amount` from its own part, or else from the common part; see {@link TokenBucket.take}. */
  take(amount: number, nowMs: number, reserve = 0): boolean {
    if (!this.#own.take(amount, nowMs)) return this.#common.take(amount, nowMs, reserve);
    this.#common.spend(amount, nowMs);
    return true;
  }

  /** Returns the time until {@link take} may succeed, ms; 0: it succeeds now. */
  waitMs(amount: number, nowMs: number): number {
    return Math.min(this.#own.waitMs(amount, nowMs), this.#common.waitMs(amount, nowMs));
  }
}
