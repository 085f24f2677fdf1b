/** Share of elapsed time by which a wrong clock is corrected at least. 5 % is invisible. */
const SLEW = 0.05;
/** The largest share. A clock that is far ahead cannot run backwards, so it runs at half speed. */
const MAX_SLEW = 0.5;
/** A larger error (a machine slept) is corrected in one step: slewing would take too long. */
const STEP_MS = 250;
/** Time in which a large error would be gone, ms: what a wrong clock shows is wrong meanwhile. */
const CORRECTION_MS = STEP_MS / MAX_SLEW;

/**
 * A clock that follows an offset from the local clock and never runs backwards. It slews small errors by 5 % of
 * elapsed time and larger ones by more, steps over the largest forward, and runs at half speed after one backward.
 */
export class SlewedClock {
  readonly #stepsBack: boolean;
  #offsetMs: number | undefined;
  #targetMs = 0;
  #lastLocalMs = -Infinity;
  #lastNowMs = -Infinity;

  /** @param stepsBack true: also step backward over a large error; such a clock does run backwards */
  constructor({ stepsBack = false }: { readonly stepsBack?: boolean } = {}) {
    this.#stepsBack = stepsBack;
  }

  get isSet(): boolean {
    return this.#offsetMs !== undefined;
  }

  /** Sets the target of the clock: local time plus this offset. The first call takes effect at once. */
  aim(offsetMs: number, localMs: number): void {
    if (!Number.isFinite(offsetMs)) return;
    this.#advance(localMs);
    this.#targetMs = offsetMs;
    if (this.#offsetMs === undefined) {
      // Before the first target the clock returned local time, on another scale.
      this.#lastNowMs = -Infinity;
      this.#offsetMs = offsetMs;
    } else if (
      offsetMs - this.#offsetMs > STEP_MS ||
      (this.#stepsBack && this.#offsetMs - offsetMs > STEP_MS)
    ) {
      if (offsetMs < this.#offsetMs) this.#lastNowMs = -Infinity;
      this.#offsetMs = offsetMs;
    }
  }

  /**
   * Returns the time at a local time. It never decreases, even if the local clock does, unless the clock
   * steps back.
   */
  nowMs(localMs: number): number {
    this.#advance(localMs);
    const now = localMs + (this.#offsetMs ?? 0);
    if (now > this.#lastNowMs) this.#lastNowMs = now;
    return this.#lastNowMs;
  }

  #advance(localMs: number): void {
    const elapsedMs = localMs - this.#lastLocalMs;
    if (!Number.isFinite(localMs)) return;
    // If the local clock was set back, continue from it; the shown time does not go back.
    this.#lastLocalMs = localMs;
    if (this.#offsetMs === undefined || !(elapsedMs > 0 && elapsedMs < Infinity)) return;
    const errorMs = this.#targetMs - this.#offsetMs;
    const rate = Math.max(SLEW, Math.min(MAX_SLEW, Math.abs(errorMs) / CORRECTION_MS));
    const limitMs = rate * elapsedMs;
    this.#offsetMs += Math.max(-limitMs, Math.min(limitMs, errorMs));
  }
}
