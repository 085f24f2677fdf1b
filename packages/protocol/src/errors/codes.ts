/** All numbers of the wire format. A number is never used again for another purpose. */

/** Version of the wire format. Both sides agree on it when a link opens, so packets do not carry it. */
export const PROTOCOL_VERSION = 3;

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

/** Close codes of links and sessions (WebSocket private range: 4000 to 4999). */
export const CloseCode = {
  /** The participant left on purpose. */
  left: 4000,
  /** The server is shutting down. */
  serverShutdown: 4001,
  /** The other side was silent for longer than the deadline. */
  timeout: 4002,
  /** A newer link of the same session took over. */
  replaced: 4003,
  /** The game or an operator removed the participant. */
  kicked: 4004,
  /** The page went to sleep. It will come back with its token. */
  suspended: 4005,
  /** The room has ended: its authority closed it, or failed. */
  roomClosed: 4006,
  /**
   * The server failed while it served this session; its log has the stack. The client may join again as a
   * newcomer.
   */
  internalError: 4007,
  /** The page was closed or reloaded; the seat waits some seconds for the next page. */
  unloaded: 4008,
  /** The ticket or token is missing, malformed or not this client's. */
  refused: 4100,
  /** The seat ticket has expired, or this server did not issue it. */
  ticketExpired: 4101,
  /** The seat ticket was used before. */
  ticketUsed: 4102,
  /** The server does not know the session (any more). */
  sessionUnknown: 4103,
  /** The page's origin or host is not allowed; the reason names the setting. */
  originRefused: 4104,
  /** The other side uses another version of the protocol. */
  versionMismatch: 4105,
  /** No seat; the reason begins with the code of the match request, such as `match/full`. */
  matchRefused: 4106,
  /** The room's authority refused this player; the reason says why. */
  joinRefused: 4107,
  /** The other side sent malformed bytes repeatedly. */
  protocolViolation: 4200,
  /** The other side exceeded the limit of packets, bytes or messages per second for too long. */
  flooding: 4201,
  /** The other side does not read fast enough; its queue is full. */
  tooSlow: 4202,
  /** The session occupies too much of the server's memory with incomplete or unacknowledged messages. */
  overBudget: 4203,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

const finalCodes: ReadonlySet<number> = new Set([
  CloseCode.replaced,
  CloseCode.kicked,
  CloseCode.roomClosed,
  CloseCode.originRefused,
  CloseCode.versionMismatch,
  CloseCode.joinRefused,
  CloseCode.protocolViolation,
  CloseCode.flooding,
]);

/** Returns true for the end of a session after which the client does not come back by itself. */
export function isFinalClose(code: number): boolean {
  return finalCodes.has(code);
}

/** Returns true if the game's same call may find a seat after a session has ended with this code. */
export function mayJoinAgain(code: number): boolean {
  return code === CloseCode.roomClosed || (code !== CloseCode.left && !isFinalClose(code));
}

/** Limits that both sides enforce. Each has a test. */
export const limits = {
  /** Largest unreliable packet: small enough that no path fragments it. */
  unreliablePacketBytes: 1200,
  /** Largest packet on a reliable channel: the portable size of a data channel message. */
  reliablePacketBytes: 16_384,
  /** Most receivers that the routing envelope of one packet names. */
  envelopeTargets: 64,
  /** Most unacknowledged reliable messages of a session: a quarter of the circle of their ids. */
  unacknowledgedMessages: 16_384,
  /** Most bytes of these messages, and of messages that a receiver keeps while an earlier one is missing. */
  sessionQueueBytes: 1_048_576,
  /** The limit of bytes between two players. It is smaller because a game has many such pairs. */
  pairQueueBytes: 262_144,
  /** Each message counts as its payload and this many bytes. */
  reliableOverheadBytes: 2,
  /** Largest distance between a received reliable message and the next expected one. */
  outOfOrderMessages: 16_384,
  /** Last epoch of a pair of participants. Each restart of the pair begins a new one; they count from 0. */
  lastEpoch: 7,
  /** Largest bulk message between players. */
  bulkBytes: 16_777_216,
  /** Largest bulk message to the authority of a room. */
  authorityBulkBytes: 1_048_576,
  /** Most entities of one participant. */
  ownedEntities: 4096,
  /** Most bytes of all slots that a participant has at the server for newcomers. */
  slotBytes: 4096,
  /** Most UTF-8 bytes of a message type or an entity name. */
  nameBytes: 64,
  /** States that a receiver reads of one participant in a second: see `stateWeight`. */
  statesPerSecond: 20_000,
  /** States that a receiver reads of one participant at once. */
  statesBurst: 131_072,
  /** A state of an entity that the receiver does not have counts as so many besides. */
  newEntityStates: 24,
  /** Ticks for which sender and receivers keep an entity's states, baselines included. */
  historyTicks: 128,
  /** Most streams of states that one participant may announce during its session. */
  streams: 256,
  /** Pings of a session that the other side answers; more are dropped. */
  pongsPerSecond: 40,
  /** Requests of one other participant that are answered. Each answer takes a packet of its own. */
  requestsPerSecond: 30,
  /** Packets of another participant that are read of its direct links, where no relay limits them. */
  directPacketsPerSecond: 1500,
  /** Bytes of those packets. An honest sender's default is half as many. */
  directBytesPerSecond: 2_500_000,
  /** Messages that are read of one other participant in a second, of all kinds together. */
  messagesPerSecond: 5000,
  /** Messages that are read of one other participant at once. */
  messagesBurst: 10_000,
  /** So many items of msgpack values, or removals of entities, count as one message more. */
  itemsPerMessage: 16,
  /** Most items in all arrays and maps of a msgpack value. An entry of a map counts as two. */
  valueItems: 131_072,
  /** Most levels of nesting in a msgpack value. */
  nestingDepth: 8,
} as const;

/** Most ticks between two states of an authority: half of the history that differences refer to. */
export const MAX_EVERY_TICKS = 32;
/**
 * Longest time between two states of an authority's entity, ms. Participants synchronise their clocks by
 * states.
 */
export const MAX_HEARTBEAT_MS = 2000;

/** Reasons for dropping a packet or a message, and keys of the drop counters. */
export const dropReasons = [
  "too-short",
  "too-long",
  "flags",
  "length",
  "unknown-kind",
  "duplicate",
  "outdated",
  "bad-message",
  "unknown-entity",
  "no-baseline",
  "desync",
  "out-of-range",
  "not-routable",
  "rate-limit",
  "queue-full",
  "too-many-states",
  "gap-too-large",
  "credential",
  "not-allowed",
] as const;
export type DropReason = (typeof dropReasons)[number];
