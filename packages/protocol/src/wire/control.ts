import { limits } from "../errors/codes.js";
import { isBuild } from "./build.js";
import { decodeValue } from "../bytes/value-codec.js";

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

/** Most ticks between two states of an authority: half of the history that differences refer to. */
export const MAX_EVERY_TICKS = 32;
/**
 * Longest time between two states of an authority's entity, ms. Participants synchronise their clocks by
 * states.
 */
export const MAX_HEARTBEAT_MS = 2000;

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
    }
  /** New TURN credentials, sent before the old ones expire. */
  | { readonly type: "iceServers"; readonly iceServers: readonly IceServer[] }
  /** Replaces the used resume token. */
  | { readonly type: "resumed"; readonly resumeToken: string; readonly tick?: number | undefined }
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
  /** A participant's retained states, and their age. */
  | {
      readonly type: "retained";
      readonly number: number;
      readonly ageMs: number;
      readonly states: Uint8Array;
    };

/** Messages from a participant to the server. */
export type ClientMessage =
  | { readonly type: "capabilities"; readonly webrtc: boolean }
  | { readonly type: "signal"; readonly to: number; readonly attempt: number; readonly data: unknown }
  /** Requests a ticket for one more socket. */
  | { readonly type: "stripe" }
  /** The page became hidden or visible. The server waits longer for a hidden page. */
  | { readonly type: "visibility"; readonly hidden: boolean }
  /** States to retain for newcomers (see `writeRetained`). They replace earlier ones. */
  | { readonly type: "retain"; readonly states: Uint8Array }
  | { readonly type: "leave" };

/** The server's number in signals, and as a peer. No participant has it. */
export const SERVER_NUMBER = 0;

/** Most kinds of entities in one room. */
export const MAX_KINDS = 64;

type Fields = Readonly<Record<string, unknown>>;

/** Reads a control message of the server. Returns undefined if it is malformed or of an unknown type. */
export function readServerMessage(bytes: Uint8Array): ServerMessage | undefined {
  const message = fieldsOf(bytes) ?? {};
  switch (message.type) {
    case "welcome":
      return welcomeOf(message);
    case "resumed":
    case "stripe":
    case "moving":
    case "draining":
      return connectionMessageOf(message);
    case "iceServers":
      return iceServersOf(message);
    case "joined":
    case "left":
    case "back":
    case "away":
      return presenceOf(message);
    case "capabilities":
      return capabilitiesOf(message);
    case "signal":
      return signalOf(message);
    case "retained":
      return retainedOf(message);
    default:
      return undefined;
  }
}

/** Reads a control message of a participant. Returns undefined if it is malformed or of an unknown type. */
export function readClientMessage(bytes: Uint8Array): ClientMessage | undefined {
  const message = fieldsOf(bytes);
  if (message === undefined) return undefined;
  switch (message.type) {
    case "capabilities":
      return typeof message.webrtc === "boolean"
        ? { type: "capabilities", webrtc: message.webrtc }
        : undefined;
    case "signal":
      return isNumber16(message.to) && isNumber16(message.attempt) && message.data !== undefined
        ? { type: "signal", to: message.to, attempt: message.attempt, data: message.data }
        : undefined;
    case "stripe":
      return { type: "stripe" };
    case "visibility":
      return typeof message.hidden === "boolean" ? { type: "visibility", hidden: message.hidden } : undefined;
    case "retain": {
      const states = bytesOf(message.states, limits.retainedBytes);
      return states && { type: "retain", states };
    }
    case "leave":
      return { type: "leave" };
    default:
      return undefined;
  }
}

function connectionMessageOf(message: Fields): ServerMessage | undefined {
  const { type, resumeToken, ticket, endpoint, timeoutMs } = message;
  if (type === "resumed" && isText(resumeToken)) return { type, resumeToken, ...tickOf(message) };
  if (type === "stripe" && isText(ticket)) return { type, ticket };
  if (type === "moving" && isText(endpoint)) return { type, endpoint };
  if (type === "draining" && isNumber32(timeoutMs)) return { type, timeoutMs };
  return undefined;
}

function presenceOf({ type, number, closed, peer: info }: Fields): ServerMessage | undefined {
  if (type === "joined") {
    const peer = peerOf(info);
    return peer && { type, peer };
  }
  if (!isNumber16(number)) return undefined;
  if (type === "left" || type === "back") return { type, number };
  return typeof closed === "boolean" ? { type: "away", number, closed } : undefined;
}

function capabilitiesOf({ number, webrtc }: Fields): ServerMessage | undefined {
  return isNumber16(number) && typeof webrtc === "boolean"
    ? { type: "capabilities", number, webrtc }
    : undefined;
}

function signalOf({ from, attempt, data }: Fields): ServerMessage | undefined {
  return isNumber16(from) && isNumber16(attempt) && data !== undefined
    ? { type: "signal", from, attempt, data }
    : undefined;
}

function retainedOf({ number, ageMs, states }: Fields): ServerMessage | undefined {
  const bytes = bytesOf(states, limits.retainedBytes);
  return isNumber16(number) && isNumber32(ageMs) && bytes
    ? { type: "retained", number, ageMs, states: bytes }
    : undefined;
}

function welcomeOf(message: Fields): ServerMessage | undefined {
  const identity = identityOf(message);
  const { roomId, roomName, options, peers, iceServers } = message;
  if (!identity || !isText(roomId) || !isText(roomName) || !isOptions(options)) return undefined;
  const known = Array.isArray(peers) ? peers.map(peerOf) : [undefined];
  const servers = Array.isArray(iceServers) ? iceServers.map(iceServerOf) : [undefined];
  if (known.includes(undefined) || servers.includes(undefined)) return undefined;
  const authority = isAbsent(message.authority) ? undefined : authorityOf(message.authority);
  if (!authority && !isAbsent(message.authority)) return undefined;
  return {
    type: "welcome",
    ...identity,
    roomId,
    roomName,
    options,
    peers: known as PeerInfo[],
    iceServers: servers as IceServer[],
    ...(authority && { authority, ...tickOf(message) }),
    ...(message.spectator === true && { spectator: true }),
    ...noticesOf(message),
  };
}

function noticesOf({ fullRooms, build }: Fields): { readonly fullRooms?: number; readonly build?: string } {
  return { ...(isNumber32(fullRooms) && { fullRooms }), ...(isBuild(build) && { build }) };
}

function identityOf({ sessionId, token, resumeToken, number, seat }: Fields) {
  const isComplete = isText(sessionId) && isText(token) && isText(resumeToken) && isNumber16(number);
  return isComplete ? { sessionId, token, resumeToken, number, ...seatOf(seat) } : undefined;
}

function tickOf({ tick }: Fields): { readonly tick?: number } {
  return isNumber32(tick) ? { tick } : {};
}

function seatOf(seat: unknown): { readonly seat?: number } {
  return isNumber16(seat) ? { seat } : {};
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function authorityOf(value: unknown): AuthorityInfo | undefined {
  if (!isFields(value) || !isNumber32(value.inputHash) || !Array.isArray(value.kinds)) return undefined;
  const { tickHz, inputHash } = value;
  const kinds = kindsOf(value.kinds);
  return isNumber16(tickHz) && tickHz > 0 && tickHz < 256 && kinds ? { tickHz, kinds, inputHash } : undefined;
}

/** Returns a list of kinds of entities, or undefined if the value is malformed. */
export function kindsOf(value: unknown): KindInfo[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_KINDS) return undefined;
  const kinds: KindInfo[] = [];
  for (const kind of value) {
    if (!isFields(kind) || !isText(kind.name) || !isNumber32(kind.schemaHash)) return undefined;
    kinds.push({ name: kind.name, schemaHash: kind.schemaHash });
  }
  return kinds;
}

function iceServersOf(message: Fields): ServerMessage | undefined {
  const servers = Array.isArray(message.iceServers) ? message.iceServers.map(iceServerOf) : [undefined];
  if (servers.includes(undefined)) return undefined;
  return { type: "iceServers", iceServers: servers as IceServer[] };
}

function peerOf(value: unknown): PeerInfo | undefined {
  if (!isFields(value) || !isNumber16(value.number) || !isText(value.id)) return undefined;
  const { number, id, webrtc } = value;
  if (typeof webrtc !== "boolean") return undefined;
  return { number, id, webrtc, ...seatOf(value.seat), ...(value.away === true && { away: true }) };
}

function iceServerOf(value: unknown): IceServer | undefined {
  if (!isFields(value) || !isText(value.urls)) return undefined;
  const { urls, username, credential } = value;
  return isText(username) && isText(credential) ? { urls, username, credential } : { urls };
}

function fieldsOf(bytes: Uint8Array): Fields | undefined {
  const decoded = decodeValue(bytes);
  return decoded && isFields(decoded.value) ? decoded.value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOptions(value: unknown): value is Readonly<Record<string, string | number | boolean>> {
  const plain = ["string", "number", "boolean"];
  return isFields(value) && Object.values(value).every((option) => plain.includes(typeof option));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 1024;
}

/** Copies the bytes, so that they do not keep the packet's memory alive. */
function bytesOf(value: unknown, maxBytes: number): Uint8Array | undefined {
  return value instanceof Uint8Array && value.length <= maxBytes ? Uint8Array.from(value) : undefined;
}

function isNumber16(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff;
}

function isNumber32(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}
