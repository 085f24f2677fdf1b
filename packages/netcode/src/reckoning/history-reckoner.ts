import { angleDifference, wrapAngle, clampPosition } from "../body/pose.js";
import type { BodyLayout, Components } from "../body/body-layout.js";
import type { Reckoner } from "./reckoner.js";

/** Bends of the path (rad) for which a parabola through three positions is better than a line through two. */
const MIN_BEND = 0.01;
const MAX_BEND = 1.2;

/**
 * Position-history-based dead reckoning (Singhal and Cheriton, "Exploiting position history for efficient
 * remote rendering", Presence 4(2), 1995): only positions are sent. A parabola through the last three gives
 * velocity and acceleration. If the path is nearly straight or bends too sharply, a line through two is used.
 */
export class HistoryReckoner implements Reckoner {
  readonly #layout: BodyLayout;
  readonly #velocity: Float64Array;
  readonly #acceleration: Float64Array;
  readonly #lastVelocity: Float64Array;
  #turnRate = 0;
  #state: Float64Array | undefined;
  #taken = 0;
  #lastSeconds = 0;

  constructor(layout: BodyLayout) {
    this.#layout = layout;
    this.#velocity = new Float64Array(layout.dimensions);
    this.#acceleration = new Float64Array(layout.dimensions);
    this.#lastVelocity = new Float64Array(layout.dimensions);
  }

  take(state: Components, secondsSinceLast: number): void {
    const before = this.#state;
    this.#state = Float64Array.from(state);
    this.#taken += 1;
    if (!before || !(secondsSinceLast > 0)) return;
    const { position, dimensions, heading } = this.#layout;
    if (heading !== undefined)
      this.#turnRate = angleDifference(state[heading]!, before[heading]!) / secondsSinceLast;
    for (let axis = 0; axis < dimensions; axis++) {
      // The mean velocity since the last state. #fitParabola turns it into the velocity at this state.
      this.#velocity[axis] = (state[position + axis]! - before[position + axis]!) / secondsSinceLast;
    }
    this.#acceleration.fill(0);
    const bend = angleBetween(this.#lastVelocity, this.#velocity);
    const mean = Float64Array.from(this.#velocity);
    if (this.#taken > 2 && bend > MIN_BEND && bend < MAX_BEND) this.#fitParabola(secondsSinceLast);
    this.#lastVelocity.set(mean);
    this.#lastSeconds = secondsSinceLast;
  }

  predict(seconds: number, into: Components): void {
    const state = this.#state;
    if (!state) return;
    into.set(state);
    const { position, dimensions, heading } = this.#layout;
    for (let axis = 0; axis < dimensions; axis++) {
      const velocity = this.#velocity[axis]! + (this.#acceleration[axis]! * seconds) / 2;
      into[position + axis] = state[position + axis]! + velocity * seconds;
    }
    if (heading !== undefined) into[heading] = wrapAngle(state[heading]! + this.#turnRate * seconds);
    clampPosition(this.#layout, into);
  }

  /** Fits a parabola: the mean velocity of each of two path pieces is the velocity at its middle. */
  #fitParabola(seconds: number): void {
    for (let axis = 0; axis < this.#velocity.length; axis++) {
      const change = this.#velocity[axis]! - this.#lastVelocity[axis]!;
      this.#acceleration[axis] = change / ((seconds + this.#lastSeconds) / 2);
      this.#velocity[axis]! += (this.#acceleration[axis]! * seconds) / 2;
    }
  }
}

/** Returns the angle between two directions, rad. */
function angleBetween(a: Float64Array, b: Float64Array): number {
  let dot = 0;
  for (let axis = 0; axis < a.length; axis++) dot += a[axis]! * b[axis]!;
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths > 0 ? Math.acos(Math.max(-1, Math.min(1, dot / lengths))) : 0;
}
