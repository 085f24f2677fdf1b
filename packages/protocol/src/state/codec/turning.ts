import { normalise, packQuat, unpackQuat } from "../columns/quat-columns.js";
import type { StatePlan } from "../columns/state-plan.js";
import type { Baselines } from "./baselines.js";
import { WIDEST_SIZE } from "./prefix-tables.js";

/** Longest continuation of a turn, in ticks. */
const MAX_STEPS = 64;
const newest = new Float64Array(4);
const second = new Float64Array(4);
const third = new Float64Array(4);
/** Result of {@link setCosine}. A returned fraction is an object, unless the engine inlines the function. */
const cosine = new Float64Array(1);

/**
 * Continues the rotation of a quaternion, and writes its columns to `into` from `here` on. On the unit
 * sphere, q(n + 1) = 2 cos(angle) q(n) - q(n - 1). Returns the change of the last turn from the turn before,
 * in steps of the columns times the square of the age, as a whole number of at most
 * {@link WIDEST_SIZE}.
 */
export function turnOn(
  plan: StatePlan,
  column: number,
  baselines: Baselines,
  into: Int32Array,
  here: number,
): number {
  const { rows, at0, at1, at2, age, gap1 } = baselines;
  unpackQuat(plan, column, rows, at0, newest);
  if (at1 < 0) {
    for (let index = 0; index < 4; index++) into[here + index] = rows[at0 + column + index]!;
    return 0;
  }
  unpackQuat(plan, column, rows, at1, second);
  align(second, newest);
  let bend = 0;
  if (at2 >= 0) {
    unpackQuat(plan, column, rows, at2, third);
    align(third, second);
    setCosine(second, third);
    const twice = 2 * cosine[0]!;
    for (let index = 0; index < 4; index++) {
      const apart = newest[index]! - (twice * second[index]! - third[index]!);
      bend = Math.max(bend, apart < 0 ? -apart : apart);
    }
  }
  if (gap1 > 1) {
    for (let index = 0; index < 4; index++)
      second[index] = newest[index]! - (newest[index]! - second[index]!) / gap1;
    normalise(second);
  }
  setCosine(newest, second);
  const twice = 2 * cosine[0]!;
  for (let step = age < MAX_STEPS ? age : MAX_STEPS; step > 0; step--) {
    for (let index = 0; index < 4; index++) {
      const next = twice * newest[index]! - second[index]!;
      second[index] = newest[index]!;
      newest[index] = next;
    }
  }
  packQuat(plan, column, newest, into, here - column);
  return Math.min((bend / plan.step[column + 1]!) * (age * age) + 0.5, WIDEST_SIZE) | 0;
}

function setCosine(a: Float64Array, b: Float64Array): void {
  const product = a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
  cosine[0] = product < 1 ? product : 1;
}

/** Negates the quaternion if that brings it nearer to `to`. Both signs mean the same rotation. */
function align(quat: Float64Array, to: Float64Array): void {
  const product = quat[0]! * to[0]! + quat[1]! * to[1]! + quat[2]! * to[2]! + quat[3]! * to[3]!;
  if (product >= 0) return;
  for (let index = 0; index < 4; index++) quat[index] = -quat[index]!;
}

/** Repacks a quaternion's columns at `at` so that component `axis` is left out. */
export function leaveOut(plan: StatePlan, column: number, row: Int32Array, at: number, axis: number): void {
  if (row[at] === axis) return;
  const quat = unpackQuat(plan, column, row, at - column, newest);
  const sign = quat[axis]! < 0 ? -1 : 1;
  let to = 0;
  for (let index = 0; index < 4; index++) {
    if (index === axis) continue;
    to += 1;
    const value = Math.floor((sign * quat[index]!) / plan.step[column + to]! + 0.5);
    row[at + to] = Math.min(Math.max(value, plan.min[column + to]!), plan.max[column + to]!);
  }
}
