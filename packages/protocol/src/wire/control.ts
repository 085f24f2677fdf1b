import { limits } from "../limits.js";
import { isBuild } from "./match.js";
import {
  anything,
  boolean,
  bytesOf,
  ifValid,
  listOf,
  number16,
  number32,
  oneOf,
  optional,
  shape,
  text,
  wholeOf,
  type Reader,
  messageReader,
} from "../bytes/shape.js";
import { isFields } from "../bytes/fields.js";

/** A participant as the others see it. */
export interface PeerInfo {
  /** Number of 16 bits, assigned by the server, used once during the life of the room. */
  readonly number: number;
  readonly id: string;
  /** True if it can and may open direct links. */
  readonly webrtc: boolean;
  /** The player's number if it is not `number`: a reload keeps the player's number, but begins a session. */
  readonly seat?: number;
  /** Present if the participant has no link to the server. */
  readonly away?: true;
}

/** A STUN or TURN server, as RTCPeerConnection takes it. */
export interface IceServer {
  readonly urls: string;
  readonly username?: string;
  readonly credential?: string;
}

/** The kinds of states and inputs of a room with an authority, sent to a newcomer. */
export interface AuthorityInfo {
  /** Steps per second of the authority's simulation, 1 to 255. */
  readonly tickHz: number;
  /** Kinds of entities. States refer to them by index. */
  readonly kinds: readonly KindInfo[];
  /** Hash of the inputs' definition; 0 if the room takes no inputs. */
  readonly inputHash: number;
}

/** The name of a kind of entity, and the hash of everything that both sides must agree on. */
export interface KindInfo {
  readonly name: string;
  readonly schemaHash: number;
}

/** Messages from the server to a participant. */
export type ServerMessage =
  | {
      readonly type: "welcome";
      readonly sessionId: string;
      /** Secret that claims this session's seat for a new session. */
      readonly token: string;
      /** Secret that continues this session over another link, once. */
      readonly resumeToken: string;
      readonly number: number;
      /** See {@link PeerInfo.seat}. */
      readonly seat?: number;
      readonly roomId: string;
      readonly roomName: string;
      /** The options that the room was opened with. A request with the same options finds a similar room. */
      readonly options: Readonly<Record<string, string | number | boolean>>;
      readonly peers: readonly PeerInfo[];
      readonly iceServers: readonly IceServer[];
      /** Present if the room has an authority. */
      readonly authority?: AuthorityInfo | undefined;
      /** The authority's tick in full: its packets carry the low 16 bits. */
      readonly tick?: number | undefined;
      /** Present if the receiver is a spectator. */
      readonly spectator?: boolean;
      /** Number of full rooms of this kind, if the receiver asked for any room of the kind. */
      readonly fullRooms?: number;
      /** The build of the game that the server serves; absent if it names none. */
      readonly build?: string | undefined;
      /**
       * Present if the room was restored after a crash, and the seat's last session could not go on. Id of the next
       * reliable message that the room lacks of that session: the client sends its messages from there on again.
       */
      readonly restored?: number | undefined;
    }
  /** New TURN credentials, sent before the old ones expire. */
  | { readonly type: "iceServers"; readonly iceServers: readonly IceServer[] }
  /** Replaces the used resume token. `build`: that of the server, if it may have changed. */
  | {
      readonly type: "resumed";
      readonly resumeToken: string;
      readonly tick?: number | undefined;
      readonly build?: string | undefined;
    }
  /** Answers `stripe`. The ticket opens one more socket for states, once and within seconds. */
  | { readonly type: "stripe"; readonly ticket: string }
  /** The server shuts down. Clients join again at that address. */
  | { readonly type: "moving"; readonly endpoint: string }
  /** The server accepts no newcomers, and ends its sessions after at most this time. */
  | { readonly type: "draining"; readonly timeoutMs: number }
  | { readonly type: "joined"; readonly peer: PeerInfo }
  | { readonly type: "left"; readonly number: number }
  /**
   * A participant lost its link to the server. `closed`: its page was closed or sleeps, so it has no direct
   * links either.
   */
  | { readonly type: "away"; readonly number: number; readonly closed: boolean }
  /** A participant has a link again. Packets sent to it meanwhile are lost. */
  | { readonly type: "back"; readonly number: number }
  | { readonly type: "capabilities"; readonly number: number; readonly webrtc: boolean }
  | { readonly type: "signal"; readonly from: number; readonly attempt: number; readonly data: unknown }
  /** One slot of a participant (see `writeSlot`), and its age. */
  | { readonly type: "slot"; readonly number: number; readonly ageMs: number; readonly state: Uint8Array };

/** Messages from a participant to the server. */
export type ClientMessage =
  | { readonly type: "capabilities"; readonly webrtc: boolean }
  | { readonly type: "signal"; readonly to: number; readonly attempt: number; readonly data: unknown }
  /** Requests a ticket for one more socket. */
  | { readonly type: "stripe" }
  /**
   * The page became hidden or visible. The server waits longer for a hidden page. `last`: no page comes after it
   * that would take its seat, so that the server keeps none when it is closed.
   */
  | { readonly type: "visibility"; readonly hidden: boolean; readonly last?: true }
  /** The slot of an own stream, for newcomers (see `writeSlot`). It replaces the earlier one. */
  | { readonly type: "slot"; readonly stream: number; readonly state: Uint8Array }
  /**
   * The cells that the participant sees (see `writeView`). The server forwards to it the states in these, and gives it at
   * once those that it keeps of the cells that are new; of all cells if `again`.
   */
  | { readonly type: "view"; readonly cells: Uint8Array; readonly again?: true }
  | { readonly type: "leave" };

/** The server's number in signals, and as a peer. No participant has it. */
export const SERVER_NUMBER = 0;

/** The longest view: each cell a stretch of its own, far from the origin. */
const MAX_VIEW_BYTES = 7 * limits.viewCells;

/** Limit of kinds of entities in one room. */
export const MAX_KINDS = 64;

const options: Reader<Readonly<Record<string, string | number | boolean>>> = (value) => {
  const isPlain = (option: unknown): boolean => ["string", "number", "boolean"].includes(typeof option);
  return isFields(value) && Object.values(value).every(isPlain)
    ? (value as Record<string, string>)
    : undefined;
};
const slot: Reader<Uint8Array> = (value) => bytesOf(value, limits.slotBytes);
const streamNumber: Reader<number> = (value) => wholeOf(value, 0, limits.streams - 1);
const build: Reader<string> = (value) => (isBuild(value) ? value : undefined);
const peer = shape<PeerInfo>({
  number: number16,
  id: text,
  webrtc: boolean,
  seat: ifValid(number16),
  away: ifValid(oneOf(true)),
});
const turnServer = shape<IceServer>({ urls: text, username: text, credential: text });
const stunServer = shape<Pick<IceServer, "urls">>({ urls: text });
const iceServers = listOf<IceServer>((value) => turnServer(value) ?? stunServer(value));
/** Reads a list of kinds of entities. */
export const readKinds = listOf(shape<KindInfo>({ name: text, schemaHash: number32 }), MAX_KINDS);
const authority = optional(
  shape<AuthorityInfo>({
    tickHz: (value) => wholeOf(value, 1, 255),
    kinds: readKinds,
    inputHash: number32,
  }),
);

/** Reads a control message of the server. Returns undefined if it is malformed or of an unknown type. */
export const readServerMessage = messageReader<ServerMessage>({
  welcome: {
    sessionId: text,
    token: text,
    resumeToken: text,
    number: number16,
    seat: ifValid(number16),
    roomId: text,
    roomName: text,
    options,
    peers: listOf(peer),
    iceServers,
    // Msgpack has no undefined: null is an absent authority.
    authority: (value) => authority(value ?? undefined),
    tick: ifValid(number32),
    spectator: ifValid(oneOf(true)),
    fullRooms: ifValid(number32),
    build: ifValid(build),
    restored: ifValid(number16),
  },
  iceServers: { iceServers },
  resumed: { resumeToken: text, tick: ifValid(number32), build: ifValid(build) },
  stripe: { ticket: text },
  moving: { endpoint: text },
  draining: { timeoutMs: number32 },
  joined: { peer },
  left: { number: number16 },
  away: { number: number16, closed: boolean },
  back: { number: number16 },
  capabilities: { number: number16, webrtc: boolean },
  signal: { from: number16, attempt: number16, data: anything },
  slot: { number: number16, ageMs: number32, state: slot },
});

/** Reads a control message of a participant. Returns undefined if it is malformed or of an unknown type. */
export const readClientMessage = messageReader<ClientMessage>({
  capabilities: { webrtc: boolean },
  signal: { to: number16, attempt: number16, data: anything },
  stripe: {},
  visibility: { hidden: boolean, last: ifValid(oneOf(true)) },
  slot: { stream: streamNumber, state: slot },
  view: { cells: (value) => bytesOf(value, MAX_VIEW_BYTES), again: ifValid(oneOf(true)) },
  leave: {},
});
