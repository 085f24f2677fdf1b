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

  /** Takes `amount`, or nothing where not all of it is there. */
  take(amount: number, nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#tokens < amount) return false;
    this.#tokens -= amount;
    return true;
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
