/**
 * Limits of the time between two frames, ms. A shorter one is too inexact for a speed; in a longer one the
 * page stood still.
 */
const SHORTEST_FRAME_MS = 4;
const LONGEST_FRAME_MS = 100;
const KEPT_MS = 15_000;

interface Shown {
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
  readonly isInPicture: boolean;
  /**
   * Distance from the position that the car would have at the velocity of the frame before, m; undefined if the
   * frames are too few or too far apart.
   */
  readonly stepM: number | undefined;
}

/**
 * Measures by how much a drawn car departs in one frame from its motion so far, which the eye sees as a jump.
 */
export class StepMeter {
  #frames: Shown[] = [];

  show(atMs: number, x: number, y: number, isInPicture: boolean): void {
    const last = this.#frames.at(-1);
    const beforeLast = this.#frames.at(-2);
    let stepM: number | undefined;
    if (last && beforeLast) {
      const spanMs = atMs - last.atMs;
      const spanBeforeMs = last.atMs - beforeLast.atMs;
      if (isOrdinary(spanMs) && isOrdinary(spanBeforeMs)) {
        const share = spanMs / spanBeforeMs;
        stepM = Math.hypot(
          x - last.x - (last.x - beforeLast.x) * share,
          y - last.y - (last.y - beforeLast.y) * share,
        );
      }
    }
    this.#frames.push({ atMs, x, y, isInPicture, stepM });
    if (atMs - this.#frames[0]!.atMs > 2 * KEPT_MS) {
      this.#frames = this.#frames.filter((frame) => atMs - frame.atMs <= KEPT_MS);
    }
  }

  /**
   * Returns the largest step between two moments, m; undefined if none was measured. `wasSeen`: counts only steps
   * in the picture.
   */
  largestM(fromMs: number, toMs: number, wasSeen: boolean): number | undefined {
    let largestM: number | undefined;
    for (const { atMs, stepM, isInPicture } of this.#frames) {
      if (stepM === undefined || atMs < fromMs || atMs > toMs || (wasSeen && !isInPicture)) continue;
      largestM = Math.max(largestM ?? 0, stepM);
    }
    return largestM;
  }
}

function isOrdinary(spanMs: number): boolean {
  return spanMs >= SHORTEST_FRAME_MS && spanMs <= LONGEST_FRAME_MS;
}
