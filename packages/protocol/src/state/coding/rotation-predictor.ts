import type { Baselines } from "./baselines.js";
import type { Persistence } from "./damping.js";
import { normalise, unpackQuat } from "../plan/quat-columns.js";
import type { StatePlan } from "../plan/state-plan.js";

/** A rotation is put together from sixteenths of itself: small ones need few terms of their series. */
const HALVINGS = 4;

/**
 * Predicts a rotation from up to three earlier ones, as turning on with the same angular velocity, and in part the
 * same angular acceleration. Only operations that IEEE 754 defines to the last bit.
 */
export class RotationPredictor {
  /** The predicted component that is largest. */
  largest = 3;
  /** After {@link leaveOut}: the other three, with the sign that makes the one left out positive. */
  readonly rest = new Float64Array(3);
  /** Turn per tick, and its change, as the largest component of a rotation vector. In an array: no new objects. */
  readonly widest = new Float64Array(2);
  readonly #quat = new Float64Array(4);
  readonly #older = new Float64Array(4);
  readonly #oldest = new Float64Array(4);
  readonly #turn = new Float64Array(3);
  readonly #turnBefore = new Float64Array(3);

  predict(plan: StatePlan, column: number, baselines: Baselines, persistence: Persistence): void {
    const { rows, at0, at1, at2, age, gap1, gap2 } = baselines;
    const quat = unpackQuat(plan, column, rows, at0, this.#quat);
    this.widest[0] = 0;
    this.widest[1] = 0;
    if (at1 >= 0) {
      const turn = this.#turn;
      const before = this.#turnBefore;
      before[0] = before[1] = before[2] = 0;
      unpackQuat(plan, column, rows, at1, this.#older);
      halfTurnPerTick(quat, this.#older, gap1, turn);
      if (at2 >= 0)
        halfTurnPerTick(this.#older, unpackQuat(plan, column, rows, at2, this.#oldest), gap2, before);
      let change = 0;
      let bend = 0;
      let widestTurn = 0;
      let widestBend = 0;
      for (let axis = 0; axis < 3; axis++) {
        const turned = turn[axis]!;
        const bent = turned - before[axis]!;
        change += turned * turned;
        bend += bent * bent;
        widestTurn = Math.max(widestTurn, Math.abs(turned));
        widestBend = Math.max(widestBend, Math.abs(bent));
      }
      const step = plan.step[column + 1]!;
      const kept = persistence.of((2 * Math.sqrt(change)) / step, (2 * Math.sqrt(bend)) / step);
      const bent = at2 < 0 ? 0 : 0.2 * age * (age + 1) * (kept > 2 / 3 ? 1 : 1.5 * kept);
      const share = kept > 0.7 ? 1 : 0.3 + kept;
      for (let axis = 0; axis < 3; axis++) {
        turn[axis] = (turn[axis]! * age + (turn[axis]! - before[axis]!) * bent) * share;
      }
      this.widest[0] = 2 * widestTurn;
      this.widest[1] = 2 * widestBend;
      turnOn(quat, turn, this.#older);
    }
    let largest = 0;
    for (let axis = 1; axis < 4; axis++) {
      if (Math.abs(quat[axis]!) > Math.abs(quat[largest]!)) largest = axis;
    }
    this.largest = largest;
  }

  leaveOut(largest: number): void {
    const sign = this.#quat[largest]! < 0 ? -1 : 1;
    let to = 0;
    for (let axis = 0; axis < 4; axis++) {
      if (axis !== largest) this.rest[to++] = sign * this.#quat[axis]!;
    }
  }
}

/** into = a * b */
function multiply(a: Float64Array, b: Float64Array, into: Float64Array): void {
  const ax = a[0]!;
  const ay = a[1]!;
  const az = a[2]!;
  const aw = a[3]!;
  const bx = b[0]!;
  const by = b[1]!;
  const bz = b[2]!;
  const bw = b[3]!;
  into[0] = aw * bx + ax * bw + ay * bz - az * by;
  into[1] = aw * by - ax * bz + ay * bw + az * bx;
  into[2] = aw * bz + ax * by - ay * bx + az * bw;
  into[3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Half the rotation vector per tick that leads from `from` to `to` in `ticks` (arcsine series, good to a radian). */
function halfTurnPerTick(to: Float64Array, from: Float64Array, ticks: number, into: Float64Array): void {
  const ax = to[0]!;
  const ay = to[1]!;
  const az = to[2]!;
  const aw = to[3]!;
  const bx = -from[0]!;
  const by = -from[1]!;
  const bz = -from[2]!;
  const bw = from[3]!;
  const w = aw * bw - ax * bx - ay * by - az * bz;
  const x = aw * bx + ax * bw + ay * bz - az * by;
  const y = aw * by - ax * bz + ay * bw + az * bx;
  const z = aw * bz + ax * by - ay * bx + az * bw;
  const square = x * x + y * y + z * z;
  const series = 1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336)));
  const factor = ((w < 0 ? -1 : 1) * series) / ticks;
  into[0] = x * factor;
  into[1] = y * factor;
  into[2] = z * factor;
}

/** Turns `quat` by the rotation vector twice `half`: exp(half) * quat. `scratch` is overwritten. */
function turnOn(quat: Float64Array, half: Float64Array, scratch: Float64Array): void {
  const part = 1 / (1 << HALVINGS);
  const x = half[0]! * part;
  const y = half[1]! * part;
  const z = half[2]! * part;
  const square = x * x + y * y + z * z;
  const sine = 1 - (square / 6) * (1 - square / 20);
  scratch[0] = x * sine;
  scratch[1] = y * sine;
  scratch[2] = z * sine;
  scratch[3] = 1 - (square / 2) * (1 - square / 12);
  normalise(scratch);
  for (let count = 0; count < HALVINGS; count++) multiply(scratch, scratch, scratch);
  multiply(scratch, quat, quat);
  normalise(quat);
}
