/** Timers are never exact: lateness up to this is none. */
const TOLERANCE_MS = 25;

/**
 * Measures the lateness of this page's own loop with a timer of a known period. Packets wait in the socket's queue meanwhile:
 * neither silence nor a long round trip says anything about the network then. Pure: time comes in.
 */
export class OwnLateness {
  readonly #periodMs: number;
  #tickedAtMs: number;
  /** When the last stall ended. */
  #lateUntilMs = Number.NEGATIVE_INFINITY;

  constructor(periodMs: number, nowMs: number) {
    this.#periodMs = periodMs;
    this.#tickedAtMs = nowMs;
  }

  /** The timer has run. Answers how late it was, ms; 0 where that is within what timers do. */
  tick(nowMs: number): number {
    const lateMs = this.#lateMs(nowMs);
    this.#tickedAtMs = nowMs;
    if (lateMs > 0) this.#lateUntilMs = nowMs;
    return lateMs;
  }

  /** The timer has been started again: that it did not run says nothing. */
  restart(nowMs: number): void {
    this.#tickedAtMs = nowMs;
  }

  /** Whether the loop was late at any time since then; a timer that is overdue now counts. */
  wasLate(sinceMs: number, nowMs: number): boolean {
    return this.#lateUntilMs > sinceMs || this.#lateMs(nowMs) > 0;
  }

  #lateMs(nowMs: number): number {
    const lateMs = nowMs - this.#tickedAtMs - this.#periodMs;
    return lateMs > TOLERANCE_MS ? lateMs : 0;
  }
}
