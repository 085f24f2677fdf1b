import { ConfigError } from "../../errors/errors.js";
import type { StatePlan } from "./state-plan.js";

const unpacked = new Float64Array(4);
/**
 * Limit of the length that rounding may add to the three columns together, in steps; 1.5 is possible. The fourth
 * component shortens more than in proportion then, and the rotation is up to 8 % more than half a precision
 * wrong at a precision of 0.3 rad. The property test of the codec found this bound.
 */
const MAX_GROWN_STEPS = 1.35;

/**
 * Packs a quaternion into four columns: the index of the largest component, then the other three, with the
 * sign that makes the largest positive ("smallest three"). The rotation is at most half a precision off.
 */
export function packQuat(
  plan: StatePlan,
  column: number,
  quat: ArrayLike<number>,
  row: Int32Array,
  at: number,
): void {
  let largest = 0;
  let square = 0;
  for (let axis = 0; axis < 4; axis++) {
    const value = quat[axis]!;
    square += value * value;
    if (Math.abs(value) > Math.abs(quat[largest]!)) largest = axis;
  }
  if (!(square > 1e-12 && square < 1e12)) {
    const field = `${plan.definition.name} quaternion`;
    throw new ConfigError(field, Array.from(quat).join(", "), "a direction in four numbers");
  }
  const scale = (quat[largest]! < 0 ? -1 : 1) / Math.sqrt(square);
  row[at + column] = largest;
  let to = column + 1;
  // The component that rounding lengthened most, and the lengths of all three together.
  let longest = to;
  let grewMost = -1;
  let grew = 0;
  for (let axis = 0; axis < 4; axis++) {
    if (axis === largest) continue;
    const steps = (quat[axis]! * scale) / plan.step[to]!;
    const rounded = Math.round(steps);
    row[at + to] = rounded;
    const grown = Math.abs(rounded) - Math.abs(steps);
    grew += grown;
    if (grown > grewMost) {
      longest = to;
      grewMost = grown;
    }
    to += 1;
  }
  if (grew > MAX_GROWN_STEPS) row[at + longest]! -= Math.sign(row[at + longest]!);
}

/**
 * Returns the unit quaternion, in an array that the next call reuses. It uses exact arithmetic, so that all
 * engines agree.
 */
export function unpackQuat(
  plan: StatePlan,
  column: number,
  row: Int32Array,
  at: number,
  into: Float64Array = unpacked,
): Float64Array {
  const largest = row[at + column]!;
  let left = 1;
  let from = column + 1;
  for (let axis = 0; axis < 4; axis++) {
    if (axis === largest) continue;
    const value = row[at + from]! * plan.step[from]!;
    from += 1;
    into[axis] = value;
    left -= value * value;
  }
  into[largest] = left > 0 ? Math.sqrt(left) : 0;
  if (left < 0) normalise(into);
  return into;
}

export function normalise(quat: Float64Array): void {
  const x = quat[0]!;
  const y = quat[1]!;
  const z = quat[2]!;
  const w = quat[3]!;
  const length = Math.sqrt(x * x + y * y + z * z + w * w);
  quat[0] = x / length;
  quat[1] = y / length;
  quat[2] = z / length;
  quat[3] = w / length;
}
