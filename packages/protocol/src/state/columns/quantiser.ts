import { ConfigError } from "../../errors/errors.js";
import { packQuat, unpackQuat } from "./quat-columns.js";
import { Handling, QUAT_COLUMNS, type StatePlan } from "./state-plan.js";

const quat = new Float64Array(QUAT_COLUMNS);

/**
 * Writes a state's field columns as integers into `row`, which begins at `at`. The caller writes owner and
 * teleports. Rounding adds an error of at most half a step. Angles are wrapped, and quaternions of any length
 * but 0 are normalised. Throws {@link ConfigError} for a value that is not a number or out of its range.
 */
export function quantise(plan: StatePlan, state: ArrayLike<number>, row: Int32Array, at: number): void {
  const { handling, columnOf, step, min, max } = plan;
  for (let index = 0; index < handling.length; index++) {
    const how = handling[index]!;
    if (how === Handling.none) continue;
    const column = columnOf[index]!;
    if (how === Handling.quat) {
      for (let axis = 0; axis < QUAT_COLUMNS; axis++) quat[axis] = state[index + axis]!;
      packQuat(plan, column, quat, row, at);
      continue;
    }
    // Math.round took a third of this function's time.
    const steps = Math.floor(state[index]! / step[column]! + 0.5);
    if (steps >= min[column]! && steps <= max[column]!) row[at + column] = steps;
    else if (how === Handling.angle) row[at + column] = quantisedAngle(plan, index, steps);
    else if (how === Handling.rate) row[at + column] = cutOff(steps, min[column]!, max[column]!);
    else refuse(plan, index, state[index]!);
  }
}

/** Converts columns back to components. Components without a column (derived or uncoded) keep their value. */
export function restore(
  plan: StatePlan,
  row: Int32Array,
  at: number,
  into: Float32Array | Float64Array,
): void {
  const { handling, columnOf, step, lowest, highest } = plan;
  for (let index = 0; index < handling.length; index++) {
    const how = handling[index]!;
    if (how === Handling.none) continue;
    const column = columnOf[index]!;
    if (how === Handling.quat) {
      unpackQuat(plan, column, row, at, quat);
      for (let axis = 0; axis < QUAT_COLUMNS; axis++) into[index + axis] = quat[axis]!;
      continue;
    }
    const value = row[at + column]! * step[column]!;
    if (how === Handling.angle) into[index] = value >= Math.PI ? value - 2 * Math.PI : value;
    else {
      const low = lowest[index]!;
      const high = highest[index]!;
      if (how === Handling.name && value > high) continue;
      into[index] = value < low ? low : value > high ? high : value;
    }
  }
}

/** Clamps a derived rate instead of throwing: the game did not write it. */
function cutOff(steps: number, min: number, max: number): number {
  return Number.isNaN(steps) ? 0 : Math.min(Math.max(steps, min), max);
}

function quantisedAngle(plan: StatePlan, index: number, steps: number): number {
  const turn = plan.turn[plan.columnOf[index]!]!;
  if (steps >= 0 && steps < turn) return steps;
  if (!Number.isFinite(steps)) refuse(plan, index, steps);
  return ((steps % turn) + turn) % turn;
}

function refuse({ definition }: StatePlan, index: number, value: number): never {
  const { name, min, max, unit, kind } = definition.components[index]!;
  const expected = kind === "angle" ? "a finite number of rad" : `${min} to ${max} ${unit}`.trim();
  throw new ConfigError(`${definition.name}.${name}`, value, expected);
}
