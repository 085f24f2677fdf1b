import type { EntityDefinition } from "@paceline/protocol";

/** Whether receivers show entities of a definition between their states, where the profile says so or not. */
export function isInterpolated(definition: EntityDefinition, byProfile: boolean): boolean {
  if (!definition.motionLayout) return false;
  if (definition.show !== undefined) return definition.show === "interpolate";
  // A game that defines a motion model wants it to be used.
  return byProfile && definition.motion !== "step";
}
