import { STEP_MS } from "../car/step-car.js";

/** More than this at once is not caught up with: the page was hidden, or the machine is too slow. */
const MAX_CATCH_UP_MS = 250;
const HIDDEN_PERIOD_MS = 500;

export interface LoopHandlers {
  /** Before the steps of a frame. */
  readonly onFrameStart: (atMs: number) => void;
  /** One fixed step, up to that moment. */
  readonly onStep: (atMs: number) => void;
  /** After the steps: `alpha` is how far real time is between the last step and the next. */
  readonly onFrame: (alpha: number, seconds: number) => void;
  /** The page is hidden: called now and then, followed by a single step. */
  readonly onHidden: () => void;
}

/** Fixed steps from animation frames; a slow timer instead while the page is hidden and has no frames. */
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

  /** Adds the time since the last call to the account, as far as it will be simulated; returns that part. */
  #takeElapsed(): number {
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    const kept = Math.min(elapsedMs, MAX_CATCH_UP_MS);
    this.#accumulatedMs += kept;
    return kept;
  }
}
