// A number is never used again for another purpose.

/** Version of the wire format. Both sides agree on it when a link opens, so packets do not carry it. */
export const PROTOCOL_VERSION = 5;

/** WebSocket subprotocol that names format and version. */
export const WEBSOCKET_PROTOCOL = `paceline.${PROTOCOL_VERSION}`;

/** Kinds of messages inside a packet. */
export const MessageKind = {
  /** States of entities: only the newest count. */
  state: 0x01,
  /** A numbered message that arrives exactly once and in order. */
  reliable: 0x02,
  /** A message that may be lost. */
  event: 0x03,
  /** A player's inputs, tick by tick, for the authority of the room. */
  input: 0x04,
  /** A fragment of a long message that yields to all others. */
  bulk: 0x05,
  /** Asks for a pong on the same link. */
  ping: 0x06,
  pong: 0x07,
  /** Ends the session, with a close code and a reason. */
  close: 0x08,
  /** Says beside a pong how many routed packets the link has carried each way. */
  report: 0x09,
} as const;
export type MessageKind = (typeof MessageKind)[keyof typeof MessageKind];

/** Payload kinds of reliable messages. */
export const PayloadKind = {
  /** A control message between a participant and the server (msgpack). */
  control: 0x01,
  /** A game's message: `[type, message]` (msgpack). */
  command: 0x02,
  /** `[id, type, message]` (msgpack), answered by a reply. */
  request: 0x03,
  /** `[id, ok, message]` (msgpack). */
  reply: 0x04,
  // 0x05 and 0x06 are used up: they were spawn and despawn of Float32 states.
  /** Opens a stream of states: the kind of entity and the coding (binary). */
  stream: 0x07,
  /** States that must arrive: whole states, references, removals (binary). */
  reference: 0x08,
  /** The receiver of a stream lacks a baseline of newer states (binary). */
  resync: 0x09,
  /** The columns of a stream, or the request for them (binary). */
  columns: 0x0a,
  /**
   * A message between a participant and the authority of its room: docs/WIRE-FORMAT.md, "Authority"
   * (msgpack).
   */
  authority: 0x0b,
  // 0x0c is used up: it ended the list of a stream's entities.
  /** Changes of the lists and maps of entities, or the request for all of them (binary). */
  changes: 0x0d,
} as const;
export type PayloadKind = (typeof PayloadKind)[keyof typeof PayloadKind];

/**
 * Numbers of the traffic classes. The routing envelope carries the number, so that a relay can treat each
 * class differently.
 */
export const TrafficClass = {
  state: 0,
  reference: 1,
  event: 2,
  command: 3,
  input: 4,
  bulk: 5,
} as const;
export type TrafficClassName = keyof typeof TrafficClass;
