import { ConfigError } from "@paceline/protocol";
import { lengthOf, type BodyLayout, type Components } from "../body/body-layout.js";
import { addToPose, offsetWidth, subtractPose } from "../body/pose-offset.js";
import { blends, type Blend, type BlendName } from "./blend.js";

/** The way from the shown state to a newer one. */
export interface ConvergenceOptions {
  readonly blend: BlendName;
  /** Time in which a small correction is blended away. */
  readonly timeMs: number;
  /** A larger one takes longer: on average no faster than this beside the entity's own motion. */
  readonly maxSpeedMps: number;
  /** A correction of more than this is a jump, shown at once. */
  readonly snapDistanceM: number;
}

/** The best of the four blends on recorded cars: see docs/results for the comparison. */
export const DEFAULT_CONVERGENCE: ConvergenceOptions = Object.freeze({
  blend: "cubic",
  timeMs: 65,
  maxSpeedMps: 9,
  snapDistanceM: 10,
});

/** Two moments of a moving pose, {@link RATE_SECONDS} apart: where it is and where it is going. */
export interface MovingPose {
  readonly now: Components;
  readonly soon: Components;
}

/** Between the two moments of a {@link MovingPose}. */
export const RATE_SECONDS = 1 / 120;

/**
 * The rest of a correction: the shown pose moves from its own place and velocity to the
 * corrected one. Times are seconds on one clock, the caller's.
 */
export class Convergence {
  readonly #layout: BodyLayout;
  readonly #options: ConvergenceOptions;
  readonly #blend: Blend;
  readonly #offset: Float64Array;
  readonly #rate: Float64Array;
  readonly #now: Float64Array;
  readonly #soon: Float64Array;
  #startSeconds = 0;
  #seconds = 0;

  constructor(layout: BodyLayout, options: ConvergenceOptions) {
    this.#layout = layout;
    this.#options = checked(options);
    this.#blend = blends[options.blend];
    const width = offsetWidth(layout);
    this.#offset = new Float64Array(width);
    this.#rate = new Float64Array(width);
    this.#now = new Float64Array(width);
    this.#soon = new Float64Array(width);
  }

  /** Begins to blend from what is shown to the corrected motion. True where it was a jump, shown at once. */
  begin(shown: MovingPose, corrected: MovingPose, nowSeconds: number): boolean {
    this.#leftAt(nowSeconds, this.#now);
    this.#leftAt(nowSeconds + RATE_SECONDS, this.#soon);
    subtractPose(this.#layout, shown.now, corrected.now, this.#offset);
    const distanceM = lengthOf(this.#offset, 0, this.#layout.dimensions);
    if (!(distanceM <= this.#options.snapDistanceM)) {
      this.end();
      return true;
    }
    subtractPose(this.#layout, shown.soon, corrected.soon, this.#rate);
    const { keptCorrection, keptVelocity } = this.#blend;
    for (let index = 0; index < this.#rate.length; index++) {
      const change = this.#rate[index]! - this.#offset[index]!;
      const ofCorrection = this.#soon[index]! - this.#now[index]!;
      const kept = keptCorrection * ofCorrection + keptVelocity * (change - ofCorrection);
      this.#rate[index] = kept / RATE_SECONDS;
    }
    this.#limitSpeed();
    this.#startSeconds = nowSeconds;
    this.#seconds = Math.max(this.#options.timeMs / 1000, distanceM / this.#options.maxSpeedMps);
    return false;
  }

  /** A blend that begins faster than corrections may go would be seen as a jump. */
  #limitSpeed(): void {
    const { dimensions } = this.#layout;
    const speedMps = lengthOf(this.#rate, 0, dimensions);
    const share = Math.min(1, this.#options.maxSpeedMps / speedMps);
    if (share < 1) for (let axis = 0; axis < dimensions; axis++) this.#rate[axis]! *= share;
  }

  /** Forgets what is left: from now on the corrected pose is shown as it is. */
  end(): void {
    this.#seconds = 0;
  }

  /** Adds what is left of the correction to the corrected pose, in place. */
  apply(pose: Components, nowSeconds: number): void {
    if (this.#leftAt(nowSeconds, this.#now)) addToPose(this.#layout, pose, this.#now);
  }

  /** False where nothing is left. */
  #leftAt(seconds: number, into: Float64Array): boolean {
    const share = this.#seconds > 0 ? Math.max(0, (seconds - this.#startSeconds) / this.#seconds) : 1;
    if (share >= 1) {
      into.fill(0);
      return false;
    }
    const ofOffset = this.#blend.position(share);
    const ofRate = this.#blend.velocity(share) * this.#seconds;
    for (let index = 0; index < into.length; index++) {
      into[index] = this.#offset[index]! * ofOffset + this.#rate[index]! * ofRate;
    }
    return true;
  }
}

function checked(options: ConvergenceOptions): ConvergenceOptions {
  const { blend, timeMs, maxSpeedMps, snapDistanceM } = options;
  if (!Object.hasOwn(blends, blend)) {
    const expected = `one of ${Object.keys(blends).join(", ")}`;
    throw new ConfigError({ field: "convergence.blend", value: blend, expected });
  }
  if (!(timeMs >= 0 && timeMs <= 10_000)) {
    throw new ConfigError({ field: "convergence.timeMs", value: timeMs, expected: "0 to 10000 ms" });
  }
  if (!(maxSpeedMps > 0)) {
    throw new ConfigError({ field: "convergence.maxSpeedMps", value: maxSpeedMps, expected: "above 0 m/s" });
  }
  if (!(snapDistanceM >= 0)) {
    throw new ConfigError({
      field: "convergence.snapDistanceM",
      value: snapDistanceM,
      expected: "0 m or more",
    });
  }
  return options;
}
