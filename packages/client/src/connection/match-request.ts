import {
  ConfigError,
  LINK_PATH,
  MAX_GROUP_SIZE,
  MAX_MATCH_TOKEN_CHARACTERS,
  NetError,
  PROTOCOL_VERSION,
  encodeUtf8,
  matchRefusalCodes,
  optionsProblem,
  type Group,
  type MatchAnswer,
  type MatchBody,
  type MatchMethod,
  type RefusalAnswer,
  type RoomOptions,
  type SeatClaim,
  checkKeys,
} from "@paceline/protocol";
import { afterOwnTime, checkBoolean, type Scheduler } from "@paceline/transport";
import { assertSignal, anySignal } from "./abortable.js";
import type { Credentials } from "./credentials.js";
import { whoOf } from "./tab-seat.js";

/** Fields that an answer should have, with unchecked values. */
export type Unchecked<Answer> = { readonly [Name in keyof Answer]?: unknown };

export type JoinMethod = MatchMethod | "list";

/** A game's call to join a room or to list rooms. */
export interface JoinCall {
  readonly method: JoinMethod;
  /** Name of the kind of room; for `joinById` the room's id, for `reconnect` the session's. */
  readonly target: string;
  readonly options: RoomOptions;
  /** The session's secret, for `reconnect`. */
  readonly token?: string;
  /** Proof of the player's identity, for a room's authority. */
  readonly credentials?: Credentials | undefined;
  readonly build?: string | undefined;
  readonly terms?: JoinTerms | undefined;
  /** Ticket of a seat that the server has already given. */
  readonly ticket?: string;
  /** Earlier seat of this tab, to take again if the server still has it. */
  readonly seat?: OwnSeat | undefined;
}

/** An earlier seat of this tab. */
export interface OwnSeat extends SeatClaim {
  /** Fingerprint of the player's credentials; see `whoOf`. */
  readonly who: string;
}

/** Terms of a request for a seat. */
export interface JoinTerms {
  /** Players who join together: all members of a group get into the same room. */
  readonly group?: Group;
  /** True for a spectator, who receives everything, perhaps later than players, and sends nothing. */
  readonly spectate?: boolean;
  /**
   * Aborts the join: the promise rejects with the signal's reason, and no player stays in the room. Has no
   * effect once the room is joined.
   */
  readonly signal?: AbortSignal;
}

/** A seat that the server keeps for some seconds. */
export interface Seat {
  readonly ticket: string;
  readonly roomName: string;
  readonly linkUrl: string;
}

export interface MatchRequest {
  /** http(s) address of the server, without a slash at its end. */
  readonly serverUrl: string;
  readonly call: JoinCall;
  readonly webrtc: boolean;
  /** Time limit of the answer while this page's loop runs, ms. */
  readonly timeoutMs: number;
  readonly scheduler: Pick<Scheduler, "after">;
  readonly signal?: AbortSignal | undefined;
}

/** Requests a seat from the server. Rejects with {@link NetError}. */
export async function requestSeat(request: MatchRequest): Promise<Seat> {
  const answer = await askServer(request);
  const { identity }: Unchecked<MatchAnswer> = fieldsOf(answer);
  if (typeof identity === "string") request.call.credentials?.keep(identity);
  return seatOf(answer, request.serverUrl);
}

/** Requests an answer from the server. Rejects with {@link NetError} if it refuses or is unreachable. */
export function askServer(request: MatchRequest): Promise<unknown> {
  const deadline = new AbortController();
  const cancel = afterOwnTime(request.scheduler, request.timeoutMs, () => deadline.abort());
  return answerOf(request, anySignal(deadline.signal, request.signal)).finally(cancel);
}

async function answerOf({ serverUrl, call, webrtc }: MatchRequest, signal: AbortSignal): Promise<unknown> {
  const url = `${serverUrl}/match/${call.method}/${encodeURIComponent(call.target)}`;
  const { options, token, credentials, build, terms } = call;
  const authToken = await credentials?.token(signal);
  const seat = claimOf(call);
  const wish: MatchBody = {
    version: PROTOCOL_VERSION,
    options,
    webrtc,
    token,
    authToken,
    seat,
    build,
    ...terms,
  };
  const body = JSON.stringify(wish);
  let response: Response | undefined;
  let answer: unknown;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal,
    });
    answer = await response.json();
  } catch (cause) {
    // The answer is not JSON: it comes from a proxy or from another kind of server.
    if (!response || !(cause instanceof SyntaxError)) {
      throw new NetError(
        "match/unreachable",
        `no answer from ${serverUrl}: start the server, or check address and port`,
        { retryable: true, cause },
      );
    }
  }
  if (!response.ok) throw refusalOf(answer, response.status);
  return answer;
}

/** Returns the seat to claim, or undefined if there is none or another player had it. */
function claimOf({ seat, credentials }: JoinCall): SeatClaim | undefined {
  if (!seat || seat.who !== whoOf(credentials)) return undefined;
  const { session, token, ifAway, received } = seat;
  return { session, token, ifAway, received };
}

/**
 * Returns the server's http(s) address, without a slash at its end, from an http, https, ws or wss address.
 */
export function serverUrlOf(endpoint: unknown): string {
  const expected = "an http(s) or ws(s) address such as https://play.example.com";
  const url = typeof endpoint === "string" && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const schemes = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" };
  const scheme = schemes[url?.protocol as keyof typeof schemes];
  if (!url || !scheme) throw new ConfigError("endpoint", endpoint, expected);
  return `${scheme}//${url.host}${url.pathname}`.replace(/\/+$/, "");
}

export function linkUrlOf(serverUrl: string, linkPath = LINK_PATH): string {
  return serverUrl.replace(/^http/, "ws") + linkPath;
}

/** Limit of a join in a header, because servers and proxies limit headers. A longer call goes by HTTP. */
const MAX_CREDENTIAL_CHARACTERS = 4096;

/** Returns the call as a subprotocol of the link, or undefined if it must be an HTTP request. */
export function joinCredential(call: JoinCall, webrtc: boolean): string | undefined {
  if (call.ticket !== undefined) return `ticket.${call.ticket}`;
  // Secrets belong into a request's body: headers end up in logs.
  if (call.token !== undefined || call.credentials || call.seat) return undefined;
  const { method, target, options, build, terms } = call;
  const wish: MatchBody = { version: PROTOCOL_VERSION, options, webrtc, build, ...terms };
  const credential = `join.${base64UrlOf({ method, target, ...wish })}`;
  return credential.length <= MAX_CREDENTIAL_CHARACTERS ? credential : undefined;
}

function base64UrlOf(value: object): string {
  const base64 = btoa(String.fromCharCode(...encodeUtf8(JSON.stringify(value))));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the value of {@link base64UrlOf}, or undefined if the text is something else. */
function valueOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return fieldsOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Returns the refusal in the reason of a link's close: a code, a space and a message. */
export function matchRefusal(reason: string): NetError {
  const [code, ...words] = reason.split(" ");
  return netError(code, words.join(" ") || "no seat");
}

/** Refusals after which the same request may succeed. */
const passingRefusals: ReadonlySet<unknown> = new Set([
  "match/full",
  "match/not-found",
  "match/rate-limited",
  "match/auth-unavailable",
  "match/room-failed",
]);

/** @param isBusy true if the status of an unknown answer, perhaps of a proxy, says that a later one may differ */
function netError(code: unknown, message: string, isBusy = false): NetError {
  const known = matchRefusalCodes.find((each) => each === code);
  const retryable = known ? passingRefusals.has(known) : isBusy;
  return new NetError(known ?? "match/bad-answer", message, { retryable });
}

function refusalOf(answer: unknown, status: number): NetError {
  const { error }: Unchecked<RefusalAnswer> = fieldsOf(answer);
  const { code, message }: Unchecked<RefusalAnswer["error"]> = fieldsOf(error);
  const words =
    typeof message === "string"
      ? message
      : `the server answered with status ${status}, not as Paceline does: check address, port and proxy`;
  return netError(code, words, status === 429 || status >= 500);
}

function seatOf(answer: unknown, serverUrl: string): Seat {
  const { version, ticket, roomName, linkPath }: Unchecked<MatchAnswer> = fieldsOf(answer);
  if (typeof version === "number" && version !== PROTOCOL_VERSION) {
    throw new NetError(
      "session/version",
      `the server speaks version ${version}, not ${PROTOCOL_VERSION}: update the older of the two`,
    );
  }
  const isComplete =
    version === PROTOCOL_VERSION &&
    typeof ticket === "string" &&
    typeof roomName === "string" &&
    typeof linkPath === "string";
  // A WebSocket accepts neither a fragment in its address nor a subprotocol that is not an HTTP token.
  if (!isComplete || !/^\/[^\s#]*$/.test(linkPath) || !/^[\w.-]{1,1024}$/.test(ticket)) {
    throw new NetError("match/bad-answer", "the server's answer is not a seat");
  }
  return { ticket, roomName, linkUrl: linkUrlOf(serverUrl, linkPath) };
}

/** Returns the fields of an answer; none if it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/**
 * Returns the token with which another page takes over a session: its id, its secret, and what the player gave.
 * The other page needs the last part if it has to join again, because the server has restarted.
 */
export function reconnectionTokenOf(sessionId: string, secret: string, { options, terms }: JoinCall): string {
  const group = terms?.group;
  const isPlain = Object.keys(options).length === 0 && !group;
  return `${sessionId}.${secret}${isPlain ? "" : `.${base64UrlOf({ options, group })}`}`;
}

/** Returns the call that takes over an earlier session. Throws {@link ConfigError} for a malformed token. */
export function reconnectCall(reconnectionToken: unknown): JoinCall {
  const parts =
    typeof reconnectionToken === "string"
      ? /^([\w-]{1,64})\.([\w-]{1,128})(?:\.([\w-]+))?$/.exec(reconnectionToken)
      : null;
  const given = parts?.[3] === undefined ? {} : valueOf(parts[3]);
  if (!parts || !given) {
    throw new ConfigError("reconnectionToken", reconnectionToken, "what room.reconnectionToken said");
  }
  const { options, group } = given as { readonly options?: unknown; readonly group?: Group };
  return { ...checkedCall("reconnect", parts[1], options, group && { group }), token: parts[2]! };
}

/** Checks a call of the game before anything is sent. Leaves out the signal, which is not for the server. */
export function checkedCall(
  method: JoinMethod,
  target: unknown,
  options: unknown = {},
  terms?: JoinTerms,
): JoinCall {
  const field = method === "joinById" ? "roomId" : "roomName";
  if (typeof target !== "string" || !/^[\w-]{1,64}$/.test(target)) {
    throw new ConfigError(field, target, "1 to 64 letters, digits, - or _");
  }
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ConfigError("options", options, "an object");
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const problem = optionsProblem(given);
  if (problem) throw problem;
  const call = { method, target, options: given as RoomOptions };
  return terms === undefined ? call : { ...call, terms: checkedTerms(terms) };
}

function checkedTerms(terms: JoinTerms): JoinTerms {
  checkKeys("terms", terms, ["group", "spectate", "signal"]);
  const { group, spectate = false, signal } = terms;
  assertSignal(signal);
  checkBoolean("spectate", spectate);
  if (group !== undefined) checkGroup(group);
  return { ...(group && { group }), spectate };
}

function checkGroup(group: Group): void {
  checkKeys("group", group, ["key", "size"]);
  const { key, size } = group as { readonly key: unknown; readonly size: unknown };
  if (
    typeof key === "string" &&
    isBetween(key.length, MAX_MATCH_TOKEN_CHARACTERS) &&
    isBetween(size, MAX_GROUP_SIZE)
  )
    return;
  throw new ConfigError("group", group, "a key of 1 to 128 characters and a size of 1 to 64");
}

function isBetween(count: unknown, max: number): boolean {
  return Number.isInteger(count) && Number(count) >= 1 && Number(count) <= max;
}
