import type { Component } from "../entity-components.js";
import { ConfigError } from "../errors.js";
import { packQuat, unpackQuat } from "./quat-columns.js";
import { QUAT_COLUMNS, type StatePlan } from "./state-plan.js";

const quat = new Float64Array(QUAT_COLUMNS);

/**
 * Writes a state's components as integers from `row[at]` on (the columns of the fields; owner and teleports are the
 * caller's). Rounding adds at most half a step; angles are taken around, quaternions of any length but 0 are taken
 * as directions. Throws {@link ConfigError} for what is not a number or out of its range.
 */
export function quantise(plan: StatePlan, state: ArrayLike<number>, row: Int32Array, at: number): void {
  const { components } = plan.definition;
  for (let index = 0; index < components.length; index++) {
    const column = plan.columnOf[index]!;
    if (column < 0) continue;
    const component = components[index]!;
    if (component.kind === "quat") {
      for (let axis = 0; axis < QUAT_COLUMNS; axis++) quat[axis] = state[index + axis]!;
      packQuat(plan, column, quat, row, at);
      index += QUAT_COLUMNS - 1;
    } else row[at + column] = quantised(plan, column, component, state[index]!);
  }
}

/** Reads the components back. What is not in the row (derived, or not coded) is left as it is. */
export function restore(plan: StatePlan, row: Int32Array, at: number, into: Float32Array | Float64Array): void {
  const { components } = plan.definition;
  for (let index = 0; index < components.length; index++) {
    const column = plan.columnOf[index]!;
    if (column < 0) continue;
    const component = components[index]!;
    if (component.kind === "quat") {
      unpackQuat(plan, column, row, at, quat);
      for (let axis = 0; axis < QUAT_COLUMNS; axis++) into[index + axis] = quat[axis]!;
      index += QUAT_COLUMNS - 1;
      continue;
    }
    const value = row[at + column]! * plan.step[column]!;
    if (component.kind === "angle") into[index] = value >= Math.PI ? value - 2 * Math.PI : value;
    else into[index] = value < component.min ? component.min : value > component.max ? component.max : value;
  }
}

function quantised(plan: StatePlan, column: number, component: Component, value: number): number {
  const steps = Math.round(value / plan.step[column]!);
  const turn = plan.turn[column]!;
  if (turn > 0 && Number.isFinite(steps)) return ((steps % turn) + turn) % turn;
  if (steps >= plan.min[column]! && steps <= plan.max[column]!) return steps;
  const { name, min, max, unit } = component;
  const expected = turn > 0 ? "a finite number of rad" : `${min} to ${max} ${unit}`.trim();
  throw new ConfigError({ field: `${plan.definition.name}.${name}`, value, expected });
}
