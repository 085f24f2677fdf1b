import type { IncomingMessage, ServerResponse } from "node:http";
import {
  LINK_PATH,
  PROTOCOL_VERSION,
  type ListAnswer,
  type MatchAnswer,
  type RefusalAnswer,
  type MatchRefusal,
} from "@paceline/protocol";
import type { AddressBuckets } from "./limits/address-buckets.js";
import { readJsonBody } from "./matchmaking/json-body.js";
import type { SessionRegistry } from "./session-registry.js";
import {
  isMethod,
  isRefusal,
  noSuchMethod,
  readMatchBody,
  tooManyMatches,
} from "./matchmaking/match-request.js";
import type { RelaySettings } from "./options/relay-options.js";

/** A browser may cache the answer to a preflight request for this time. */
const PREFLIGHT_LIFETIME_S = 7200;

/** The parts of a relay that answer match requests. */
export interface MatchParts {
  readonly settings: RelaySettings;
  readonly registry: SessionRegistry;
  /** Counts the match requests of an address, shared with the upgrade handler. */
  readonly matches: AddressBuckets;
}

/**
 * Answers `POST /match/METHOD/TARGET` with a seat, or with the reason for a refusal. `path` is the part after
 * `/match/`.
 */
export async function answerMatch(
  parts: MatchParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const { origins, counters, addressOf } = parts.settings;
  const { origin } = request.headers;
  response.setHeader("Vary", "Origin");
  // A refused page may read the reason, as it may read that of a refused upgrade.
  if (origin !== undefined) response.setHeader("Access-Control-Allow-Origin", origin);
  const refusal = origins.refusalOf(request);
  if (refusal && request.method === "OPTIONS") return preflight(response);
  if (refusal) {
    counters.count("matchRefusals", refusal.code);
    return answer(response, refusal);
  }
  if (request.method === "OPTIONS") return preflight(response);
  if (request.method !== "POST") {
    response.setHeader("Allow", "POST, OPTIONS");
    return answer(response, { status: 405, code: "match/bad-request", message: "use POST" });
  }
  if (!parts.matches.take(addressOf(request))) {
    response.setHeader("Retry-After", "1");
    counters.count("matchRefusals", "match/rate-limited");
    counters.count("limited", "matchesPerAddress");
    return answer(response, tooManyMatches);
  }
  // Node destroys the response once it has read the end of the client's connection.
  const isGone = (): boolean => response.destroyed;
  await new Promise<void>((resolve) => parts.registry.pauses.obey(resolve));
  const result = await resultOf(parts, request, path, isGone);
  if (isGone()) {
    if ("ticket" in result) parts.registry.seats.withdraw(result.ticket);
    return;
  }
  if (isRefusal(result)) counters.count("matchRefusals", result.code);
  else counters.count("seats", path.split("/", 1)[0]!);
  answer(response, result);
}

async function resultOf(
  { settings, registry }: MatchParts,
  request: IncomingMessage,
  path: string,
  isGone: () => boolean,
): Promise<MatchRefusal | MatchAnswer | ListAnswer> {
  const { scheduler, limits, addressOf } = settings;
  const { bodyBytes: maxBytes, bodyDeadlineMs: deadlineMs } = limits;
  const body = await readJsonBody(request, { maxBytes, deadlineMs, scheduler });
  if (isRefusal(body)) return body;
  const wish = readMatchBody(body.value);
  if (isRefusal(wish)) return wish;
  const [method = "", target = "", ...more] = path.split("/");
  if (target === "" || more.length > 0) return noSuchMethod;
  if (method === "list") {
    const rooms = registry.rooms.list(decoded(target), wish);
    return isRefusal(rooms) ? rooms : { version: PROTOCOL_VERSION, rooms };
  }
  if (!isMethod(method)) return noSuchMethod;
  const caller = { address: addressOf(request), headers: request.headers };
  const seat = await registry.match({ method, target: decoded(target), ...wish }, caller, isGone);
  return isRefusal(seat) ? seat : { version: PROTOCOL_VERSION, ...seat, linkPath: LINK_PATH };
}

/** Writes JSON. A refusal closes the connection, since the body of the request may be unread. */
function answer(response: ServerResponse, result: MatchRefusal | MatchAnswer | ListAnswer): void {
  if (response.destroyed || response.headersSent) return;
  const refusal = isRefusal(result) ? result : undefined;
  const error: RefusalAnswer | undefined = refusal && {
    error: { code: refusal.code, message: refusal.message },
  };
  if (refusal) response.setHeader("Connection", "close");
  response.setHeader("Cache-Control", "no-store");
  response.writeHead(refusal?.status ?? 200, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(error ?? result));
}

function preflight(response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Methods", "POST");
  response.setHeader("Access-Control-Allow-Headers", "Content-Type");
  response.setHeader("Access-Control-Max-Age", String(PREFLIGHT_LIFETIME_S));
  response.writeHead(204).end();
}

/** Returns text that is no valid escape unchanged: it names no room. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
