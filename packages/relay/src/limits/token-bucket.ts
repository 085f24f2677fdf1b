/** Lets a rate pass, and a burst above it. Time is an argument. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes `amount`, or nothing where not all of it is there. `reserve`: a part of the burst, 0 to 1, that has to stay. */
  take(amount: number, nowMs: number, reserve = 0): boolean {
    this.#fill(nowMs);
    if (this.#tokens - amount < this.#burst * reserve) return false;
    this.#tokens -= amount;
    return true;
  }

  /** Takes `amount` though it may not be there: others get less until the debt, a burst at most, is paid. */
  spend(amount: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#tokens = Math.max(-this.#burst, this.#tokens - amount);
  }

  /** Whether nothing was taken lately: then a new bucket would be the same. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens === this.#burst;
  }

  #fill(nowMs: number): void {
    const elapsedMs = nowMs - this.#filledAtMs;
    if (elapsedMs <= 0) return;
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAtMs = nowMs;
  }
}

/** One session's share of a rate that several have in common: what the others take does not make it smaller. */
export class BucketShare {
  readonly #own: TokenBucket;
  readonly #common: TokenBucket;

  constructor(own: TokenBucket, common: TokenBucket) {
    this.#own = own;
    this.#common = common;
  }

  /** Takes `amount` of its own part, else of what is common; see {@link TokenBucket.take}. */
  take(amount: number, nowMs: number, reserve = 0): boolean {
    if (!this.#own.take(amount, nowMs)) return this.#common.take(amount, nowMs, reserve);
    this.#common.spend(amount, nowMs);
    return true;
  }
}
