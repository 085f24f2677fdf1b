import { ClockEstimate } from "./clock-estimate.js";
import { RenderClock } from "./render-clock.js";

/** The three times of a session, in ms. `localMs` is always the local monotonic clock. */
export class SessionClock {
  /** Feed it pongs and packet stamps. */
  readonly estimate = new ClockEstimate();
  readonly #render: RenderClock;
  #isSynchronised = false;

  /** @param renderDelayMs how far behind the server's time remote entities are shown at first */
  constructor(renderDelayMs: number) {
    this.#render = new RenderClock(renderDelayMs);
  }

  /** The server's time now, as estimated. */
  serverNow(localMs: number): number {
    return this.estimate.nowMs(localMs);
  }

  /** The server's time that interpolated entities are shown at: behind {@link serverNow} by the delay. */
  renderNow(localMs: number): number {
    const serverMs = this.serverNow(localMs);
    // Before the first estimate the clock showed local time, on another scale.
    if (this.estimate.isReady !== this.#isSynchronised) this.#render.restart();
    this.#isSynchronised = this.estimate.isReady;
    return this.#render.nowMs(serverMs);
  }

  /** The delay at this moment, ms; it goes over slowly to one that was set. */
  get renderDelayMs(): number {
    return this.#render.delayMs;
  }

  set renderDelayMs(delayMs: number) {
    this.#render.setDelay(delayMs);
  }
}
