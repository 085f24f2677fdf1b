import { isFields } from "../bytes/fields.js";
import { encodeUtf8 } from "../bytes/utf8.js";
import { plainDataProblem } from "../bytes/plain-data.js";
import type { ErrorCode } from "../errors/error-codes.js";
import { ConfigError } from "../errors/errors.js";

/** The ways to request a seat, by `POST /match/METHOD/TARGET` or in the upgrade of a link. */
export const matchMethods = ["joinOrCreate", "create", "join", "joinById", "reconnect"] as const;
/** One of {@link matchMethods}. */
export type MatchMethod = (typeof matchMethods)[number];

/** Path of links if the answer to a match request names no other. */
export const LINK_PATH = "/link";

/** Options that separate rooms of one name: only players with equal options meet. */
export type RoomOptions = Readonly<Record<string, string | number | boolean>>;

const MAX_OPTIONS = 16;
const MAX_OPTION_NAME_CHARACTERS = 64;
const MAX_OPTION_CHARACTERS = 256;
/** Names and values as UTF-8 text. The welcome has the options and the room's peers in one packet. */
const MAX_OPTIONS_BYTES = 4096;

/** Returns the error of options that no room can have. Never throws on data that came as JSON. */
export function optionsProblem(options: unknown): ConfigError | undefined {
  if (!isFields(options)) return new ConfigError("options", options, "an object");
  const entries = Object.entries(options);
  if (entries.length > MAX_OPTIONS)
    return new ConfigError("options", `${entries.length} entries`, `at most ${MAX_OPTIONS} entries`);
  for (const [key, value] of entries) {
    const problem = optionProblem(key, value);
    if (problem) return problem;
  }
  const problem = plainDataProblem(options, "options");
  if (problem) return problem;
  // Not the exact bytes on the wire: the encoder of messages is no part of a page's first download.
  const { length } = encodeUtf8(entries.flat().join(""));
  if (length <= MAX_OPTIONS_BYTES) return undefined;
  return new ConfigError(
    "options",
    `${length} bytes`,
    `at most ${MAX_OPTIONS_BYTES} bytes of names and values`,
  );
}

function optionProblem(key: string, value: unknown): ConfigError | undefined {
  if (key === "" || key.length > MAX_OPTION_NAME_CHARACTERS)
    return new ConfigError("options", key, `names of 1 to ${MAX_OPTION_NAME_CHARACTERS} characters`);
  const field = `options.${key}`;
  if (typeof value !== "string") {
    const isPlain = typeof value === "boolean" || Number.isFinite(value);
    return isPlain ? undefined : new ConfigError(field, value, "text, a finite number or a boolean");
  }
  if (value.length <= MAX_OPTION_CHARACTERS) return undefined;
  const expected = `text of at most ${MAX_OPTION_CHARACTERS} characters`;
  return new ConfigError(field, `${value.length} characters`, expected);
}

/** A group of friends who join one room together, however full other rooms are. */
export interface Group {
  /** The group's secret, 1 to 128 characters. */
  readonly key: string;
  /** Size of the group, 1 to 64. The room keeps places for members who arrive some seconds later. */
  readonly size: number;
}

export const MAX_GROUP_SIZE = 64;
/** Longest key of a group, and longest id and secret of a session. */
export const MAX_MATCH_TOKEN_CHARACTERS = 128;

/** A seat that this browser tab had before. The client takes it again if the session still has it. */
export interface SeatClaim {
  readonly session: string;
  /** Secret. */
  readonly token: string;
  /** True: take the seat only if the session has no link, because another page may use it. */
  readonly ifAway: boolean;
  /**
   * Id of the next reliable message that the page lacks of the session. A server that has restored the room sends it the
   * messages from there on.
   */
  readonly received?: number | undefined;
}

/** The body of a match request, as JSON. In the upgrade of a link, `method` and `target` are added to it. */
export interface MatchBody {
  readonly version: number;
  readonly options: RoomOptions;
  /** True if the client can and may open direct links. */
  readonly webrtc: boolean;
  /** The secret of the session that `reconnect` replaces; empty or absent for other methods. */
  readonly token?: string | undefined;
  /** Proof of the player's identity, for the authority of a room. */
  readonly authToken?: string | undefined;
  readonly group?: Group | undefined;
  /** True to join as a spectator. */
  readonly spectate?: boolean | undefined;
  /** The build of the client's game; absent if the game names none. */
  readonly build?: string | undefined;
  readonly seat?: SeatClaim | undefined;
}

/** A seat that the server keeps for some seconds. */
export interface MatchedSeat {
  readonly ticket: string;
  readonly roomId: string;
  readonly roomName: string;
  readonly sessionId: string;
  /** Proof of identity that the client sends with its next request. */
  readonly identity?: string;
}

/** The answer to a granted match request. */
export interface MatchAnswer extends MatchedSeat {
  readonly version: number;
  readonly linkPath: string;
}

/** A room that is open to join. */
export interface RoomListing {
  readonly roomId: string;
  readonly roomName: string;
  /** Players, and places kept for expected players. */
  readonly players: number;
  readonly maxPlayers: number;
  readonly spectators: number;
  /** The options that separate it from other rooms of its name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The room's metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The answer to `POST /match/list/NAME`. */
export interface ListAnswer {
  readonly version: number;
  readonly rooms: readonly RoomListing[];
}

/** Error codes of a refused match request. */
export const matchRefusalCodes = [
  "match/unknown-room",
  "match/not-found",
  "match/full",
  "match/outdated",
  "match/bad-request",
  "match/refused",
  "match/unauthorized",
  "match/auth-unavailable",
  "match/room-failed",
  "match/rate-limited",
  "session/origin",
  "session/version",
] as const satisfies readonly ErrorCode[];

type MatchRefusalCode = (typeof matchRefusalCodes)[number];

/** The reason for refusing a match request. `status`: the HTTP status, if the request came over HTTP. */
export interface MatchRefusal {
  readonly status: number;
  readonly code: MatchRefusalCode;
  readonly message: string;
}

/** The answer to a refused match request, with an HTTP status of 400 or above. */
export interface RefusalAnswer {
  readonly error: Omit<MatchRefusal, "status">;
}

/** Limit of characters of the name of a game's build, which a match request carries. */
const MAX_BUILD_CHARACTERS = 64;

/** Returns true if a value can name a build: 1 to 64 letters, digits, and `. + - _`. */
export function isBuild(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_BUILD_CHARACTERS && /^[\w.+-]+$/.test(value);
}
