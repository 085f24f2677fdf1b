import { angleDifference, wrapAngle } from "./angle.js";
import type { BodyLayout, Components } from "./body-layout.js";

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
