import { lengthOf, type BodyLayout, type Components } from "../body/body-layout.js";
import { addToPose, offsetWidth, subtractPose } from "../body/pose.js";

/**
 * A curve for fading out a correction, as weights over the convergence time `u` (0 to 1): one for the
 * difference in position, one for the difference in velocity times the duration.
 */
export interface Blend {
  position(u: number): number;
  velocity(u: number): number;
  /** Share of the difference between old and new predicted velocity that the correction starts with. */
  readonly keptVelocity: number;
  /** Share of the speed of an unfinished correction that is kept. With 0 each correction starts at rest. */
  readonly keptCorrection: number;
}

/**
 * The difference fades along a cubic (Hermite) that starts with the speed of an unfinished correction. Keeping
 * all of the velocity would be smoothest, but would continue for a while in a wrong direction.
 */
export const cubicBlend: Blend = {
  position: (u) => (1 + 2 * u) * (1 - u) * (1 - u),
  velocity: (u) => u * (1 - u) * (1 - u),
  keptVelocity: 0.3,
  keptCorrection: 1,
};

/** Settings for moving the shown state to a corrected one. */
export interface ConvergenceOptions {
  readonly blend: Blend;
  /** Duration of a small correction, ms. */
  readonly timeMs: number;
  /**
   * Highest average speed of a correction, m/s, on top of the entity's own motion. Larger corrections take
   * longer.
   */
  readonly maxSpeedMps: number;
  /** Distance above which a correction is shown at once, as a jump, m. */
  readonly snapDistanceM: number;
}

/** The best of four blends on recorded cars: see docs/results for the comparison. */
export const DEFAULT_CONVERGENCE: ConvergenceOptions = Object.freeze({
  blend: cubicBlend,
  timeMs: 65,
  maxSpeedMps: 9,
  snapDistanceM: 10,
});

/** Pose of a moving entity at two moments, {@link RATE_SECONDS} apart, for its position and velocity. */
export interface MovingPose {
  readonly now: Components;
  readonly soon: Components;
}

/** Time between the two moments of a {@link MovingPose}, s. */
export const RATE_SECONDS = 1 / 120;

/**
 * A correction in progress: the shown pose moves from its own position and velocity to the corrected ones.
 * Times are in seconds on one clock of the caller.
 */
export class Convergence {
  readonly #layout: BodyLayout;
  readonly #options: ConvergenceOptions;
  readonly #offset: Float64Array;
  readonly #rate: Float64Array;
  readonly #now: Float64Array;
  readonly #soon: Float64Array;
  #startSeconds = 0;
  #seconds = 0;

  constructor(layout: BodyLayout, options: ConvergenceOptions) {
    this.#layout = layout;
    this.#options = options;
    const width = offsetWidth(layout);
    this.#offset = new Float64Array(width);
    this.#rate = new Float64Array(width);
    this.#now = new Float64Array(width);
    this.#soon = new Float64Array(width);
  }

  /**
   * Begins to blend from the shown to the corrected motion. A correction that is too long to blend is shown at
   * once.
   */
  begin(shown: MovingPose, corrected: MovingPose, nowSeconds: number): void {
    this.#remainingAt(nowSeconds, this.#now);
    this.#remainingAt(nowSeconds + RATE_SECONDS, this.#soon);
    subtractPose(this.#layout, shown.now, corrected.now, this.#offset);
    const distanceM = lengthOf(this.#offset, 0, this.#layout.dimensions);
    if (!(distanceM <= this.#options.snapDistanceM)) {
      this.end();
      return;
    }
    subtractPose(this.#layout, shown.soon, corrected.soon, this.#rate);
    const { keptCorrection, keptVelocity } = this.#options.blend;
    for (let index = 0; index < this.#rate.length; index++) {
      const change = this.#rate[index]! - this.#offset[index]!;
      const ofCorrection = this.#soon[index]! - this.#now[index]!;
      const kept = keptCorrection * ofCorrection + keptVelocity * (change - ofCorrection);
      this.#rate[index] = kept / RATE_SECONDS;
    }
    this.#limitSpeed();
    this.#startSeconds = nowSeconds;
    this.#seconds = Math.max(this.#options.timeMs / 1000, distanceM / this.#options.maxSpeedMps);
  }

  /** Limits the initial speed of the correction. A faster start would look like a jump. */
  #limitSpeed(): void {
    const { dimensions } = this.#layout;
    const speedMps = lengthOf(this.#rate, 0, dimensions);
    const share = Math.min(1, this.#options.maxSpeedMps / speedMps);
    if (share < 1) for (let axis = 0; axis < dimensions; axis++) this.#rate[axis]! *= share;
  }

  /** Drops the rest of the correction: the corrected pose is shown unchanged. */
  end(): void {
    this.#seconds = 0;
  }

  /** Adds the rest of the correction to the corrected pose, in place. */
  apply(pose: Components, nowSeconds: number): void {
    if (this.#seconds > 0 && this.#remainingAt(nowSeconds, this.#now))
      addToPose(this.#layout, pose, this.#now);
  }

  /** Writes the rest of the correction at a time. Returns false if nothing is left. */
  #remainingAt(seconds: number, into: Float64Array): boolean {
    const share = this.#seconds > 0 ? Math.max(0, (seconds - this.#startSeconds) / this.#seconds) : 1;
    if (share >= 1) {
      for (let index = 0; index < into.length; index++) into[index] = 0;
      return false;
    }
    const ofOffset = this.#options.blend.position(share);
    const ofRate = this.#options.blend.velocity(share) * this.#seconds;
    for (let index = 0; index < into.length; index++) {
      into[index] = this.#offset[index]! * ofOffset + this.#rate[index]! * ofRate;
    }
    return true;
  }
}
