import type { BrowserName, BrowserOptions } from "../browsers/remote-browser.js";
import type { Access } from "../network/internet.js";

interface Participant extends BrowserOptions {
  readonly browser: BrowserName;
  readonly access: Access;
}

/** The disturbance during a case. It affects the first participant. */
export type Trouble =
  /** The wire carries nothing. */
  | { readonly kind: "cut"; readonly forMs: number }
  /** The wire carries no UDP; the browser gets no error. */
  | { readonly kind: "udp-dies" }
  | { readonly kind: "server-restart"; readonly downMs: number }
  | { readonly kind: "hidden"; readonly forMs: number }
  /** Forbids direct links and allows them again, `count` changes in all. */
  | { readonly kind: "migrations"; readonly count: number };

/** The ICE servers that the server names to the participants. */
export type Ice = "none" | "stun" | "turn-udp" | "turn-tcp" | "turn-443" | "turn-wrong";

/** One row of the matrix. */
export interface MatrixCase {
  readonly name: string;
  readonly participants: readonly Participant[];
  readonly ice: Ice;
  /** Round trip of each participant to the server. Between two participants it is twice as long. */
  readonly rttMs: number;
  readonly lossPercent?: number;
  /** The best path that this network allows. */
  readonly best: "direct" | "relay";
  readonly trouble?: Trouble;
  /** True if a quick run includes the case. */
  readonly isQuick?: boolean;
  readonly messagesPerSecond?: number;
}

const RTT_MS = 50;

function both(access: Access): readonly Participant[] {
  return [
    { browser: "chromium", access },
    { browser: "firefox", access },
  ];
}

const open = { participants: both("open"), ice: "none", rttMs: RTT_MS, best: "direct" } as const;

export const matrixCases: readonly MatrixCase[] = [
  { ...open, name: "open-open", isQuick: true },
  { ...open, name: "nat-nat", participants: both("nat"), ice: "stun" },
  { ...open, name: "symmetric-nat-turn-udp", participants: both("symmetric-nat"), ice: "turn-udp" },
  { ...open, name: "udp-blocked-turn-tcp", participants: both("udp-blocked"), ice: "turn-tcp" },
  { ...open, name: "web-ports-only", participants: both("web-only"), ice: "turn-443" },
  {
    ...open,
    name: "no-webrtc",
    participants: [
      { browser: "webkitgtk", access: "nat" },
      { browser: "chromium", access: "nat" },
    ],
    best: "relay",
  },
  {
    ...open,
    name: "candidates-never-come",
    participants: [
      { browser: "chromium", access: "open", hasUdp: false },
      { browser: "chromium", access: "open" },
    ],
    best: "relay",
  },
  {
    ...open,
    name: "turn-credentials-wrong",
    participants: both("udp-blocked"),
    ice: "turn-wrong",
    best: "relay",
  },
  { ...open, name: "cut-1s", trouble: { kind: "cut", forMs: 1000 }, isQuick: true },
  { ...open, name: "cut-5s", trouble: { kind: "cut", forMs: 5000 } },
  { ...open, name: "cut-30s", trouble: { kind: "cut", forMs: 30_000 } },
  { ...open, name: "webrtc-dies-silently", trouble: { kind: "udp-dies" }, isQuick: true },
  { ...open, name: "server-restart", trouble: { kind: "server-restart", downMs: 3000 } },
  {
    ...open,
    name: "page-hidden",
    participants: [
      { browser: "chromium", access: "open", isHideable: true },
      { browser: "firefox", access: "open" },
    ],
    trouble: { kind: "hidden", forMs: 60_000 },
  },
  { ...open, name: "loss-5", lossPercent: 5, isQuick: true },
  { ...open, name: "rtt-300", rttMs: 300, isQuick: true },
  {
    ...open,
    name: "migrations",
    trouble: { kind: "migrations", count: 100 },
    messagesPerSecond: 80,
  },
];
