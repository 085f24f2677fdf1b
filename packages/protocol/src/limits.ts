/** Limits that both sides enforce. Each has a test. */
export const limits = {
  /** Largest unreliable packet: small enough that no path fragments it. */
  unreliablePacketBytes: 1200,
  /** Largest packet on a reliable channel: the portable size of a data channel message. */
  reliablePacketBytes: 16_384,
  /** Limit of receivers in the routing envelope of one packet. */
  envelopeTargets: 64,
  /** Limit of unacknowledged reliable messages of a session: a quarter of the circle of their ids. */
  unacknowledgedMessages: 16_384,
  /**
   * Limit of the bytes of unacknowledged reliable messages, and of messages that a receiver keeps while an
   * earlier one is missing.
   */
  sessionQueueBytes: 1_048_576,
  /** Limit of unacknowledged bytes between two players. It is smaller because a game has many such pairs. */
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
  /** Limit of entities of one participant. */
  ownedEntities: 4096,
  /** Limit of bytes of the lists and maps of one participant's entities. */
  collectionBytes: 1_048_576,
  /** Limit of bytes of the lists and maps of an authority's entities. */
  roomCollectionBytes: 16_777_216,
  /** Limit of cells of the ground that a participant names as its view. */
  viewCells: 512,
  /** Changes of its view that a server takes from a participant in a second. */
  viewsPerSecond: 20,
  /** Limit of bytes of all slots that a participant has at the server for newcomers. */
  slotBytes: 4096,
  /** Limit of UTF-8 bytes of a message type or an entity name. */
  nameBytes: 64,
  /** States that a receiver reads of one participant in a second: see `stateWeight`. */
  statesPerSecond: 20_000,
  /** States that a receiver reads of one participant at once. */
  statesBurst: 131_072,
  /** A state of an entity that the receiver does not have counts as so many besides. */
  newEntityStates: 24,
  /** Ticks for which sender and receivers keep an entity's states, baselines included. */
  historyTicks: 128,
  /** Limit of streams of states that one participant announces during its session. */
  streams: 256,
  /** Pings of a session that the other side answers; more are dropped. */
  pongsPerSecond: 40,
  /** Requests of one other participant that are answered. Each answer takes a packet of its own. */
  requestsPerSecond: 30,
  /** Packets of another participant that are read of its direct links, where no relay limits them. */
  directPacketsPerSecond: 1500,
  /** Bytes of another participant's direct packets in a second. An honest sender's default is half as many. */
  directBytesPerSecond: 2_500_000,
  /** Messages that are read of one other participant in a second, of all kinds together. */
  messagesPerSecond: 5000,
  /** Messages that are read of one other participant at once. */
  messagesBurst: 10_000,
  /** So many items of msgpack values, or removals of entities, count as one message more. */
  itemsPerMessage: 16,
  /** Limit of items in all arrays and maps of a msgpack value. An entry of a map counts as two. */
  valueItems: 131_072,
  /** Limit of levels of nesting in a msgpack value. */
  nestingDepth: 8,
} as const;

/** Longest time between two states of an authority, in ticks: half of the history that differences refer to. */
export const MAX_EVERY_TICKS = 32;
/**
 * Longest time between two states of an authority's entity, ms. Participants synchronise their clocks by
 * states.
 */
export const MAX_HEARTBEAT_MS = 2000;
