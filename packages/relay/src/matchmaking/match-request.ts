import {
  MAX_GROUP_SIZE,
  MAX_MATCH_TOKEN_CHARACTERS,
  PROTOCOL_VERSION,
  isBuild,
  matchMethods,
  optionsProblem,
  type Group,
  type MatchBody,
  type MatchMethod,
  type MatchRefusal,
  type RoomOptions,
  type SeatClaim,
} from "@paceline/protocol";
import { busy } from "./match-refusals.js";

/** A match request after the checks. */
export interface MatchRequest extends Omit<MatchBody, "version" | "token"> {
  readonly method: MatchMethod;
  /** A kind of room; for `joinById` the id or code of a room, for `reconnect` the id of a session. */
  readonly target: string;
  readonly token: string;
  /** Number of the next message that a returning page lacks: see {@link SeatClaim.received}. */
  readonly received?: number | undefined;
}

const MAX_AUTH_CHARACTERS = 3000;
const SEAT_WORDS = `seat must have a session and a token of 1 to ${MAX_MATCH_TOKEN_CHARACTERS} characters, and ifAway`;
const GROUP_WORDS = `group must be a key of 1 to ${MAX_MATCH_TOKEN_CHARACTERS} characters and a size of 1 to ${MAX_GROUP_SIZE}`;

const otherVersion: MatchRefusal = {
  status: 400,
  code: "session/version",
  message: `this server speaks version ${PROTOCOL_VERSION} of the protocol: update the older of the two`,
};

/** Readers of the optional fields of a body, and the words about a value that a reader refuses. */
const readers: Readonly<Record<string, readonly [(value: unknown) => unknown, string]>> = {
  webrtc: [flagOf, "webrtc must be true or false"],
  spectate: [flagOf, "spectate must be true or false"],
  token: [
    (value) => textOf(value, MAX_MATCH_TOKEN_CHARACTERS),
    `token must be text of at most ${MAX_MATCH_TOKEN_CHARACTERS} characters`,
  ],
  authToken: [
    (value) => textOf(value, MAX_AUTH_CHARACTERS),
    `authToken must be text of at most ${MAX_AUTH_CHARACTERS} characters`,
  ],
  build: [
    (value) => (isBuild(value) ? value : undefined),
    "build must be 1 to 64 letters, digits and . + - _",
  ],
  group: [groupOf, GROUP_WORDS],
  seat: [seatOf, SEAT_WORDS],
};

/**
 * Returns the options and capabilities in the body of a match request, or a refusal that names the mistake.
 */
export function readMatchBody(body: unknown): Wish | MatchRefusal {
  if (!isFields(body)) return malformed("the body must be a JSON object");
  const { version, options = {} } = body;
  if (version !== PROTOCOL_VERSION) return otherVersion;
  const problem = optionsProblem(options);
  if (problem) return malformed(problem.message);
  const wish: Record<string, unknown> = { options, webrtc: false, token: "", authToken: "", spectate: false };
  for (const [name, [read, words]] of Object.entries(readers)) {
    if (body[name] === undefined) continue;
    wish[name] = read(body[name]);
    if (wish[name] === undefined) return malformed(words);
  }
  return wish as unknown as Wish;
}

type Wish = Omit<MatchRequest, "method" | "target">;

/** The refusal of an unknown method or an empty target. */
export const noSuchMethod: MatchRefusal = {
  status: 404,
  code: "match/bad-request",
  message: `use /match/METHOD/NAME, METHOD being one of ${matchMethods.join(", ")}`,
};

/** The refusal of an address with too many match requests. */
export const tooManyMatches = busy("too many match requests from this address");

/** Returns true if the text names a match method. */
export function isMethod(text: unknown): text is MatchMethod {
  return (matchMethods as readonly unknown[]).includes(text);
}

/** Reads a match request in the upgrade of a link: base64url of JSON, the body with `method` and `target`. */
export function readJoinCredential(credential: string, maxBytes: number): MatchRequest | MatchRefusal {
  const json = Buffer.from(credential, "base64url");
  // Node decodes more than base64url: padding, spaces, the plain alphabet.
  if (json.toString("base64url") !== credential) return malformed("the match request is no base64url");
  if (json.length > maxBytes)
    return malformed(`the match request has ${json.length} bytes, of at most ${maxBytes}`);
  const body = parsedJson(json, "the match request");
  if (isRefusal(body)) return body;
  const wish = readMatchBody(body.value);
  if (isRefusal(wish)) return wish;
  const { method, target } = body.value as Readonly<Record<string, unknown>>;
  // `reconnect` carries a session's secret, which belongs in a body: headers end up in logs.
  if (!isMethod(method) || method === "reconnect" || typeof target !== "string" || target === "")
    return noSuchMethod;
  return { method, target, ...wish };
}

/** Returns the same text for equal options, in any order of their keys. */
export function canonicalOptions(options: RoomOptions): string {
  const entries = Object.entries(options);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns true if the value is a refusal. */
export function isRefusal(value: object): value is MatchRefusal {
  return "status" in value && "code" in value;
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function textOf(value: unknown, max: number, min = 0): string | undefined {
  return typeof value === "string" && value.length >= min && value.length <= max ? value : undefined;
}

/** Returns the group in a request, or undefined if it is malformed. */
export function groupOf(value: unknown): Group | undefined {
  if (!isFields(value)) return undefined;
  const key = textOf(value.key, MAX_MATCH_TOKEN_CHARACTERS, 1);
  const size = Number.isInteger(value.size) ? (value.size as number) : 0;
  return key !== undefined && size >= 1 && size <= MAX_GROUP_SIZE ? { key, size } : undefined;
}

function seatOf(value: unknown): SeatClaim | undefined {
  if (!isFields(value)) return undefined;
  const session = textOf(value.session, MAX_MATCH_TOKEN_CHARACTERS, 1);
  const token = textOf(value.token, MAX_MATCH_TOKEN_CHARACTERS, 1);
  const ifAway = flagOf(value.ifAway);
  const received = value.received as number | undefined;
  const isNumber =
    received === undefined || (Number.isInteger(received) && received >= 0 && received <= 0xffff);
  const isWhole = session !== undefined && token !== undefined && ifAway !== undefined && isNumber;
  return isWhole ? { session, token, ifAway, ...(received !== undefined && { received }) } : undefined;
}

/** Returns the refusal of a request that the relay cannot read. */
export function malformed(message: string, status = 400): MatchRefusal {
  return { status, code: "match/bad-request", message };
}

/** Returns the value of JSON in UTF-8, or a refusal that says what is none. */
export function parsedJson(bytes: Uint8Array, what: string): { readonly value: unknown } | MatchRefusal {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown };
  } catch {
    return malformed(`${what} is not JSON in UTF-8`);
  }
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
