import type { EntityDefinition } from "@paceline/protocol";

/**
 * Returns true if receivers show entities of a definition by interpolation. `byProfile`: the profile's
 * choice.
 */
export function isInterpolated(definition: EntityDefinition, byProfile: boolean): boolean {
  if (!definition.motionLayout) return false;
  if (definition.show !== undefined) return definition.show === "interpolate";
  // A game with its own motion model wants it to be used.
  return byProfile && definition.motion !== "step";
}
