import type { Circumstances, Measured } from "./circumstances.js";
import type { Band } from "../live/steady-band.js";
import type { Favour, Genre, Profile, Topology, ViewStyle } from "./profile.js";

/**
 * Bands of what is measured, each sorted by where it begins; {@link bandSources} says who drew the limits. Without a
 * measurement a quantity is "unknown".
 */
export const measuredBands = {
  lossRatio: [
    { name: "low", from: 0 },
    { name: "raised", from: 0.01 },
    { name: "high", from: 0.05 },
  ],
  rttMs: [
    { name: "short", from: 0 },
    { name: "long", from: 200 },
  ],
  jitterMs: [
    { name: "calm", from: 0 },
    { name: "rough", from: 10 },
  ],
  queuedBytes: [
    { name: "free", from: 0 },
    { name: "waiting", from: 1000 },
  ],
  stallRatio: [
    { name: "none", from: 0 },
    { name: "some", from: 0.1 },
    { name: "many", from: 0.15 },
  ],
  uploadRatio: [
    { name: "within", from: 0 },
    { name: "over", from: 1 },
  ],
} as const satisfies Record<keyof Measured, readonly Band[]>;

export type BandName<Quantity extends keyof Measured> = (typeof measuredBands)[Quantity][number]["name"];

/** The bands of all that is measured. */
export interface HeldBands {
  readonly loss: BandName<"lossRatio">;
  readonly rtt: BandName<"rttMs">;
  readonly jitter: BandName<"jitterMs">;
  readonly queue: BandName<"queuedBytes">;
  readonly stalls: BandName<"stallRatio">;
  readonly upload: BandName<"uploadRatio">;
}

type YesNo = "yes" | "no";

/** The circumstances with every number replaced by its band: what conditions of the tree are about. */
export interface Inputs {
  readonly genre: Genre;
  readonly topology: Topology;
  /** Free: things move continuously. Bound: move by move. */
  readonly movement: "free" | "bound";
  readonly favour: Favour;
  readonly page: "https" | "http";
  readonly webrtc: YesNo;
  readonly websocket: YesNo;
  /** Here and at the server. */
  readonly webtransport: YesNo;
  /** Whether the server speaks WebRTC too. */
  readonly serverWebrtc: YesNo;
  readonly battery: "ok" | "low";
  readonly network: "fixed" | "mobile";
  /** Few: at most as many others as the profile's `maxDirectPeers`. */
  readonly peers: "few" | "many";
  /** Other players in the room: at most one, or several. */
  readonly receivers: "one" | "several";
  readonly loss: "unknown" | BandName<"lossRatio">;
  readonly rtt: "unknown" | BandName<"rttMs">;
  readonly jitter: "unknown" | BandName<"jitterMs">;
  readonly queue: "unknown" | BandName<"queuedBytes">;
  readonly stalls: "unknown" | BandName<"stallRatio">;
  /** What direct links to all would take of the profile's `uploadBytesPerSecond`. */
  readonly upload: "unknown" | BandName<"uploadRatio">;
  /** The profile's. */
  readonly style: ViewStyle;
}

/** Puts every number into its band. */
export function inputsOf(circumstances: Circumstances, profile: Profile): Inputs {
  const { available, server, device, measured, held } = circumstances;
  return {
    genre: circumstances.genre,
    topology: circumstances.topology,
    movement: circumstances.freeMovement ? "free" : "bound",
    favour: circumstances.favour,
    page: circumstances.security,
    webrtc: yesNo(available.webrtc),
    websocket: yesNo(available.websocket),
    webtransport: yesNo(available.webtransport && server?.webtransport === true),
    serverWebrtc: yesNo(server?.webrtc === true),
    battery: device.battery,
    network: device.network,
    peers: circumstances.peers > profile.maxDirectPeers ? "many" : "few",
    receivers: circumstances.peers > 1 ? "several" : "one",
    ...(measured === undefined ? UNKNOWN : (held ?? bandsOf(measured))),
    style: profile.style,
  };
}

const UNKNOWN = {
  loss: "unknown",
  rtt: "unknown",
  jitter: "unknown",
  queue: "unknown",
  stalls: "unknown",
  upload: "unknown",
} as const;

function bandsOf(measured: Measured): HeldBands {
  const { lossRatio, rttMs, jitterMs, queuedBytes = 0, stallRatio = 0, uploadRatio = 0 } = measured;
  return {
    loss: bandOf(measuredBands.lossRatio, lossRatio),
    rtt: bandOf(measuredBands.rttMs, rttMs),
    jitter: bandOf(measuredBands.jitterMs, jitterMs),
    queue: bandOf(measuredBands.queuedBytes, queuedBytes),
    stalls: bandOf(measuredBands.stallRatio, stallRatio),
    upload: bandOf(measuredBands.uploadRatio, uploadRatio),
  };
}

function yesNo(isSo: boolean): YesNo {
  return isSo ? "yes" : "no";
}

function bandOf<Name extends string>(bands: readonly [Band<Name>, ...Band<Name>[]], value: number): Name {
  return bands.reduce((found, band) => (value >= band.from ? band : found), bands[0]).name;
}
