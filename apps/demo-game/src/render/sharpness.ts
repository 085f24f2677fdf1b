/** Canvas pixels per CSS pixel, at most: a phone's ratio of 3 or 4 costs more than it shows. */
const MAX_PIXEL_RATIO = 2;
/** Shares of the best resolution, in falling order. */
const STEPS = [1, 0.75, 0.55] as const;
const WINDOW_S = 2;
const SLOW_FRAME_S = 1 / 38;
const FAST_FRAME_S = 1 / 57;
/**
 * The resolution rises after this many good windows, and only `MAX_RISES` times, so that it does not swing.
 */
const WINDOWS_TO_RISE = 8;
const MAX_RISES = 2;

/** Lowers the resolution on a machine that cannot keep up with the frame rate. */
export class Sharpness {
  #step = 0;
  #frames = 0;
  #seconds = 0;
  #goodWindows = 0;
  #rises = 0;

  pixelRatio(devicePixelRatio: number): number {
    return Math.min(MAX_PIXEL_RATIO, devicePixelRatio) * (STEPS[this.#step] ?? 1);
  }

  frameTook(seconds: number): void {
    this.#frames++;
    this.#seconds += seconds;
    if (this.#seconds < WINDOW_S) return;
    const average = this.#seconds / this.#frames;
    this.#frames = 0;
    this.#seconds = 0;
    if (average > SLOW_FRAME_S) this.#fall();
    else if (average < FAST_FRAME_S) this.#maybeRise();
  }

  #fall(): void {
    this.#goodWindows = 0;
    this.#step = Math.min(STEPS.length - 1, this.#step + 1);
  }

  #maybeRise(): void {
    this.#goodWindows++;
    if (this.#step === 0 || this.#goodWindows < WINDOWS_TO_RISE || this.#rises >= MAX_RISES) return;
    this.#goodWindows = 0;
    this.#rises++;
    this.#step--;
  }
}
