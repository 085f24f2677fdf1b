import type { MatchRefusal } from "@paceline/protocol";

/** Nothing like it is open. */
/** The room is another build's. */
export function outdated(theirs: string, mine: string): MatchRefusal {
  const named = (build: string): string => (build === "" ? "no build" : `build ${build}`);
  const message = `the room is of ${named(theirs)}, this page of ${named(mine)}: load the page again`;
  return { status: 409, code: "match/outdated", message };
}

export function notFound(message: string): MatchRefusal {
  return { status: 404, code: "match/not-found", message };
}

const MAX_NAMED_KINDS = 8;

/** No kind of room has this name; `known` are those that there are. */
export function unknownKind(name: string, known: Iterable<string>): MatchRefusal {
  // Players meet in queues by other means.
  const kinds = Array.from(known).filter((kind) => !kind.includes("."));
  const others = kinds.length > MAX_NAMED_KINDS ? [`${kinds.length - MAX_NAMED_KINDS} more`] : [];
  const list = [...kinds.slice(0, MAX_NAMED_KINDS), ...others].join(", ");
  const message = `no kind of room is named ${JSON.stringify(name)}; there are: ${list}`;
  return { status: 404, code: "match/unknown-room", message };
}

/** Too much of it at once. */
export function busy(message: string): MatchRefusal {
  return { status: 429, code: "match/rate-limited", message };
}

/** There is no room for more. */
export function full(status: number, message: string): MatchRefusal {
  return { status, code: "match/full", message };
}

/** The log has the error; a stranger does not learn it. */
export const ROOM_FAILED = "the room failed; the server's log has the error";

/** A room whose authority threw while it was opened. */
export const roomFailed: MatchRefusal = { status: 500, code: "match/room-failed", message: ROOM_FAILED };
