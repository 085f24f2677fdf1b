import type { Welcome } from "../connection/server-connection-options.js";
import { authorityFacts, meshFacts, type ModeFacts } from "../report/mode-facts.js";

/** The ways in which a room's entities and messages travel. Each has code of its own. */
export type ModeName = "mesh" | "authority";

/** Returns the mode of the room that the server's welcome describes. */
export function modeOf({ authority }: Welcome): ModeName {
  return authority ? "authority" : "mesh";
}

/** Returns the facts about the room's mode, for the plan and its explanation. */
export function modeFactsOf({ authority }: Welcome): ModeFacts {
  return authority ? authorityFacts(authority.tickHz) : meshFacts;
}
