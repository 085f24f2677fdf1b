import { angleDifference } from "../body/angle.js";
import { lengthOf, type BodyLayout, type Components } from "../body/body-layout.js";
import { rotationBetween } from "../body/quaternion.js";

/** Derived velocities this far apart make an acceleration: long enough that rounding of positions does not shake it. */
const DERIVED_WINDOW_SECONDS = 0.034;
/** Velocities that the game's physics writes are exact: the last step alone says what acts now. */
const GIVEN_WINDOW_SECONDS = 0.018;
/** m/s². More is an impact, over when it is noticed: to continue all of it would throw the entity about. */
const MAX_ACCELERATION = 48;
/** Rows kept: the window at 120 steps per second. */
const KEPT_ROWS = 6;

export interface KinematicsOptions {
  /** The game writes velocities (and, with an orientation, angular velocities) itself. */
  readonly isVelocityGiven: boolean;
}

/**
 * Derives what a game does not write from what it does: velocity and turn rates from poses, acceleration from
 * velocities, by simulation ticks. Call `derive` once per tick, after the game's writes.
 */
export class Kinematics {
  readonly #layout: BodyLayout;
  readonly #options: KinematicsOptions;
  readonly #rows: { row: Float64Array; tick: number }[] = [];

  constructor(layout: BodyLayout, options: KinematicsOptions) {
    this.#layout = layout;
    this.#options = options;
  }

  /** Forgets the past: after a teleport, whose way is no motion. */
  restart(): void {
    this.#rows.length = 0;
  }

  derive(state: Components, tick: number, tickSeconds: number): void {
    const last = this.#rows.at(-1);
    const seconds = last ? ((tick - last.tick) | 0) * tickSeconds : 0;
    // The same tick again keeps the values; time that ran backwards starts them again.
    if (last && seconds === 0) {
      last.row.set(state);
      return;
    }
    if (last && (seconds < 0 || seconds > 1)) this.restart();
    else if (last) this.#deriveFrom(last.row, state, seconds);
    this.#deriveAcceleration(state, tick, tickSeconds);
    this.#keep(state, tick);
    if (seconds > 0 && !this.#options.isVelocityGiven) this.#moveToEndOfStep(state, seconds);
  }

  #deriveFrom(before: Float64Array, state: Components, seconds: number): void {
    const { position, velocity, dimensions, heading, turnRate, orientation, angularVelocity } = this.#layout;
    const isGiven = this.#options.isVelocityGiven;
    if (velocity !== undefined && !isGiven) {
      for (let axis = 0; axis < dimensions; axis++) {
        state[velocity + axis] = (state[position + axis]! - before[position + axis]!) / seconds;
      }
    }
    if (heading !== undefined && turnRate !== undefined) {
      state[turnRate] = angleDifference(state[heading]!, before[heading]!) / seconds;
    }
    if (orientation !== undefined && angularVelocity !== undefined && !isGiven) {
      const turn = new Float64Array(3);
      rotationBetween(state, before, orientation, turn);
      for (let axis = 0; axis < 3; axis++) state[angularVelocity + axis] = turn[axis]! / seconds;
    }
  }

  #deriveAcceleration(state: Components, tick: number, tickSeconds: number): void {
    const { velocity, acceleration, dimensions } = this.#layout;
    if (velocity === undefined || acceleration === undefined) return;
    const windowSeconds = this.#options.isVelocityGiven ? GIVEN_WINDOW_SECONDS : DERIVED_WINDOW_SECONDS;
    const inWindow = this.#rows.find(({ tick: of }) => ((tick - of) | 0) * tickSeconds <= windowSeconds);
    // The window of a slow simulation holds no row: the last one counts.
    const base = inWindow ?? this.#rows.at(-1);
    const seconds = base ? ((tick - base.tick) | 0) * tickSeconds : 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const change = base && seconds > 0 ? state[velocity + axis]! - base.row[velocity + axis]! : 0;
      state[acceleration + axis] = seconds > 0 ? change / seconds : 0;
    }
    limitLength(state, acceleration, dimensions, MAX_ACCELERATION);
  }

  /** A difference of positions is the velocity in the middle of a step; half a step later is now. */
  #moveToEndOfStep(state: Components, seconds: number): void {
    const { velocity, acceleration, dimensions } = this.#layout;
    if (velocity === undefined || acceleration === undefined) return;
    for (let axis = 0; axis < dimensions; axis++) {
      state[velocity + axis]! += (state[acceleration + axis]! * seconds) / 2;
    }
  }

  #keep(state: Components, tick: number): void {
    const oldest = this.#rows.length >= KEPT_ROWS ? this.#rows.shift() : undefined;
    const row = oldest?.row ?? new Float64Array(state.length);
    row.set(state);
    this.#rows.push({ row, tick });
  }
}

function limitLength(row: Components, at: number, dimensions: number, limit: number): void {
  const length = lengthOf(row, at, dimensions);
  if (!(length > limit)) return;
  for (let axis = 0; axis < dimensions; axis++) row[at + axis]! *= limit / length;
}
