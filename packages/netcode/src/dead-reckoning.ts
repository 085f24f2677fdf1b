import { componentCount, type EntityDefinition } from "@paceline/protocol";
import { angleDifference, wrapAngle } from "./angle.js";

/**
 * Continues a state by `seconds` as every receiver does: position with constant velocity, heading with constant
 * turn rate; all else holds (DIS dead reckoning, IEEE 1278.1: models 1 `static`, 3 `RPW`). `from` and `into` hold
 * one row of components and may be the same array.
 */
export function extrapolate(
  definition: EntityDefinition,
  from: Float32Array,
  seconds: number,
  into: Float32Array,
): void {
  if (into !== from) into.set(from);
  const layout = definition.motionLayout;
  if (!layout) return;
  for (let axis = 0; axis < layout.dimensions; axis++) {
    const position = layout.position + axis;
    const { min, max } = definition.components[position]!;
    const moved = from[position]! + from[layout.velocity + axis]! * seconds;
    into[position] = Math.min(Math.max(moved, min), max);
  }
  if (layout.heading !== undefined) {
    into[layout.heading] = wrapAngle(from[layout.heading]! + from[layout.turnRate!]! * seconds);
  }
}

/** Distance between the two states' `field`, in its unit: along a vector's diagonal, around an angle. */
export function fieldError(
  definition: EntityDefinition,
  field: string,
  a: Float32Array,
  b: Float32Array,
): number {
  const offset = definition.offsets[field]!;
  switch (definition.fields[field]!.kind) {
    case "vec2":
      return Math.hypot(a[offset]! - b[offset]!, a[offset + 1]! - b[offset + 1]!);
    case "vec3":
      return Math.hypot(
        a[offset]! - b[offset]!,
        a[offset + 1]! - b[offset + 1]!,
        a[offset + 2]! - b[offset + 2]!,
      );
    case "angle":
      return Math.abs(angleDifference(a[offset]!, b[offset]!));
    case "scalar":
    case "int":
    case "flag":
      return Math.abs(a[offset]! - b[offset]!);
    default:
      return widestDifference(offset, componentCount(definition.fields[field]!), a, b);
  }
}

function widestDifference(first: number, count: number, a: Float32Array, b: Float32Array): number {
  let widest = 0;
  for (let index = first; index < first + count; index++) {
    widest = Math.max(widest, Math.abs(a[index]! - b[index]!));
  }
  return widest;
}
