import type { ErrorCode } from "./errors/error-codes.js";

/** The ways to ask for a seat: `POST /match/METHOD/TARGET`, or in the upgrade of a link. */
export const matchMethods = ["joinOrCreate", "create", "join", "joinById", "reconnect"] as const;
/** One of those ways. */
export type MatchMethod = (typeof matchMethods)[number];

/** Path of links, unless the answer to a match request names another one. */
export const LINK_PATH = "/link";

/** Options that separate rooms of one name: players with equal options meet. */
export type RoomOptions = Readonly<Record<string, string | number | boolean>>;

/** Friends who come into one room, however full others are. */
export interface Group {
  /** The group's secret, 1 to 128 characters. */
  readonly key: string;
  /** Size of the group, 1 to 64: the room keeps places for members that come some seconds later. */
  readonly size: number;
}

export const MAX_GROUP_SIZE = 64;
/** Limits a group's key, and a session's id and secret. */
export const MAX_MATCH_TOKEN_CHARACTERS = 128;

/** A seat that a page's tab has had, to take again where its session still has it. */
export interface SeatClaim {
  readonly session: string;
  /** Secret. */
  readonly token: string;
  /** Only if the session has no link: the page cannot know whether another page uses the seat. */
  readonly ifAway: boolean;
}

/** The body of a match request, as JSON. In the upgrade of a link, `method` and `target` stand beside it. */
export interface MatchBody {
  readonly version: number;
  readonly options: RoomOptions;
  /** Whether the client can and may open direct links. */
  readonly webrtc: boolean;
  /** The secret of the session that `reconnect` takes the place of; empty or absent for other methods. */
  readonly token?: string | undefined;
  /** Proof of who the player is, for the authority of a room. */
  readonly authToken?: string | undefined;
  readonly group?: Group | undefined;
  /** To watch only. */
  readonly spectate?: boolean | undefined;
  /** The build of the client's game; absent: it names none. */
  readonly build?: string | undefined;
  readonly seat?: SeatClaim | undefined;
}

/** A seat that the server keeps for some seconds. */
export interface MatchedSeat {
  readonly ticket: string;
  readonly roomId: string;
  readonly roomName: string;
  readonly sessionId: string;
  /** The proof that the client shows the next time. */
  readonly identity?: string;
}

/** The answer to a match request that is granted. */
export interface MatchAnswer extends MatchedSeat {
  readonly version: number;
  readonly linkPath: string;
}

/** A room that somebody may join. */
export interface RoomListing {
  readonly roomId: string;
  readonly roomName: string;
  /** Players and places that are kept for some. */
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

export type MatchRefusalCode = (typeof matchRefusalCodes)[number];

/** Why there is no seat. `status`: that of HTTP, where the request came so. */
export interface MatchRefusal {
  readonly status: number;
  readonly code: MatchRefusalCode;
  readonly message: string;
}

/** The answer to a match request that is refused, with a status of 400 or above. */
export interface RefusalAnswer {
  readonly error: Omit<MatchRefusal, "status">;
}
