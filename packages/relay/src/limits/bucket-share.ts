import type { TokenBucket } from "@paceline/transport";

/** Time in which the largest debt of {@link BucketShare.spend} is paid. */
const MAX_DEBT_SECONDS = 10;

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

  /** Takes `amount` as {@link take} does, or else as a debt of both parts. */
  spend(amount: number, nowMs: number): void {
    if (this.take(amount, nowMs)) return;
    for (const bucket of [this.#own, this.#common]) {
      bucket.spend(amount, nowMs, bucket.perSecond * MAX_DEBT_SECONDS);
    }
  }

  /** Returns the time until {@link take} may succeed, ms; 0: it succeeds now. */
  waitMs(amount: number, nowMs: number): number {
    return Math.min(this.#own.waitMs(amount, nowMs), this.#common.waitMs(amount, nowMs));
  }
}
