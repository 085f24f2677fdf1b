import { normalise, packQuat, unpackQuat } from "../plan/quat-columns.js";
import type { StatePlan } from "../plan/state-plan.js";
import type { Baselines } from "./baselines.js";

/** Longest continuation of a turn, in ticks. */
const MAX_STEPS = 64;
const newest = new Float64Array(4);
const second = new Float64Array(4);
const third = new Float64Array(4);
/**
 * Second result of {@link turnOn}: change of the last turn from the turn before, in steps of the columns.
 * Returning it would allocate.
 */
export const bent = new Float64Array(1);

/**
 * Continues the rotation of a quaternion, writes its columns to `into` from `here` on, and sets {@link bent}.
 * On the unit sphere, q(n + 1) = 2 cos(angle) q(n) - q(n - 1).
 */
export function turnOn(
  plan: StatePlan,
  column: number,
  baselines: Baselines,
  into: Int32Array,
  here: number,
): void {
  const { rows, at0, at1, at2, age, gap1 } = baselines;
  unpackQuat(plan, column, rows, at0, newest);
  if (at1 < 0) {
    for (let index = 0; index < 4; index++) into[here + index] = rows[at0 + column + index]!;
    bent[0] = 0;
    return;
  }
  unpackQuat(plan, column, rows, at1, second);
  align(second, newest);
  let bend = 0;
  if (at2 >= 0) {
    unpackQuat(plan, column, rows, at2, third);
    align(third, second);
    const twice = 2 * cosine(second, third);
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
  const twice = 2 * cosine(newest, second);
  for (let step = age < MAX_STEPS ? age : MAX_STEPS; step > 0; step--) {
    for (let index = 0; index < 4; index++) {
      const next = twice * newest[index]! - second[index]!;
      second[index] = newest[index]!;
      newest[index] = next;
    }
  }
  packQuat(plan, column, newest, into, here - column);
  bent[0] = bend / plan.step[column + 1]!;
}

function cosine(a: Float64Array, b: Float64Array): number {
  const product = a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]! + a[3]! * b[3]!;
  return product < 1 ? product : 1;
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
