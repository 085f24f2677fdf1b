/** Every number that means something on the wire, in one place. A number is never reused for something else. */

/** Version of the wire format: both sides agree on it when a link opens, so that no packet says it. */
export const PROTOCOL_VERSION = 2;

/** WebSocket subprotocol that names format and version. */
export const WEBSOCKET_PROTOCOL = `paceline.${PROTOCOL_VERSION}`;

/** Kinds of messages inside a packet. */
export const MessageKind = {
  /** Newest-wins states of entities. */
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
  /** The other side ends the session; carries a close code and a reason. */
  close: 0x08,
} as const;
export type MessageKind = (typeof MessageKind)[keyof typeof MessageKind];

/** Payload kinds of reliable messages. */
export const PayloadKind = {
  /** Between a participant and the server: a control message (msgpack). */
  control: 0x01,
  /** A game's message: `[type, message]` (msgpack). */
  command: 0x02,
  /** `[id, type, message]` (msgpack), answered by a reply. */
  request: 0x03,
  /** `[id, ok, message]` (msgpack). */
  reply: 0x04,
  // 0x05 and 0x06 were spawn and despawn of Float32 states.
  /** A stream of states begins: which kind of entity, and how it is coded (binary). */
  stream: 0x07,
  /** States that must arrive: whole ones, references, removals (binary). */
  reference: 0x08,
  /** The receiver of a stream lacks states that newer ones build on (binary). */
  resync: 0x09,
  /** The columns of a stream, or the question for them (binary). */
  columns: 0x0a,
  /** Between a participant and the authority of its room: a message of docs/WIRE-FORMAT.md, "Authority" (msgpack). */
  authority: 0x0b,
  /** Ends the list of a stream's entities: the receiver removes all others that the server had kept (binary). */
  present: 0x0c,
} as const;
export type PayloadKind = (typeof PayloadKind)[keyof typeof PayloadKind];

/** Classes of traffic; the number stands in the routing envelope so that a relay can treat each as it needs. */
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
  /** Left on purpose. */
  left: 4000,
  /** The server is shutting down. */
  serverShutdown: 4001,
  /** The other side fell silent beyond the deadline. */
  timeout: 4002,
  /** A newer link of the same session took over. */
  replaced: 4003,
  /** The game or an operator removed the participant. */
  kicked: 4004,
  /** The page is put to sleep; it will come back with its token. */
  suspended: 4005,
  /** The room has ended: its authority closed it, or failed. */
  roomClosed: 4006,
  /** The server failed while it served this session; its log has the stack. The client may come back as a newcomer. */
  internalError: 4007,
  /** The page was closed or reloaded; the seat waits some seconds for the next page. */
  unloaded: 4008,
  /** No ticket or token, or one that is not ours. */
  refused: 4100,
  /** The seat ticket's time is over. */
  ticketExpired: 4101,
  /** The seat ticket was used before. */
  ticketUsed: 4102,
  /** The session is not known (any more). */
  sessionUnknown: 4103,
  /** The page's origin or host is not allowed; the reason names the setting. */
  originRefused: 4104,
  /** The other side speaks another version. */
  versionMismatch: 4105,
  /** No seat; the reason begins with the code of the match request, such as `match/full`. */
  matchRefused: 4106,
  /** The authority of the room does not let this player in; the reason says why. */
  joinRefused: 4107,
  /** Bytes that make no sense, repeatedly. */
  protocolViolation: 4200,
  /** More packets, bytes or messages per second than allowed, sustained. */
  flooding: 4201,
  /** Does not take what is sent to it; its queue is full. */
  tooSlow: 4202,
  /** Holds too much of the server's memory: messages that are never complete, or that it does not acknowledge. */
  overBudget: 4203,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

/** Limits that both sides keep; each is a test. */
export const limits = {
  /** Limit of unreliable packets, so that no path fragments them. */
  unreliablePacketBytes: 1200,
  /** The largest packet on a reliable channel; the portable size of a data channel message. */
  reliablePacketBytes: 16_384,
  /** Routing envelope around a packet: flags, class, key, count and up to 64 targets. */
  envelopeTargets: 64,
  /** Reliable messages of a session that may wait for a receipt: a quarter of the circle of their ids, */
  unacknowledgedMessages: 16_384,
  /** their bytes, and those that a receiver keeps while an earlier one is missing; */
  sessionQueueBytes: 1_048_576,
  /** of a game's messages to another player fewer: a game has many of these pairs. */
  pairQueueBytes: 262_144,
  /** Each of them counts as so many bytes more than its payload. */
  reliableOverheadBytes: 2,
  /** Limit of the distance between a reliable message and the expected one. */
  outOfOrderMessages: 16_384,
  /** A pair of participants begins again so often; epochs count from 0. */
  lastEpoch: 7,
  /** A message that is sent as bulk, between players; */
  bulkBytes: 16_777_216,
  /** and to the authority of a room. */
  authorityBulkBytes: 1_048_576,
  /** Entities that one participant may own. */
  ownedEntities: 4096,
  /** Bytes that a participant may leave with the server for newcomers. */
  retainedBytes: 4096,
  /** UTF-8 bytes of a message type or an entity name. */
  nameBytes: 64,
  /** Ticks of an entity's states that sender and receivers keep: baselines are among them. */
  historyTicks: 128,
  /** Streams of states that one participant may announce while its session lives. */
  streams: 256,
  /** Pings of a session that are answered; more are dropped. */
  pongsPerSecond: 40,
  /** Requests of one other participant that are answered in a second; each answer takes a packet of its own. */
  requestsPerSecond: 30,
  /** Depth of nesting in a msgpack value. */
  nestingDepth: 8,
} as const;

/** Why a packet or a message was dropped; the keys of the drop counters. */
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
  "gap-too-large",
  "credential",
  "not-allowed",
] as const;
export type DropReason = (typeof dropReasons)[number];
