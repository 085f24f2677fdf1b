import type { Component } from "@paceline/protocol";
import type { Components, BodyLayout } from "./body-layout.js";

const TURN = 2 * Math.PI;

/** Returns the angle of the same direction within [-pi, pi). */
export function wrapAngle(angleRad: number): number {
  if (angleRad >= -Math.PI && angleRad < Math.PI) return angleRad;
  const wrapped = angleRad - TURN * Math.floor((angleRad + Math.PI) / TURN);
  // The subtraction may round up to pi itself.
  return wrapped >= Math.PI ? -Math.PI : wrapped;
}

/** Returns the shortest turn from `b` to `a`, within [-pi, pi). */
export function angleDifference(a: number, b: number): number {
  return wrapAngle(a - b);
}

/** Returns the angle between two orientations, rad, 0 to pi. */
export function orientationErrorRad(a: Components, b: Components, at: number): number {
  const dot = a[at]! * b[at]! + a[at + 1]! * b[at + 1]! + a[at + 2]! * b[at + 2]! + a[at + 3]! * b[at + 3]!;
  return 2 * Math.acos(Math.min(1, Math.abs(dot)));
}

/** Returns the size of a pose difference: the position's axes, then the heading. */
export function offsetWidth({ dimensions, heading }: BodyLayout): number {
  return heading === undefined ? dimensions : dimensions + 1;
}

/** Writes the offset that turns pose `b` into pose `a`. */
export function subtractPose(layout: BodyLayout, a: Components, b: Components, into: Float64Array): void {
  const { dimensions, position, heading } = layout;
  for (let axis = 0; axis < dimensions; axis++) into[axis] = a[position + axis]! - b[position + axis]!;
  if (heading !== undefined) into[dimensions] = angleDifference(a[heading]!, b[heading]!);
}

/** Adds an offset to the pose in `row`, in place. */
export function addToPose(layout: BodyLayout, row: Components, offset: Float64Array): void {
  const { dimensions, position, heading } = layout;
  for (let axis = 0; axis < dimensions; axis++) row[position + axis]! += offset[axis]!;
  if (heading !== undefined) row[heading] = wrapAngle(row[heading]! + offset[dimensions]!);
}

/** Continues the turn of the heading for `seconds` at the state's rate. `from` and `into` may be one array. */
export function continueRotation(
  layout: BodyLayout,
  from: Components,
  seconds: number,
  into: Components,
): void {
  const { heading, turnRate } = layout;
  if (heading !== undefined && turnRate !== undefined) {
    into[heading] = wrapAngle(from[heading]! + from[turnRate]! * seconds);
  }
}

/** Clamps the position to the layout's range. */
export function clampPosition(layout: BodyLayout, row: Components): void {
  if (!layout.positionRange) return;
  const [min, max] = layout.positionRange;
  for (let at = layout.position; at < layout.position + layout.dimensions; at++) {
    row[at] = Math.min(Math.max(row[at]!, min), max);
  }
}

/** Clamps each number of a row to its range: between two states, a motion may lead out of it. */
export function clampToRanges(components: readonly Component[], row: Components): void {
  for (let index = 0; index < components.length; index++) {
    const { min, max } = components[index]!;
    const value = row[index]!;
    if (value < min) row[index] = min;
    else if (value > max) row[index] = max;
  }
}
