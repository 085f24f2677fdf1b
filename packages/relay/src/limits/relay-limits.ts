import { checkedLimits, type LimitRow } from "@paceline/protocol";

/**
 * Every limit of the relay. A test compares them with the table in docs/OPERATIONS.md, which also names what a
 * client sees and the counter; another test reaches each limit.
 */
export const limitTable = {
  /** Packets of one session, sustained; more are dropped. */
  packetsPerSecond: { default: 400, min: 1, max: 100_000, unit: "packets per second" },
  /** Packets of one session at once. */
  packetBurst: { default: 800, min: 1, max: 1_000_000, unit: "packets" },
  /** Bytes of one session, sustained; more are dropped. */
  bytesPerSecond: { default: 262_144, min: 1024, max: 1_000_000_000, unit: "bytes per second" },
  /** Bytes of one session at once. */
  byteBurst: { default: 524_288, min: 16_517, max: 1_000_000_000, unit: "bytes" },
  /** Messages of one session that the server reads itself, sustained, with 16 items of a value as one more; packets beyond are dropped. */
  messagesPerSecond: { default: 5000, min: 100, max: 1_000_000, unit: "messages per second" },
  /** Messages of one session that the server reads itself at once. */
  messageBurst: { default: 10_000, min: 1000, max: 10_000_000, unit: "messages" },
  /** Time for which a session may exceed its limits before it is cut; ten bursts too many cut it at once. */
  floodPatienceMs: { default: 3000, min: 0, max: 60_000, unit: "ms" },
  /** Signals and capabilities of one session, sustained; more are dropped. */
  signalsPerSecond: { default: 40, min: 1, max: 10_000, unit: "messages per second" },
  /** Signals and capabilities of one session at once. */
  signalBurst: { default: 200, min: 1, max: 100_000, unit: "messages" },
  /** One signal. */
  signalBytes: { default: 8000, min: 256, max: 8000, unit: "bytes" },
  /** Match requests of one network address, sustained; more are answered 429. */
  matchesPerSecondPerAddress: { default: 10, min: 1, max: 10_000, unit: "requests per second" },
  /** Match requests of one network address at once. */
  matchBurstPerAddress: { default: 60, min: 1, max: 100_000, unit: "requests" },
  /** Links opened by one network address, sustained; more are answered 429. */
  linksPerSecondPerAddress: { default: 20, min: 1, max: 10_000, unit: "links per second" },
  /** Links opened by one network address at once. */
  linkBurstPerAddress: { default: 120, min: 1, max: 100_000, unit: "links" },
  /** Rooms opened by one network address, sustained; more are answered 429. */
  roomsPerMinutePerAddress: { default: 60, min: 1, max: 100_000, unit: "rooms per minute" },
  /** Rooms opened by one network address at once. */
  roomBurstPerAddress: { default: 60, min: 1, max: 100_000, unit: "rooms" },
  /** Places kept for friends of one network address who have not come, sustained; more are answered 429. */
  groupPlacesPerMinutePerAddress: { default: 120, min: 1, max: 100_000, unit: "places per minute" },
  /** Places kept for friends of one network address at once. */
  groupPlaceBurstPerAddress: { default: 120, min: 1, max: 100_000, unit: "places" },
  /** Seats given out in one room, sustained; more are answered 429. */
  joinsPerSecondPerRoom: { default: 50, min: 1, max: 10_000, unit: "joins per second" },
  /** Seats given out in one room at once. */
  joinBurstPerRoom: { default: 200, min: 1, max: 100_000, unit: "joins" },
  /** Bytes of all sessions of one room, sustained, at least what one may; each session always has its part of it, more are dropped. */
  bytesPerSecondPerRoom: { default: 4_194_304, min: 1024, max: 1_000_000_000, unit: "bytes per second" },
  /** Bytes of all sessions of one room at once, at least what one may. */
  byteBurstPerRoom: { default: 8_388_608, min: 16_517, max: 1_000_000_000, unit: "bytes" },
  /** Bytes that the relay forwards in one room, sustained; each session always has its part of it. */
  egressBytesPerSecondPerRoom: { default: 16_777_216, min: 1024, max: 1e10, unit: "bytes per second" },
  /** Bytes that the relay forwards in one room at once. */
  egressBurstPerRoom: { default: 33_554_432, min: 16_517, max: 10_000_000_000, unit: "bytes" },
  /** Bytes that the relay forwards for the sessions of one network address, sustained; not for loopback. */
  egressBytesPerSecondPerAddress: { default: 67_108_864, min: 1024, max: 1e10, unit: "bytes per second" },
  /** Bytes that the relay forwards for the sessions of one network address at once. */
  egressBurstPerAddress: { default: 134_217_728, min: 16_517, max: 10_000_000_000, unit: "bytes" },
  /** Packets that the relay forwards in one room, or that a room sends because of its players' messages, counted for each receiver; each session always has its part of it. */
  forwardsPerSecondPerRoom: { default: 200_000, min: 10_000, max: 100_000_000, unit: "forwards per second" },
  /** Such packets of all rooms; each room that forwards always has its part of it. */
  forwardsPerSecond: { default: 300_000, min: 10_000, max: 100_000_000, unit: "forwards per second" },
  /** Requests for /health of one network address, sustained; more are answered 429. */
  healthPerSecondPerAddress: { default: 20, min: 1, max: 100_000, unit: "requests per second" },
  /** Requests for /health of one network address at once. */
  healthBurstPerAddress: { default: 100, min: 1, max: 1_000_000, unit: "requests" },
  /** Rooms at a time. */
  maxRooms: { default: 1000, min: 1, max: 1_000_000, unit: "rooms" },
  /** Sessions and reserved seats at a time. */
  maxSessions: { default: 5000, min: 1, max: 1_000_000, unit: "sessions" },
  /** Open sockets, those that are being refused or closed included; more are answered 503. */
  maxConnections: { default: 6000, min: 1, max: 1_000_000, unit: "connections" },
  /** Memory that is kept for all sessions: messages out of order or without receipt, bulk in parts, states and commands that wait; beyond it the largest holders are ended. */
  heldBytes: { default: 67_108_864, min: 1_048_576, max: 68_719_476_736, unit: "bytes" },
  /** Share of maxRooms, maxSessions, maxConnections and heldBytes for one network address (IPv6: /64, /56 and /48) while more than half is taken; not for loopback. */
  addressSharePercent: { default: 25, min: 1, max: 100, unit: "%" },
  /** WebRTC links to the server at a time; offers beyond are dropped, and WebSockets go on. */
  webRtcLinks: { default: 1000, min: 1, max: 100_000, unit: "links" },
  /** Body of a match request. */
  bodyBytes: { default: 4096, min: 256, max: 65_536, unit: "bytes" },
  /** From a match request to the end of its body. */
  bodyDeadlineMs: { default: 5000, min: 100, max: 60_000, unit: "ms" },
  /** Time for which a seat stays reserved for its ticket. */
  ticketLifetimeMs: { default: 25_000, min: 100, max: 300_000, unit: "ms" },
  /** Time for which places stay reserved for friends of a group who have not come. */
  groupPlaceMs: { default: 15_000, min: 100, max: 300_000, unit: "ms" },
  /** Time for which a participant without a link is kept. */
  reconnectGraceMs: { default: 20_000, min: 0, max: 600_000, unit: "ms" },
  /** Time for which the seat of a page that was closed is kept for the page that follows in its tab. */
  unloadGraceMs: { default: 10_000, min: 0, max: 600_000, unit: "ms" },
  /** Silence after which a link counts as dead. A newcomer has 20 s for its first packet. */
  linkTimeoutMs: { default: 10_000, min: 1000, max: 120_000, unit: "ms" },
  /** Silence of a link, for a participant whose page says that it is hidden. */
  hiddenTimeoutMs: { default: 60_000, min: 1000, max: 600_000, unit: "ms" },
  /** Time for which a participant without a link is kept whose page is hidden or put to sleep. */
  hiddenGraceMs: { default: 120_000, min: 0, max: 3_600_000, unit: "ms" },
  /** Commands that wait for a slow receiver; beyond it its link is cut. */
  queuedCommandBytes: { default: 1_048_576, min: 16_384, max: 67_108_864, unit: "bytes" },
} as const satisfies Record<string, LimitRow>;

/** The relay's limits by name; units and ranges are in {@link limitTable}. */
export type RelayLimits = { readonly [Name in keyof typeof limitTable]: number };

/** Returns the limits with defaults filled in. Throws `ConfigError` naming field, value, range and unit. */
export function relayLimits(given: Partial<RelayLimits>): RelayLimits {
  return checkedLimits("limits", limitTable, given);
}
