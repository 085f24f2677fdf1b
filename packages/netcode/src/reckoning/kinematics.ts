import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference } from "../body/pose.js";
import { lengthOf, type BodyLayout, type Components } from "../body/body-layout.js";

/**
 * Time over which derived velocities yield an acceleration: long enough to average out rounding of positions.
 */
const DERIVED_WINDOW_SECONDS = 0.034;
/** Time over which the game's own velocities yield one: a single step, since they are exact. */
const GIVEN_WINDOW_SECONDS = 0.018;
/**
 * Largest acceleration, m/s². More is an impact, which is already over: continuing it would throw the entity
 * about.
 */
const MAX_ACCELERATION = 48;
/** Rows kept: enough for the window at 120 steps per second. */
const KEPT_ROWS = 6;

export interface KinematicsOptions {
  /** True if the game writes velocities itself. */
  readonly isVelocityGiven: boolean;
}

/**
 * Derives motion that the game does not write: velocity and turn rates from poses, acceleration from
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

  /** Drops the past after a teleport, whose distance is not motion. */
  restart(): void {
    this.#rows.length = 0;
  }

  derive(state: Components, tick: number, tickSeconds: number): void {
    const last = this.#rows.at(-1);
    const seconds = last ? ((tick - last.tick) | 0) * tickSeconds : 0;
    // A repeated tick keeps the derived values; if time runs backwards, derivation restarts.
    if (last && seconds === 0) {
      last.row.set(state);
      return;
    }
    if (last && (seconds < 0 || seconds > 1)) {
      this.restart();
      if (seconds > 1) this.#rest(state);
    } else if (last) this.#deriveFrom(last.row, state, seconds);
    this.#deriveAcceleration(state, tick, tickSeconds);
    this.#keep(state, tick);
    if (seconds > 0 && !this.#options.isVelocityGiven) this.#moveToEndOfStep(state, seconds);
  }

  /** After a gap nothing is known of the motion. What was known before it would carry the entity on and on. */
  #rest(state: Components): void {
    const { velocity, dimensions, turnRate } = this.#layout;
    if (velocity !== undefined && !this.#options.isVelocityGiven)
      for (let axis = 0; axis < dimensions; axis++) state[velocity + axis] = 0;
    if (turnRate !== undefined) state[turnRate] = 0;
  }

  #deriveFrom(before: Float64Array, state: Components, seconds: number): void {
    const { position, velocity, dimensions, heading, turnRate } = this.#layout;
    if (velocity !== undefined && !this.#options.isVelocityGiven) {
      for (let axis = 0; axis < dimensions; axis++) {
        state[velocity + axis] = (state[position + axis]! - before[position + axis]!) / seconds;
      }
    }
    if (heading !== undefined && turnRate !== undefined) {
      state[turnRate] = angleDifference(state[heading]!, before[heading]!) / seconds;
    }
  }

  #deriveAcceleration(state: Components, tick: number, tickSeconds: number): void {
    const { velocity, acceleration, dimensions } = this.#layout;
    if (velocity === undefined || acceleration === undefined) return;
    const windowSeconds = this.#options.isVelocityGiven ? GIVEN_WINDOW_SECONDS : DERIVED_WINDOW_SECONDS;
    const inWindow = this.#rows.find(({ tick: of }) => ((tick - of) | 0) * tickSeconds <= windowSeconds);
    // In a slow simulation the window holds no row: use the last one.
    const base = inWindow ?? this.#rows.at(-1);
    const seconds = base ? ((tick - base.tick) | 0) * tickSeconds : 0;
    for (let axis = 0; axis < dimensions; axis++) {
      const change = base && seconds > 0 ? state[velocity + axis]! - base.row[velocity + axis]! : 0;
      state[acceleration + axis] = seconds > 0 ? change / seconds : 0;
    }
    limitLength(state, acceleration, dimensions, MAX_ACCELERATION);
  }

  /**
   * Moves derived velocities from the middle of the step, where a difference of positions applies, to its
   * end.
   */
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

/**
 * Returns a deriver of the motion values that the game does not write, or undefined if there are none. One
 * per entity.
 */
export function kinematicsOf({ motionLayout: layout }: EntityDefinition): Kinematics | undefined {
  if (!layout) return undefined;
  // Do not derive fields that the game writes.
  const derived = layout.isAccelerationDeclared ? { ...layout, acceleration: undefined } : layout;
  const isVelocityGiven = layout.isVelocityDeclared;
  const { acceleration, turnRate } = derived;
  if (isVelocityGiven && acceleration === undefined && turnRate === undefined) return undefined;
  return new Kinematics(derived, { isVelocityGiven });
}
