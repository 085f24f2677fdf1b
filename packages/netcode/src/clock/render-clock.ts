/**
 * The delay grows by at most this share of elapsed time (motion slows down by as much), and shrinks by less.
 */
const GROWS = 0.1;
const SHRINKS = 0.03;

/**
 * Clock for showing entities: the other side's time less a delay. The clock never runs backwards, and changes
 * of the delay cause no jump.
 */
export class RenderClock {
  /** The current delay, ms. It moves gradually to the set one. */
  delayMs: number;
  #targetMs: number;
  #lastServerMs: number | undefined;
  #lastMs = -Infinity;

  constructor(delayMs: number) {
    this.delayMs = delayMs;
    this.#targetMs = delayMs;
  }

  /** Restarts after the other side's time changed its scale. Keeps the set delay. */
  restart(): void {
    this.#lastServerMs = undefined;
    this.#lastMs = -Infinity;
    this.delayMs = this.#targetMs;
  }

  setDelay(delayMs: number): void {
    if (!Number.isFinite(delayMs) || delayMs < 0) return;
    this.#targetMs = delayMs;
    // Before the first reading, a jump of the delay is invisible.
    if (this.#lastServerMs === undefined) this.delayMs = delayMs;
  }

  /** Returns the time to show when the other side's time is `serverMs`. */
  nowMs(serverMs: number): number {
    const elapsedMs = Math.max(0, serverMs - (this.#lastServerMs ?? serverMs));
    this.#lastServerMs = Math.max(serverMs, this.#lastServerMs ?? serverMs);
    const change = this.#targetMs - this.delayMs;
    this.delayMs += Math.max(-SHRINKS * elapsedMs, Math.min(GROWS * elapsedMs, change));
    this.#lastMs = Math.max(this.#lastMs, serverMs - this.delayMs);
    return this.#lastMs;
  }
}
