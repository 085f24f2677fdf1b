/** Limits a rate and allows a burst above it. The caller passes the time. */
export class TokenBucket {
  perSecond: number;
  burst: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.perSecond = perSecond;
    this.burst = burst;
    this.#tokens = burst;
    this.#filledAtMs = nowMs;
  }

  /**
   * Takes `amount`, or nothing if the bucket holds less. `reserve`: the part of the burst, 0 to 1, that has
   * to stay.
   */
  take(amount: number, nowMs: number, reserve = 0): boolean {
    this.#fill(nowMs);
    // Refuses an amount that is no number, too.
    if (!(this.#tokens - amount >= this.burst * reserve)) return false;
    this.#tokens -= amount;
    return true;
  }

  /**
   * Takes `amount` as {@link take} does. All that was added since `sinceMs` counts, even beyond the burst.
   */
  takeSince(amount: number, sinceMs: number, nowMs: number): boolean {
    this.#fill(sinceMs);
    const sum = this.#tokens + (Math.max(0, nowMs - this.#filledAtMs) * this.perSecond) / 1000;
    if (!(sum >= amount)) return false;
    this.#tokens = Math.min(this.burst, sum - amount);
    this.#filledAtMs = Math.max(this.#filledAtMs, nowMs);
    return true;
  }

  /**
   * Takes `amount` even if the bucket holds less. This makes no debt above `maxDebt`; until it is paid, others get
   * less.
   */
  spend(amount: number, nowMs: number, maxDebt = this.burst): void {
    this.#fill(nowMs);
    this.#tokens = Math.max(Math.min(this.#tokens, -maxDebt), this.#tokens - amount);
  }

  /** Returns the time until the bucket holds `amount`, ms; 0: it holds it now. */
  waitMs(amount: number, nowMs: number): number {
    this.#fill(nowMs);
    return Math.max(0, ((amount - this.#tokens) * 1000) / this.perSecond);
  }

  /** Changes the rate and the burst from now on. */
  change(perSecond: number, burst: number, nowMs: number): void {
    this.#fill(nowMs);
    this.perSecond = perSecond;
    this.burst = burst;
    this.#tokens = Math.min(burst, this.#tokens);
  }

  /** Returns true if the bucket is full, as a new one is. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#tokens === this.burst;
  }

  #fill(nowMs: number): void {
    const elapsedMs = nowMs - this.#filledAtMs;
    if (elapsedMs <= 0) return;
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsedMs * this.perSecond) / 1000);
    this.#filledAtMs = nowMs;
  }
}
