import type { MatchRefusal } from "@paceline/protocol";
import { ROOM_FAILED } from "../sessions/room.js";

/** Returns the refusal of a player whose build is not the room's. */
export function outdated(theirs: string, mine: string): MatchRefusal {
  const named = (build: string): string => (build === "" ? "no build" : `build ${build}`);
  const message = `the room is of ${named(theirs)}, this page of ${named(mine)}: load the page again`;
  return { status: 409, code: "match/outdated", message };
}

/** Returns the refusal of a request for a room or session that does not exist. */
export function notFound(message: string): MatchRefusal {
  return { status: 404, code: "match/not-found", message };
}

const MAX_NAMED_KINDS = 8;

/** Returns the refusal of a name that no kind of room has. `known`: the names of all kinds. */
export function unknownKind(name: string, known: Iterable<string>): MatchRefusal {
  // Names with a dot are queues, which players do not join by name.
  const kinds = Array.from(known).filter((kind) => !kind.includes("."));
  const others = kinds.length > MAX_NAMED_KINDS ? [`${kinds.length - MAX_NAMED_KINDS} more`] : [];
  const list = [...kinds.slice(0, MAX_NAMED_KINDS), ...others].join(", ");
  const message = `no kind of room is named ${JSON.stringify(name)}; there are: ${list}`;
  return { status: 404, code: "match/unknown-room", message };
}

/** Returns the refusal of a request beyond a rate or a share. */
export function busy(message: string): MatchRefusal {
  return { status: 429, code: "match/rate-limited", message };
}

/** Returns the refusal of a request that finds the server or the room full or closed. */
export function full(status: number, message: string): MatchRefusal {
  return { status, code: "match/full", message };
}

/** The refusal of a room whose authority threw while it opened. */
export const roomFailed: MatchRefusal = { status: 500, code: "match/room-failed", message: ROOM_FAILED };

/** The refusal of a room that ended while it opened. */
export const roomEnded = full(503, "the room was closed while it opened");
