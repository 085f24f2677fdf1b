import type { MatchRefusal } from "./match-request.js";

/** Nothing like it is open. */
export function notFound(message: string): MatchRefusal {
  return { status: 404, code: "match/not-found", message };
}

/** No kind of room has this name. */
export function unknownKind(name: string): MatchRefusal {
  const message = `there is no kind of room named ${JSON.stringify(name)}`;
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
export const roomFailed: MatchRefusal = {
  status: 500,
  code: "match/room-failed",
  message: "the room failed",
};
