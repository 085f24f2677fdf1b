import type { CloseCode } from "@paceline/protocol";
import type { ServerSetup } from "./server-process.js";

/** Short times until seats are freed, so that a case can wait until the server has freed all that it took. */
const QUICK_ENDS = { reconnectGraceMs: 500, hiddenGraceMs: 500, ticketLifetimeMs: 1500, groupPlaceMs: 1500 };

/** Configurations of the attacked servers. Each server has its own honest players. */
export const stages = {
  default: { limits: QUICK_ENDS },
  /** Rate limits so high that every packet reaches the parsers. */
  wide: {
    limits: {
      ...QUICK_ENDS,
      packetsPerSecond: 100_000,
      packetBurst: 1_000_000,
      bytesPerSecond: 1_000_000_000,
      byteBurst: 1_000_000_000,
      bytesPerSecondPerRoom: 1_000_000_000,
      byteBurstPerRoom: 1_000_000_000,
      joinsPerSecondPerRoom: 10_000,
      joinBurstPerRoom: 100_000,
    },
  },
  /** Seats and memory are few. */
  small: {
    limits: { ...QUICK_ENDS, maxSessions: 80, matchesPerSecondPerAddress: 100 },
    nodeFlags: ["--max-old-space-size=128"],
  },
  /**
   * The log's device is full, and file descriptors are few: a fifth more than Node needs to start, since it opens all
   * files of the server's packages at once.
   */
  cramped: { limits: QUICK_ENDS, log: "full", flags: ["--log-level", "debug"], maxDescriptors: 220 },
  stalled: { limits: QUICK_ENDS, log: "stalled", flags: ["--log-level", "debug"] },
} as const satisfies Record<string, ServerSetup>;

export type StageName = keyof typeof stages;

/** One attack on one server, and its allowed effects. */
export interface AttackCase {
  readonly name: string;
  /** Description in the table of docs/ATTACK.md. */
  readonly what: string;
  readonly attack: string;
  readonly stage: StageName;
  /** Longest duration, s. A case without `quickSeconds` is left out of `--quick`. */
  readonly seconds: number;
  readonly quickSeconds?: number;
  /** Number of items to send, after which the case ends early. */
  readonly count?: number;
  readonly quickCount?: number;
  /** Close codes that the server must have counted at the end of the full form. */
  readonly closes?: readonly (keyof typeof CloseCode)[];
  readonly hasNoVisits?: boolean;
  /** The process whose CPU is measured; the server by default. */
  readonly victim?: "server" | "honest";
  /** CPU of the victim beyond what it needs without an attack, as a multiple of that. */
  readonly maxCpuRatio?: number;
  /** Bytes that honest members add to each of their messages. */
  readonly paddingBytes?: number;
  /** True if `/health` must answer within a second. */
  readonly needsHealth?: boolean;
  /** An honest player watches the room `cells`: its states for each tick, as a share of those before the attack. */
  readonly minStateShare?: number;
  /** True if an honest player in Chromium is in the room as well. */
  readonly hasPage?: boolean;
}

/** Honest members of the relay room, which are in one process. */
export const MEMBERS = 4;

export const cases: readonly AttackCase[] = [
  {
    name: "mutants-websocket",
    what: "captures of honest clients, mutated, over WebSockets",
    attack: "mutantsOnSockets",
    stage: "wide",
    seconds: 300,
    quickSeconds: 4,
    count: 950_000,
    quickCount: 12_000,
    closes: ["protocolViolation"],
  },
  {
    name: "mutants-webrtc",
    what: "captures of data channels, mutated, over data channels of links to the server",
    attack: "mutantsOnChannels",
    stage: "wide",
    seconds: 240,
    quickSeconds: 2,
    count: 50_000,
    quickCount: 2000,
    closes: ["protocolViolation"],
  },
  {
    name: "match-bodies",
    what: "match requests and join credentials of hostile JSON: `__proto__`, halves of surrogate pairs, deep, long, of wrong types",
    attack: "matchBodies",
    stage: "wide",
    seconds: 20,
    quickSeconds: 2,
    count: 20_000,
    quickCount: 1000,
  },
  {
    name: "deaf",
    what: "members who never read their sockets, and two who talk to them",
    attack: "deafReceivers",
    stage: "wide",
    seconds: 20,
    quickSeconds: 2,
    closes: ["tooSlow"],
  },
  {
    name: "hoard",
    what: "reliable messages of 16 kB that are never complete, of 40 sessions",
    attack: "hoard",
    stage: "small",
    seconds: 60,
    quickSeconds: 2.5,
  },
  {
    name: "own-storm",
    what: "`own` again and again with one local id, `disown`, `resync`, `kinds` and `view`, in a room with an authority",
    attack: "ownStorm",
    stage: "default",
    seconds: 20,
    quickSeconds: 2,
  },
  {
    name: "message-floods",
    what: "a flood of every kind of message and of every kind of payload",
    attack: "messageFloods",
    stage: "default",
    seconds: 30,
    // It ends when all are cut.
    quickSeconds: 12,
    closes: ["flooding", "protocolViolation"],
  },
  {
    name: "frame-floods",
    what: "text, empty frames, pongs, pings, frames that are too long",
    attack: "frameFloods",
    stage: "default",
    seconds: 30,
    // It ends when all are cut.
    quickSeconds: 12,
    closes: ["flooding"],
  },
  {
    name: "egress",
    what: "16 members who all send to all at their limits",
    attack: "egress",
    stage: "default",
    seconds: 20,
    quickSeconds: 1.5,
  },
  {
    name: "churn",
    what: "joins, leaves and cuts as fast as the limits let",
    attack: "churn",
    stage: "default",
    seconds: 60,
    quickSeconds: 1.5,
  },
  {
    name: "half-open",
    what: "connections that ask for nothing, ended all at once",
    attack: "halfOpen",
    stage: "default",
    seconds: 15,
    quickSeconds: 1.5,
    count: 4000,
    quickCount: 500,
  },
  {
    name: "slow-headers",
    what: "headers a line at a time, bodies a byte at a time",
    attack: "slowHeaders",
    stage: "default",
    seconds: 16,
    count: 300,
  },
  {
    name: "signals",
    what: "descriptions and candidates of WebRTC, mutated",
    attack: "hostileSignals",
    stage: "default",
    seconds: 30,
    quickSeconds: 2,
  },
  {
    name: "health",
    what: "`/health` as fast as it answers",
    attack: "healthHammer",
    stage: "default",
    seconds: 10,
    quickSeconds: 1.5,
  },
  {
    name: "admin-tokens",
    what: "guesses of the admin's token, while the right one must be let in",
    attack: "adminTokens",
    stage: "default",
    seconds: 10,
    quickSeconds: 1.5,
  },
  {
    name: "peers-node",
    what: "members who send the others everything hostile: honest clients in Node",
    attack: "hostilePeers",
    stage: "default",
    seconds: 30,
    quickSeconds: 2,
  },
  {
    name: "peers-chromium",
    what: "the same, and one honest client in Chromium",
    attack: "hostilePeers",
    stage: "default",
    seconds: 30,
    hasPage: true,
  },
  {
    name: "withheld-receipts",
    what: "members who give honest members no receipts, then one at a time with acks that show a loss",
    attack: "withheldReceipts",
    stage: "default",
    seconds: 20,
    quickSeconds: 3,
    victim: "honest",
    paddingBytes: 1500,
  },
  {
    name: "withheld-from-server",
    what: "the same against the server, in a room with an authority",
    attack: "withheldFromServer",
    stage: "default",
    seconds: 20,
    quickSeconds: 3,
  },
  {
    name: "still-states",
    what: "packets of 270 bytes to all that update 4,096 entities, of which none changes",
    attack: "stillStates",
    stage: "default",
    seconds: 15,
    quickSeconds: 3,
    victim: "honest",
    maxCpuRatio: 3,
  },
  {
    name: "small-packets",
    what: "60 members of another room who send packets of one byte to all",
    attack: "smallPackets",
    stage: "default",
    seconds: 15,
    quickSeconds: 2.5,
    needsHealth: true,
  },
  {
    name: "deaf-pair",
    what: "a member who gives no receipts, while honest members send 4 kB twenty times a second",
    attack: "deafPair",
    stage: "default",
    seconds: 15,
    quickSeconds: 4.5,
    victim: "honest",
    paddingBytes: 4000,
  },
  {
    name: "bad-lines",
    what: "19 players with bad lines (150 ± 120 ms, 5 % lost) in a room that decides on 64 moving entities",
    attack: "badLines",
    stage: "default",
    seconds: 15,
    quickSeconds: 2,
    minStateShare: 0.5,
  },
  {
    name: "seats",
    what: "one address takes and keeps every seat that it gets",
    attack: "seats",
    stage: "small",
    seconds: 20,
    quickSeconds: 2.5,
    count: 72,
    quickCount: 72,
  },
  {
    name: "lent-memory",
    what: "bulk without end and states to be kept for newcomers, of 60 sessions",
    attack: "lentMemory",
    stage: "small",
    seconds: 60,
    quickSeconds: 2.5,
  },
  {
    name: "full-disk",
    what: "log lines to a full device",
    attack: "churn",
    stage: "cramped",
    seconds: 15,
    quickSeconds: 1.5,
  },
  {
    name: "stalled-log",
    what: "log lines into a pipe that nobody reads",
    attack: "churn",
    stage: "stalled",
    seconds: 30,
    quickSeconds: 3,
  },
  {
    name: "no-descriptors",
    what: "more connections than the process may have descriptors (EMFILE)",
    attack: "descriptors",
    stage: "cramped",
    seconds: 15,
    quickSeconds: 2,
    count: 300,
    quickCount: 300,
    hasNoVisits: true,
  },
];
