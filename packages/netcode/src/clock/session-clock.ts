import { ClockEstimate } from "./clock-estimate.js";
import { RenderClock } from "./render-clock.js";

/**
 * The clocks of a session: local, server and render time, in ms. `localMs` is always the local monotonic
 * clock.
 */
export class SessionClock {
  /** Estimate of the server's time. The caller adds pongs and packet stamps. */
  readonly estimate = new ClockEstimate();
  readonly #render: RenderClock;
  #isSynchronised = false;

  /** @param renderDelayMs initial delay of shown remote entities behind the server's time */
  constructor(renderDelayMs: number) {
    this.#render = new RenderClock(renderDelayMs);
  }

  /** Returns the estimated time of the server. */
  serverNow(localMs: number): number {
    return this.estimate.nowMs(localMs);
  }

  /** Returns the server's time at which interpolated entities are shown: {@link serverNow} less the delay. */
  renderNow(localMs: number): number {
    const serverMs = this.serverNow(localMs);
    // Before the first estimate the clock returned local time, on another scale.
    if (this.estimate.isReady !== this.#isSynchronised) this.#render.restart();
    this.#isSynchronised = this.estimate.isReady;
    return this.#render.nowMs(serverMs);
  }

  /** The current delay, ms. After a change it moves gradually to the new value. */
  get renderDelayMs(): number {
    return this.#render.delayMs;
  }

  set renderDelayMs(delayMs: number) {
    this.#render.setDelay(delayMs);
  }
}
