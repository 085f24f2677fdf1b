import type { EntityDefinition } from "@paceline/protocol";

/** The two axes of a position on which distances count. */
export type GroundAxes = "xy" | "xz";

/** The components of a kind that hold the places of its entities. */
export interface PlaceColumns {
  /** Index of the position's first component. */
  readonly at: number;
  /** Distance from the first axis of the ground to the second. */
  readonly step: 1 | 2;
  readonly range: readonly [number, number];
}

/**
 * Returns where a kind has the places of its entities: its field `position`, a vec2 or vec3. Undefined without one.
 * @param axes undefined: x and y of positions with two components, x and z of those with three
 */
export function placeColumnsOf(
  definition: EntityDefinition,
  axes: GroundAxes | undefined,
): PlaceColumns | undefined {
  for (const { path, field, offset: at } of definition.leaves) {
    if (path !== "position" || (field.kind !== "vec2" && field.kind !== "vec3")) continue;
    const own = field.kind === "vec2" ? "xy" : (axes ?? "xz");
    return { at, step: own === "xz" ? 2 : 1, range: field.range };
  }
  return undefined;
}
