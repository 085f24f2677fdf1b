import type { AuthoritativeMode } from "../modes/authoritative/authoritative-mode.js";
import { authorityModule } from "./late-code.js";
import type { Welcome } from "../connection/server-connection-options.js";
import { MeshMode } from "../modes/mesh/mesh-mode.js";
import { authorityFacts, meshFacts, type ModeFacts } from "../report/mode-facts.js";
import type { RoomMode, RoomParts } from "../modes/room-mode.js";

let fetched: typeof AuthoritativeMode | undefined;

/** Returns the facts about the room's mode, for the plan and its explanation. */
export function modeFactsOf({ authority }: Welcome): ModeFacts {
  return authority ? authorityFacts(authority.tickHz) : meshFacts;
}

/**
 * Fetches the code that {@link openMode} needs for a room with an authority. Rooms of a mesh never need it.
 */
export async function fetchMode({ authority }: Welcome): Promise<void> {
  if (authority) fetched ??= (await authorityModule.fetch()).AuthoritativeMode;
}

/** Opens the mode of the room that the server's welcome describes. */
export function openMode(parts: RoomParts, welcome: Welcome): RoomMode {
  const { authority } = welcome;
  return authority && fetched ? new fetched(parts, welcome, authority) : new MeshMode(parts);
}
