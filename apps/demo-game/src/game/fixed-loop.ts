import { STEP_MS } from "../car/step-car.js";

/** Most time that one frame simulates: after a longer pause the page was hidden, or the machine is too slow. */
const MAX_CATCH_UP_MS = 250;
const HIDDEN_PERIOD_MS = 500;

export interface LoopHandlers {
  /** Called before the steps of a frame. */
  readonly onFrameStart: (atMs: number) => void;
  /** Runs one fixed step that ends at that moment. */
  readonly onStep: (atMs: number) => void;
  /** Called after the steps. `alpha`: share of the time from the last step to the next that has passed. */
  readonly onFrame: (alpha: number, seconds: number) => void;
  /** Called now and then while the page is hidden, before a single step. */
  readonly onHidden: () => void;
}

/** Runs fixed steps from animation frames; from a slow timer while the page is hidden and has no frames. */
export class FixedLoop {
  readonly #handlers: LoopHandlers;
  #frame = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lastMs = performance.now();
  #accumulatedMs = 0;

  constructor(handlers: LoopHandlers) {
    this.#handlers = handlers;
  }

  start(): void {
    this.#lastMs = performance.now();
    document.addEventListener("visibilitychange", this.#onVisibility);
    this.#onVisibility();
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    cancelAnimationFrame(this.#frame);
    clearInterval(this.#timer);
  }

  readonly #onVisibility = (): void => {
    cancelAnimationFrame(this.#frame);
    clearInterval(this.#timer);
    if (document.hidden) {
      this.#hiddenStep();
      this.#timer = setInterval(() => this.#hiddenStep(), HIDDEN_PERIOD_MS);
    } else {
      this.#frame = requestAnimationFrame(this.#onFrame);
    }
  };

  readonly #onFrame = (): void => {
    this.#frame = requestAnimationFrame(this.#onFrame);
    const elapsedMs = this.#takeElapsed();
    this.#handlers.onFrameStart(this.#lastMs);
    while (this.#accumulatedMs >= STEP_MS) {
      this.#accumulatedMs -= STEP_MS;
      this.#handlers.onStep(this.#lastMs - this.#accumulatedMs);
    }
    this.#handlers.onFrame(this.#accumulatedMs / STEP_MS, elapsedMs / 1000);
  };

  #hiddenStep(): void {
    this.#takeElapsed();
    this.#handlers.onFrameStart(this.#lastMs);
    this.#handlers.onHidden();
    this.#accumulatedMs = 0;
    this.#handlers.onStep(this.#lastMs);
  }

  /** Adds the time since the last call to the time to simulate, up to a limit. Returns the added time. */
  #takeElapsed(): number {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const kept = Math.min(elapsedMs, MAX_CATCH_UP_MS);
    this.#accumulatedMs += kept;
    return kept;
  }
}
