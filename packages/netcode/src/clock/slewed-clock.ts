/** A wrong clock is put right by at most this share of elapsed time: nobody sees 5 %. */
const SLEW = 0.05;
/** With an error of more than this (a machine that slept), slewing would take minutes. */
const STEP_MS = 250;
/** Far ahead of the truth: it cannot run backwards, so it runs at half speed until it is right. */
const BRAKE = 0.5;

/**
 * A clock that follows an offset to the local one without ever running backwards: small errors are slewed away, a
 * large one forward is a step (counted), a large one backward makes it run at half speed.
 */
export class SlewedClock {
  readonly #stepsBack: boolean;
  #offsetMs: number | undefined;
  #targetMs = 0;
  #lastLocalMs = Number.NEGATIVE_INFINITY;
  #lastNowMs = Number.NEGATIVE_INFINITY;
  #steps = 0;

  /** @param stepsBack steps backward too, where that is better than to be wrong for long: such a clock does run back */
  constructor({ stepsBack = false }: { readonly stepsBack?: boolean } = {}) {
    this.#stepsBack = stepsBack;
  }

  get isSet(): boolean {
    return this.#offsetMs !== undefined;
  }

  /** Number of steps of the clock. */
  get steps(): number {
    return this.#steps;
  }

  /** Target of the clock: local time plus this. The first call sets it at once. */
  aim(offsetMs: number, localMs: number): void {
    if (!Number.isFinite(offsetMs)) return;
    this.#advance(localMs);
    this.#targetMs = offsetMs;
    if (this.#offsetMs === undefined) {
      // Before the first target the clock showed local time, on another scale.
      this.#lastNowMs = Number.NEGATIVE_INFINITY;
      this.#offsetMs = offsetMs;
    } else if (
      offsetMs - this.#offsetMs > STEP_MS ||
      (this.#stepsBack && this.#offsetMs - offsetMs > STEP_MS)
    ) {
      if (offsetMs < this.#offsetMs) this.#lastNowMs = Number.NEGATIVE_INFINITY;
      this.#offsetMs = offsetMs;
      this.#steps += 1;
    }
  }

  /** The time at a local time. Never less than what it returned before, whatever the local clock does. */
  nowMs(localMs: number): number {
    this.#advance(localMs);
    const now = localMs + (this.#offsetMs ?? 0);
    if (now > this.#lastNowMs) this.#lastNowMs = now;
    return this.#lastNowMs;
  }

  #advance(localMs: number): void {
    const elapsedMs = localMs - this.#lastLocalMs;
    if (!Number.isFinite(localMs)) return;
    // A local clock that was set back begins a new account; what was shown stays the least that is shown.
    this.#lastLocalMs = localMs;
    if (this.#offsetMs === undefined || !(elapsedMs > 0 && elapsedMs < Infinity)) return;
    const errorMs = this.#targetMs - this.#offsetMs;
    const rate = errorMs < -STEP_MS ? BRAKE : SLEW;
    const limitMs = rate * elapsedMs;
    this.#offsetMs += Math.max(-limitMs, Math.min(limitMs, errorMs));
  }
}
