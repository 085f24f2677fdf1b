import { angleDifference, wrapAngle } from "./angle.js";
import type { BodyLayout, Components } from "./body-layout.js";
import { rotate, rotationBetween } from "./quaternion.js";

/**
 * Returns the size of a pose difference: the position's axes, then heading (1) or orientation (3, a rotation
 * vector).
 */
export function offsetWidth(layout: BodyLayout): number {
  const rotation = layout.orientation !== undefined ? 3 : layout.heading !== undefined ? 1 : 0;
  return layout.dimensions + rotation;
}

/** Writes the offset that turns pose `b` into pose `a`. */
export function subtractPose(layout: BodyLayout, a: Components, b: Components, into: Float64Array): void {
  const { dimensions, position } = layout;
  for (let axis = 0; axis < dimensions; axis++) into[axis] = a[position + axis]! - b[position + axis]!;
  if (layout.orientation !== undefined) {
    rotationBetween(a, b, layout.orientation, into.subarray(dimensions));
  } else if (layout.heading !== undefined) {
    into[dimensions] = angleDifference(a[layout.heading]!, b[layout.heading]!);
  }
}

/** Adds an offset to the pose in `row`, in place. */
export function addToPose(layout: BodyLayout, row: Components, offset: Float64Array): void {
  const { dimensions, position } = layout;
  for (let axis = 0; axis < dimensions; axis++) row[position + axis]! += offset[axis]!;
  if (layout.orientation !== undefined) {
    const turn = [offset[dimensions]!, offset[dimensions + 1]!, offset[dimensions + 2]!] as const;
    rotate(row, layout.orientation, turn, row);
  } else if (layout.heading !== undefined) {
    row[layout.heading] = wrapAngle(row[layout.heading]! + offset[dimensions]!);
  }
}
