/** Lateness that does not count, because timers are never exact, ms. */
const TOLERANCE_MS = 25;

/**
 * Measures the lateness of this page's own loop with a timer of a known period. Packets wait in the socket's
 * queue meanwhile, so that silence and long round trips say nothing about the network. Has no clock of its
 * own.
 */
export class OwnLateness {
  #periodMs: number;
  #tickedAtMs: number;
  /** Time at which the last stall ended. */
  #lateUntilMs = -Infinity;

  constructor(periodMs: number, nowMs: number) {
    this.#periodMs = periodMs;
    this.#tickedAtMs = nowMs;
  }

  /** Called by the timer. Returns by how much it was late, ms. 0 within the tolerance. */
  tick(nowMs: number): number {
    const lateMs = this.#lateMs(nowMs);
    this.#tickedAtMs = nowMs;
    if (lateMs > 0) this.#lateUntilMs = nowMs;
    return lateMs;
  }

  /** Called when the timer starts again after a pause, or with another period. */
  restart(nowMs: number, periodMs: number): void {
    this.#periodMs = periodMs;
    this.#tickedAtMs = nowMs;
  }

  /** Returns true if the loop was late at any time since `sinceMs`. A timer that is overdue counts. */
  wasLate(sinceMs: number, nowMs: number): boolean {
    return this.#lateUntilMs > sinceMs || this.#lateMs(nowMs) > 0;
  }

  #lateMs(nowMs: number): number {
    const lateMs = nowMs - this.#tickedAtMs - this.#periodMs;
    return lateMs > TOLERANCE_MS ? lateMs : 0;
  }
}
