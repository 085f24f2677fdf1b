import type { Page, PageEvent } from "@paceline/client";
import type { Scheduler } from "@paceline/transport";

/** Screen and frames of a {@link VirtualPage}. */
export interface VirtualPageOptions {
  readonly scheduler: Scheduler;
  readonly framesPerSecond: number;
  /** Time until the page's first frame, ms; default: one frame. */
  readonly phaseMs?: number;
  /** Time of other work in a frame before the game's callback, ms; default 0. */
  readonly workMs?: () => number;
  /** Returns true if the page drops this frame; default: drops none. */
  readonly isDropped?: (frame: number) => boolean;
}

/** A page that draws frames on a virtual clock, at the rate of a screen. */
export class VirtualPage implements Page {
  isHidden = false;
  /** False to stop the frames of a visible page. */
  isDrawing = true;
  readonly frames = {
    startedAtMs: (): number | undefined => this.#startedAtMs,
    request: (fn: (startedAtMs: number) => void): (() => void) => {
      const entry = (startedAtMs: number): void => fn(startedAtMs);
      this.#waiting.add(entry);
      return () => this.#waiting.delete(entry);
    },
  };
  readonly #options: VirtualPageOptions;
  readonly #waiting = new Set<(startedAtMs: number) => void>();
  readonly #listeners = new Set<(event: PageEvent) => void>();
  #startedAtMs: number | undefined;
  #frame = 0;

  constructor(options: VirtualPageOptions) {
    this.#options = options;
    const { scheduler, framesPerSecond, phaseMs = 1000 / framesPerSecond } = options;
    const firstAtMs = scheduler.nowMs() + phaseMs;
    const next = (): void => {
      // Multiplies instead of adding, so that a minute of frames does not drift.
      const atMs = firstAtMs + (this.#frame * 1000) / framesPerSecond;
      scheduler.after(atMs - scheduler.nowMs(), () => {
        const sleptFrames = Math.floor(((scheduler.nowMs() - atMs) * framesPerSecond) / 1000);
        this.#frame += sleptFrames;
        this.#begin(atMs + (sleptFrames * 1000) / framesPerSecond);
        this.#frame += 1;
        next();
      });
    };
    next();
  }

  /** Hides or shows the page. A hidden page draws no frames. */
  hide(isHidden: boolean): void {
    this.isHidden = isHidden;
    for (const listener of this.#listeners) listener(isHidden ? "hidden" : "visible");
  }

  onEvent(listener: (event: PageEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #begin(startedAtMs: number): void {
    const { scheduler, workMs, isDropped } = this.#options;
    if (this.isHidden || !this.isDrawing || isDropped?.(this.#frame)) return;
    scheduler.after(workMs?.() ?? 0, () => {
      this.#startedAtMs = startedAtMs;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const fn of waiting) fn(startedAtMs);
    });
  }
}
