/** The delay grows by at most this share of elapsed time (motion then runs that much slower), and shrinks by less. */
const GROWS = 0.1;
const SHRINKS = 0.03;

/** The time to show: the other side's now, less a delay that may change. Never runs backwards, and never jumps for a change of delay. */
export class RenderClock {
  #delayMs: number;
  #targetMs: number;
  #lastServerMs: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
    this.#targetMs = delayMs;
  }

  /** The delay as it is now, on its way to the one that was set. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** The other side's time started again, on another scale. The delay stays. */
  restart(): void {
    this.#lastServerMs = undefined;
    this.#lastMs = Number.NEGATIVE_INFINITY;
    this.#delayMs = this.#targetMs;
  }

  setDelay(delayMs: number): void {
    if (!Number.isFinite(delayMs) || delayMs < 0) return;
    this.#targetMs = delayMs;
    // Nobody has seen another one yet.
    if (this.#lastServerMs === undefined) this.#delayMs = delayMs;
  }

  /** The time to show when the other side's time is `serverMs`. */
  nowMs(serverMs: number): number {
    const elapsedMs = Math.max(0, serverMs - (this.#lastServerMs ?? serverMs));
    this.#lastServerMs = Math.max(serverMs, this.#lastServerMs ?? serverMs);
    const change = this.#targetMs - this.#delayMs;
    this.#delayMs += Math.max(-SHRINKS * elapsedMs, Math.min(GROWS * elapsedMs, change));
    this.#lastMs = Math.max(this.#lastMs, serverMs - this.#delayMs);
    return this.#lastMs;
  }
}
