import { assertKeys, assertObject, assertWhole } from "./option-checks.js";

/** One limit of the relay: what applies unless set, the range that may be set, and what it is for. */
export interface LimitRow {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly meaning: string;
}

/** Every limit of the relay. The table of the README is this one; a test compares them. */
export const limitTable = {
  packetsPerSecond: {
    default: 400,
    min: 1,
    max: 100_000,
    unit: "packets per second",
    meaning: "packets of one session, sustained; more are dropped",
  },
  packetBurst: {
    default: 800,
    min: 1,
    max: 1_000_000,
    unit: "packets",
    meaning: "packets of one session at once",
  },
  bytesPerSecond: {
    default: 262_144,
    min: 1024,
    max: 1_000_000_000,
    unit: "bytes per second",
    meaning: "bytes of one session, sustained; more are dropped",
  },
  byteBurst: {
    default: 524_288,
    min: 16_517,
    max: 1_000_000_000,
    unit: "bytes",
    meaning: "bytes of one session at once",
  },
  floodPatienceMs: {
    default: 3000,
    min: 0,
    max: 60_000,
    unit: "ms",
    meaning: "how long a session may exceed its limits before it is cut; ten bursts too many cut it at once",
  },
  signalsPerSecond: {
    default: 40,
    min: 1,
    max: 10_000,
    unit: "messages per second",
    meaning: "signals and capabilities of one session, sustained; more are dropped",
  },
  signalBurst: {
    default: 200,
    min: 1,
    max: 100_000,
    unit: "messages",
    meaning: "signals and capabilities of one session at once",
  },
  signalBytes: {
    default: 8000,
    min: 256,
    max: 8000,
    unit: "bytes",
    meaning: "one signal",
  },
  matchesPerSecondPerAddress: {
    default: 10,
    min: 1,
    max: 10_000,
    unit: "requests per second",
    meaning: "match requests of one network address, sustained; more are answered 429",
  },
  matchBurstPerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "requests",
    meaning: "match requests of one network address at once",
  },
  linksPerSecondPerAddress: {
    default: 20,
    min: 1,
    max: 10_000,
    unit: "links per second",
    meaning: "links opened by one network address, sustained; more are answered 429",
  },
  linkBurstPerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "links",
    meaning: "links opened by one network address at once",
  },
  roomsPerMinutePerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "rooms per minute",
    meaning: "rooms opened by one network address, sustained; more are answered 429",
  },
  roomBurstPerAddress: {
    default: 60,
    min: 1,
    max: 100_000,
    unit: "rooms",
    meaning: "rooms opened by one network address at once",
  },
  groupPlacesPerMinutePerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "places per minute",
    meaning:
      "places kept for friends of one network address who have not come, sustained; more are answered 429",
  },
  groupPlaceBurstPerAddress: {
    default: 120,
    min: 1,
    max: 100_000,
    unit: "places",
    meaning: "places kept for friends of one network address at once",
  },
  joinsPerSecondPerRoom: {
    default: 50,
    min: 1,
    max: 10_000,
    unit: "joins per second",
    meaning: "seats given out in one room, sustained; more are answered 429",
  },
  joinBurstPerRoom: {
    default: 200,
    min: 1,
    max: 100_000,
    unit: "joins",
    meaning: "seats given out in one room at once",
  },
  bytesPerSecondPerRoom: {
    default: 4_194_304,
    min: 1024,
    max: 1_000_000_000,
    unit: "bytes per second",
    meaning: "bytes of all sessions of one room, sustained, at least what one may; more are dropped",
  },
  byteBurstPerRoom: {
    default: 8_388_608,
    min: 16_517,
    max: 1_000_000_000,
    unit: "bytes",
    meaning: "bytes of all sessions of one room at once, at least what one may",
  },
  healthPerSecondPerAddress: {
    default: 20,
    min: 1,
    max: 100_000,
    unit: "requests per second",
    meaning: "requests for /health of one network address, sustained; more are answered 429",
  },
  healthBurstPerAddress: {
    default: 100,
    min: 1,
    max: 1_000_000,
    unit: "requests",
    meaning: "requests for /health of one network address at once",
  },
  maxRooms: { default: 1000, min: 1, max: 1_000_000, unit: "rooms", meaning: "rooms at a time" },
  maxSessions: {
    default: 5000,
    min: 1,
    max: 1_000_000,
    unit: "sessions",
    meaning: "sessions and reserved seats at a time",
  },
  maxConnections: {
    default: 6000,
    min: 1,
    max: 1_000_000,
    unit: "connections",
    meaning: "open sockets, those that are being refused or closed included; more are answered 503",
  },
  webRtcLinks: {
    default: 1000,
    min: 1,
    max: 100_000,
    unit: "links",
    meaning: "WebRTC links to the server at a time; offers beyond are dropped, and WebSockets go on",
  },
  bodyBytes: { default: 4096, min: 256, max: 65_536, unit: "bytes", meaning: "body of a match request" },
  bodyDeadlineMs: {
    default: 5000,
    min: 100,
    max: 60_000,
    unit: "ms",
    meaning: "from a match request to the end of its body",
  },
  ticketLifetimeMs: {
    default: 15_000,
    min: 100,
    max: 300_000,
    unit: "ms",
    meaning: "how long a seat stays reserved for its ticket",
  },
  groupPlaceMs: {
    default: 15_000,
    min: 100,
    max: 300_000,
    unit: "ms",
    meaning: "how long places stay reserved for friends of a group who have not come",
  },
  reconnectGraceMs: {
    default: 20_000,
    min: 0,
    max: 600_000,
    unit: "ms",
    meaning: "how long a participant without a link is kept",
  },
  linkTimeoutMs: {
    default: 10_000,
    min: 1000,
    max: 120_000,
    unit: "ms",
    meaning: "silence after which a link counts as dead",
  },
  hiddenTimeoutMs: {
    default: 60_000,
    min: 1000,
    max: 600_000,
    unit: "ms",
    meaning: "the same for a participant whose page says that it is hidden",
  },
  hiddenGraceMs: {
    default: 120_000,
    min: 0,
    max: 3_600_000,
    unit: "ms",
    meaning: "how long a participant without a link is kept whose page is hidden or put to sleep",
  },
  queuedCommandBytes: {
    default: 1_048_576,
    min: 16_384,
    max: 67_108_864,
    unit: "bytes",
    meaning: "commands that wait for a slow receiver; beyond it its link is cut",
  },
} as const satisfies Record<string, LimitRow>;

/** The relay's limits by name; units and ranges are in {@link limitTable}. */
export type RelayLimits = { readonly [Name in keyof typeof limitTable]: number };

const names = Object.keys(limitTable) as (keyof RelayLimits)[];

/** Checks and completes limits. Throws `ConfigError` naming field, value, range and unit. */
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
