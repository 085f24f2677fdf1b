import { assertKeys, assertObject, assertWhole } from "./option-checks.js";

/** One limit of the relay: its default, its range and its meaning. */
export interface LimitRow {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly meaning: string;
}

/** A limit and the effect of reaching it. */
export interface RelayLimitRow extends LimitRow {
  /**
   * Effect on a client that reaches the limit: a close code, an HTTP status with an error code, or a drop.
   */
  readonly seen: string;
  /** Name of the limit's counter in `relay.counts`, or in `drops` of /health. */
  readonly counter?: string;
}

/**
 * Every limit of the relay. The table in docs/OPERATIONS.md is generated from it; a test reaches each limit.
 */
export const limitTable = {
  packetsPerSecond: {
    default: 400,
    min: 1,
    max: 100_000,
    unit: "packets per second",
    meaning: "packets of one session, sustained; more are dropped",
    seen: "the packet is dropped; close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.trafficPerSession",
  },
  packetBurst: {
    default: 800,
    min: 1,
    max: 1_000_000,
    unit: "packets",
    meaning: "packets of one session at once",
    seen: "the packet is dropped; close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.trafficPerSession",
  },
  bytesPerSecond: {
    default: 262_144,
    min: 1024,
    max: 1_000_000_000,
    unit: "bytes per second",
    meaning: "bytes of one session, sustained; more are dropped",
    seen: "the packet is dropped; close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.trafficPerSession",
  },
  byteBurst: {
    default: 524_288,
    min: 16_517,
    max: 1_000_000_000,
    unit: "bytes",
    meaning: "bytes of one session at once",
    seen: "the packet is dropped; close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.trafficPerSession",
  },
  floodPatienceMs: {
    default: 3000,
    min: 0,
    max: 60_000,
    unit: "ms",
    meaning: "how long a session may exceed its limits before it is cut; ten bursts too many cut it at once",
    seen: "close 4201 `flooding`",
    counter: "sessionEnds.flooding",
  },
  signalsPerSecond: {
    default: 40,
    min: 1,
    max: 10_000,
    unit: "messages per second",
    meaning: "signals and capabilities of one session, sustained; more are dropped",
    seen: "the message is dropped",
    counter: "limited.signalsPerSession",
  },
  signalBurst: {
    default: 200,
    min: 1,
    max: 100_000,
    unit: "messages",
    meaning: "signals and capabilities of one session at once",
    seen: "the message is dropped",
    counter: "limited.signalsPerSession",
  },
  signalBytes: {
    default: 8000,
    min: 256,
    max: 8000,
    unit: "bytes",
    meaning: "one signal",
    seen: "the message is dropped; close 4200 `protocolViolation` after 50",
    counter: "drops.too-long",
  },
  matchesPerSecondPerAddress: {
    default: 10,
    min: 1,
    max: 10_000,
    unit: "requests per second",
    meaning: "match requests of one network address, sustained; more are answered 429",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.matchesPerAddress",
  },
  matchBurstPerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "requests",
    meaning: "match requests of one network address at once",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.matchesPerAddress",
  },
  linksPerSecondPerAddress: {
    default: 20,
    min: 1,
    max: 10_000,
    unit: "links per second",
    meaning: "links opened by one network address, sustained; more are answered 429",
    seen: "HTTP 429 to the upgrade",
    counter: "limited.linksPerAddress",
  },
  linkBurstPerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "links",
    meaning: "links opened by one network address at once",
    seen: "HTTP 429 to the upgrade",
    counter: "limited.linksPerAddress",
  },
  roomsPerMinutePerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "rooms per minute",
    meaning: "rooms opened by one network address, sustained; more are answered 429",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.roomsPerAddress",
  },
  roomBurstPerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "rooms",
    meaning: "rooms opened by one network address at once",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.roomsPerAddress",
  },
  groupPlacesPerMinutePerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "places per minute",
    meaning:
      "places kept for friends of one network address who have not come, sustained; more are answered 429",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.groupPlacesPerAddress",
  },
  groupPlaceBurstPerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "places",
    meaning: "places kept for friends of one network address at once",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.groupPlacesPerAddress",
  },
  joinsPerSecondPerRoom: {
    default: 50,
    min: 1,
    max: 10_000,
    unit: "joins per second",
    meaning: "seats given out in one room, sustained; more are answered 429",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.joinsPerRoom",
  },
  joinBurstPerRoom: {
    default: 200,
    min: 1,
    max: 100_000,
    unit: "joins",
    meaning: "seats given out in one room at once",
    seen: "HTTP 429, or close 4106: `match/rate-limited`",
    counter: "limited.joinsPerRoom",
  },
  bytesPerSecondPerRoom: {
    default: 4_194_304,
    min: 1024,
    max: 1_000_000_000,
    unit: "bytes per second",
    meaning:
      "bytes of all sessions of one room, sustained, at least what one may; each session always has its part of it, more are dropped",
    seen: "the packet is dropped",
    counter: "limited.bytesPerRoom",
  },
  byteBurstPerRoom: {
    default: 8_388_608,
    min: 16_517,
    max: 1_000_000_000,
    unit: "bytes",
    meaning: "bytes of all sessions of one room at once, at least what one may",
    seen: "the packet is dropped",
    counter: "limited.bytesPerRoom",
  },
  egressBytesPerSecondPerRoom: {
    default: 16_777_216,
    min: 1024,
    max: 10_000_000_000,
    unit: "bytes per second",
    meaning: "what the relay forwards in one room, sustained; each session always has its part of it",
    seen: "states are dropped first, then events; reliable packets are dropped and repeated, and close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.egressPerRoom",
  },
  egressBurstPerRoom: {
    default: 33_554_432,
    min: 16_517,
    max: 10_000_000_000,
    unit: "bytes",
    meaning: "what the relay forwards in one room at once",
    seen: "states are dropped first, then events; reliable packets are dropped and repeated, and close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.egressPerRoom",
  },
  egressBytesPerSecondPerAddress: {
    default: 67_108_864,
    min: 1024,
    max: 10_000_000_000,
    unit: "bytes per second",
    meaning: "what the relay forwards for the sessions of one network address, sustained; not for loopback",
    seen: "states are dropped first, then events; reliable packets are dropped and repeated, and close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.egressPerAddress",
  },
  egressBurstPerAddress: {
    default: 134_217_728,
    min: 16_517,
    max: 10_000_000_000,
    unit: "bytes",
    meaning: "what the relay forwards for the sessions of one network address at once",
    seen: "states are dropped first, then events; reliable packets are dropped and repeated, and close 4201 `flooding` after `floodPatienceMs`",
    counter: "limited.egressPerAddress",
  },
  healthPerSecondPerAddress: {
    default: 20,
    min: 1,
    max: 100_000,
    unit: "requests per second",
    meaning: "requests for /health of one network address, sustained; more are answered 429",
    seen: "HTTP 429",
    counter: "limited.healthPerAddress",
  },
  healthBurstPerAddress: {
    default: 100,
    min: 1,
    max: 1_000_000,
    unit: "requests",
    meaning: "requests for /health of one network address at once",
    seen: "HTTP 429",
    counter: "limited.healthPerAddress",
  },
  maxRooms: {
    default: 1000,
    min: 1,
    max: 1_000_000,
    unit: "rooms",
    meaning: "rooms at a time",
    seen: "HTTP 503, or close 4106: `match/full`",
    counter: "matchRefusals.match/full",
  },
  maxSessions: {
    default: 5000,
    min: 1,
    max: 1_000_000,
    unit: "sessions",
    meaning: "sessions and reserved seats at a time",
    seen: "HTTP 503, or close 4106: `match/full`",
    counter: "matchRefusals.match/full",
  },
  maxConnections: {
    default: 6000,
    min: 1,
    max: 1_000_000,
    unit: "connections",
    meaning: "open sockets, those that are being refused or closed included; more are answered 503",
    seen: "HTTP 503 to the upgrade",
    counter: "linkCloses.tooManyConnections",
  },
  heldBytes: {
    default: 67_108_864,
    min: 1_048_576,
    max: 68_719_476_736,
    unit: "bytes",
    meaning:
      "memory that is kept for all sessions: messages out of order or without receipt, bulk in parts, states and commands that wait; beyond it the largest holders are ended",
    seen: "close 4203 `overBudget`",
    counter: "limited.heldBytes",
  },
  addressSharePercent: {
    default: 25,
    min: 1,
    max: 100,
    unit: "%",
    meaning:
      "of maxRooms, maxSessions, maxConnections and heldBytes for one network address (IPv6: /64, /56 and /48) while more than half is taken; not for loopback",
    seen: "HTTP 429, or close 4106: `match/rate-limited`; HTTP 429 to the upgrade",
    counter: "limited.sessionsPerAddress",
  },
  webRtcLinks: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: "links",
    meaning: "WebRTC links to the server at a time; offers beyond are dropped, and WebSockets go on",
    seen: "the offer is dropped, and WebSockets go on",
    counter: "drops.queue-full",
  },
  bodyBytes: {
    default: 4096,
    min: 256,
    max: 65_536,
    unit: "bytes",
    meaning: "body of a match request",
    seen: "HTTP 413 `match/bad-request`",
    counter: "matchRefusals.match/bad-request",
  },
  bodyDeadlineMs: {
    default: 5000,
    min: 100,
    max: 60_000,
    unit: "ms",
    meaning: "from a match request to the end of its body",
    seen: "HTTP 408 `match/bad-request`",
    counter: "matchRefusals.match/bad-request",
  },
  ticketLifetimeMs: {
    default: 15_000,
    min: 100,
    max: 300_000,
    unit: "ms",
    meaning: "how long a seat stays reserved for its ticket",
    seen: "close 4101 `ticketExpired`",
    counter: "linkCloses.ticketExpired",
  },
  groupPlaceMs: {
    default: 15_000,
    min: 100,
    max: 300_000,
    unit: "ms",
    meaning: "how long places stay reserved for friends of a group who have not come",
    seen: "the place is free for others",
  },
  reconnectGraceMs: {
    default: 20_000,
    min: 0,
    max: 600_000,
    unit: "ms",
    meaning: "how long a participant without a link is kept",
    seen: "the others see it leave; close 4103 `sessionUnknown` if it comes back",
    counter: "sessionEnds.timeout",
  },
  unloadGraceMs: {
    default: 10_000,
    min: 0,
    max: 600_000,
    unit: "ms",
    meaning: "how long the seat of a page that was closed is kept for the page that follows in its tab",
    seen: "the others see it leave; the page that follows gets another seat",
    counter: "sessionEnds.timeout",
  },
  linkTimeoutMs: {
    default: 10_000,
    min: 1000,
    max: 120_000,
    unit: "ms",
    meaning: "silence after which a link counts as dead",
    seen: "close 4002 `timeout` of the link",
    counter: "linkCloses.timeout",
  },
  hiddenTimeoutMs: {
    default: 60_000,
    min: 1000,
    max: 600_000,
    unit: "ms",
    meaning: "the same for a participant whose page says that it is hidden",
    seen: "close 4002 `timeout` of the link",
    counter: "linkCloses.timeout",
  },
  hiddenGraceMs: {
    default: 120_000,
    min: 0,
    max: 3_600_000,
    unit: "ms",
    meaning: "how long a participant without a link is kept whose page is hidden or put to sleep",
    seen: "the others see it leave; close 4103 `sessionUnknown` if it comes back",
    counter: "sessionEnds.timeout",
  },
  queuedCommandBytes: {
    default: 1_048_576,
    min: 16_384,
    max: 67_108_864,
    unit: "bytes",
    meaning: "commands that wait for a slow receiver; beyond it its link is cut",
    seen: "close 4202 `tooSlow` of the link",
    counter: "linkCloses.tooSlow",
  },
} as const satisfies Record<string, RelayLimitRow>;

/** The relay's limits by name; units and ranges are in {@link limitTable}. */
export type RelayLimits = { readonly [Name in keyof typeof limitTable]: number };

const names = Object.keys(limitTable) as (keyof RelayLimits)[];

/** Returns the limits with defaults filled in. Throws `ConfigError` naming field, value, range and unit. */
export function relayLimits(given: unknown): RelayLimits {
  assertObject("limits", given);
  assertKeys("limits", given, names);
  const limits: Partial<Record<keyof RelayLimits, number>> = {};
  for (const name of names) {
    const value = given[name] ?? limitTable[name].default;
    assertWhole(`limits.${name}`, value, limitTable[name]);
    limits[name] = value;
  }
  return Object.freeze(limits as RelayLimits);
}
