import { copyRow, lengthOf, type BodyLayout, type Components } from "../body/body-layout.js";
import type { Reckoner } from "./reckoner.js";
import { clampPosition, continueRotation } from "../body/pose.js";

/** Slower than this (m/s), a velocity has no reliable direction. */
const MIN_SPEED_MPS = 1;
/** Largest turn rate, rad/s. One sharp bend in a recorded path is not a circle. */
const MAX_TURN_RATE = 6;
/** Time in which a change of speed fades to 1/e, s. No vehicle accelerates forever. */
const FADE_SECONDS = 0.5;

/**
 * Dead reckoning with a constant turn rate and a change of speed that fades. The acceleration is split: its
 * part across the velocity turns the velocity, in the plane of both (so no world axis counts as "up"); its
 * part along the velocity changes the speed. In two dimensions without acceleration, the heading's turn rate
 * bends the path.
 */
export class TurnReckoner implements Reckoner {
  readonly #layout: BodyLayout;
  #state: Float64Array | undefined;
  #isTurning = false;
  #speed = 0;
  /** Acceleration along the path, m/s². */
  #speedUp = 0;
  /** Turn rate, rad/s, 0 or more, towards `#normal`. */
  #turnRate = 0;
  /** Direction of the velocity. */
  readonly #tangent = new Float64Array(3);
  /** Direction of the turn, at a right angle to the velocity. Zero on a straight path. */
  readonly #normal = new Float64Array(3);

  constructor(layout: BodyLayout) {
    this.#layout = layout;
  }

  take(state: Components): void {
    this.#state ??= new Float64Array(state.length);
    this.#state.set(state);
    const { velocity, acceleration, turnRate, dimensions } = this.#layout;
    this.#isTurning = false;
    if (velocity === undefined) return;
    this.#speed = lengthOf(state, velocity, dimensions);
    if (this.#speed < MIN_SPEED_MPS) return;
    for (let axis = 0; axis < dimensions; axis++) this.#tangent[axis] = state[velocity + axis]! / this.#speed;
    if (acceleration !== undefined) this.#splitAcceleration(state, acceleration);
    else if (turnRate !== undefined && dimensions === 2) this.#turnWithHeading(state[turnRate]!);
  }

  predict(seconds: number, into: Components): void {
    const state = this.#state;
    if (!state) return;
    copyRow(state, into);
    if (this.#layout.velocity !== undefined) {
      if (this.#isTurning) this.#turn(state, this.#layout.velocity, seconds, into);
      else this.#goStraight(state, this.#layout.velocity, seconds, into);
    }
    continueRotation(this.#layout, state, seconds, into);
    clampPosition(this.#layout, into);
  }

  #splitAcceleration(state: Components, acceleration: number): void {
    const { dimensions } = this.#layout;
    let speedUp = 0;
    for (let axis = 0; axis < dimensions; axis++)
      speedUp += state[acceleration + axis]! * this.#tangent[axis]!;
    for (let axis = 0; axis < dimensions; axis++) {
      this.#normal[axis] = state[acceleration + axis]! - speedUp * this.#tangent[axis]!;
    }
    const sideways = lengthOf(this.#normal, 0, dimensions);
    this.#isTurning = true;
    this.#speedUp = speedUp;
    this.#turnRate = Math.min(sideways / this.#speed, MAX_TURN_RATE);
    for (let axis = 0; axis < dimensions; axis++) this.#normal[axis]! /= sideways || 1;
  }

  /** Bends the path with the heading's turn rate, in two dimensions without acceleration. */
  #turnWithHeading(turnRate: number): void {
    const side = Math.sign(turnRate);
    this.#normal[0] = -this.#tangent[1]! * side;
    this.#normal[1] = this.#tangent[0]! * side;
    this.#isTurning = true;
    this.#speedUp = 0;
    this.#turnRate = Math.min(Math.abs(turnRate), MAX_TURN_RATE);
  }

  #turn(state: Float64Array, velocity: number, seconds: number, into: Components): void {
    const { position, dimensions } = this.#layout;
    const angle = this.#turnRate * seconds;
    const half = angle / 2;
    const gained = fadedSeconds(seconds);
    const path = Math.max(0, this.#speed * seconds + this.#speedUp * FADE_SECONDS * (seconds - gained));
    // The chord of an arc is as long as the path times sin(x)/x, in the direction of half the turn.
    const chord = half < 1e-4 ? path : (path * Math.sin(half)) / half;
    const onward = Math.cos(half) * chord;
    const aside = Math.sin(half) * chord;
    const speed = Math.max(0, this.#speed + this.#speedUp * gained);
    const ahead = Math.cos(angle) * speed;
    const turned = Math.sin(angle) * speed;
    for (let axis = 0; axis < dimensions; axis++) {
      const tangent = this.#tangent[axis]!;
      const normal = this.#normal[axis]!;
      into[position + axis] = state[position + axis]! + tangent * onward + normal * aside;
      into[velocity + axis] = tangent * ahead + normal * turned;
    }
  }

  #goStraight(state: Float64Array, velocity: number, seconds: number, into: Components): void {
    const { position, dimensions, acceleration } = this.#layout;
    const gained = fadedSeconds(seconds);
    const way = FADE_SECONDS * (seconds - gained);
    for (let axis = 0; axis < dimensions; axis++) {
      const speedUp = acceleration === undefined ? 0 : state[acceleration + axis]!;
      into[position + axis] = state[position + axis]! + state[velocity + axis]! * seconds + speedUp * way;
      into[velocity + axis] = state[velocity + axis]! + speedUp * gained;
    }
  }
}

/** Returns the time in which a constant acceleration gains as much speed as the fading one in `seconds`. */
function fadedSeconds(seconds: number): number {
  return FADE_SECONDS * (1 - Math.exp(-seconds / FADE_SECONDS));
}
