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

/** Answers `POST /match/METHOD/TARGET` with a seat, or with the reason for a refusal. */
export class MatchHandler {
  readonly #settings: RelaySettings;
  readonly #registry: SessionRegistry;
  readonly #buckets: AddressBuckets;

  /** `buckets`: counts the match requests of an address, shared with the upgrade handler. */
  constructor(settings: RelaySettings, registry: SessionRegistry, buckets: AddressBuckets) {
    this.#settings = settings;
    this.#registry = registry;
    this.#buckets = buckets;
  }

  /** Answers a match request. `path` is the part after `/match/`. */
  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { origin } = request.headers;
    response.setHeader("Vary", "Origin");
    const refusal = this.#settings.origins.refusalOf(request.headers);
    if (refusal) {
      this.#settings.counters.count("matchRefusals", "session/origin");
      return answer(response, { ...refusal, code: "session/origin" });
    }
    if (origin !== undefined) response.setHeader("Access-Control-Allow-Origin", origin);
    if (request.method === "OPTIONS") return preflight(response);
    if (request.method !== "POST") {
      response.setHeader("Allow", "POST, OPTIONS");
      return answer(response, { status: 405, code: "match/bad-request", message: "use POST" });
    }
    if (!this.#buckets.take(this.#settings.addressOf(request))) {
      response.setHeader("Retry-After", "1");
      this.#settings.counters.count("matchRefusals", "match/rate-limited");
      this.#settings.counters.count("limited", "matchesPerAddress");
      return answer(response, tooManyMatches);
    }
    const result = await this.#match(request, path);
    const { counters } = this.#settings;
    if (isRefusal(result)) counters.count("matchRefusals", result.code);
    else counters.count("seats", path.split("/", 1)[0]!);
    answer(response, result);
  }

  async #match(request: IncomingMessage, path: string): Promise<MatchRefusal | MatchAnswer | ListAnswer> {
    const { bodyBytes, bodyDeadlineMs } = this.#settings.limits;
    const { scheduler } = this.#settings;
    const body = await readJsonBody(request, { maxBytes: bodyBytes, deadlineMs: bodyDeadlineMs, scheduler });
    if (isRefusal(body)) return body;
    const wish = readMatchBody(body.value);
    if (isRefusal(wish)) return wish;
    const [method = "", target = "", ...more] = path.split("/");
    if (method === "list" && target !== "" && more.length === 0) {
      const rooms = this.#registry.list(decoded(target), wish);
      return isRefusal(rooms) ? rooms : { version: PROTOCOL_VERSION, rooms };
    }
    if (!isMethod(method) || target === "" || more.length > 0) return noSuchMethod;
    const caller = { address: this.#settings.addressOf(request), headers: request.headers };
    const seat = await this.#registry.match({ method, target: decoded(target), ...wish }, caller);
    return isRefusal(seat) ? seat : { version: PROTOCOL_VERSION, ...seat, linkPath: LINK_PATH };
  }
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
