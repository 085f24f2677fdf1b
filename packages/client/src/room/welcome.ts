import type { Welcome } from "../connection/server-connection-options.js";

/** The ways in which a room's entities and messages travel. Each has code of its own. */
export type ModeName = "mesh" | "authority";

/** Returns the mode of the room that the server's welcome describes. */
export function modeOf({ authority }: Welcome): ModeName {
  return authority ? "authority" : "mesh";
}

/** Returns the steps per second of the room's authority; undefined in a mesh. */
export function authorityHzOf({ authority }: Welcome): number | undefined {
  return authority?.tickHz;
}
