import type { Circumstances, Measured } from "./circumstances.js";
import type { Battery, Favour, Genre, Movement, Network, Profile, Topology } from "./profile.js";

/** A band of a measured quantity: values from `from` on, up to the next band. The lowest begins at 0. */
export interface Band<Name extends string = string> {
  readonly name: Name;
  readonly from: number;
}

/**
 * Bands of the measured quantities, sorted by `from`. {@link bandSources} gives the sources of the limits. A
 * quantity that was not measured is "unknown".
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
} as const satisfies Partial<Record<keyof Measured, readonly Band[]>>;

/** A measured quantity that conditions of the tree use. */
export type BandedQuantity = keyof typeof measuredBands;
export type BandName<Quantity extends BandedQuantity> = (typeof measuredBands)[Quantity][number]["name"];

/** The measured quantities by the names of the tree's inputs. */
export const quantities = {
  loss: "lossRatio",
  rtt: "rttMs",
  queue: "queuedBytes",
  stalls: "stallRatio",
  /** Upload that direct links to all players need, as a share of the profile's `uploadBytesPerSecond`. */
  upload: "uploadRatio",
} as const satisfies Record<string, BandedQuantity>;

/** The bands of the measured quantities. `unknown` if a quantity was not measured. */
export type HeldBands = {
  readonly [Name in keyof typeof quantities]: BandName<(typeof quantities)[Name]> | "unknown";
};

type YesNo = "yes" | "no";

/** The circumstances with each number replaced by its band. Conditions of the tree use them. */
export interface Inputs extends HeldBands {
  readonly genre: Genre;
  readonly topology: Topology;
  readonly movement: Movement;
  readonly favour: Favour;
  /** `hidden`: players must not learn each other's addresses. */
  readonly address: "exposed" | "hidden";
  readonly page: "https" | "http" | "unknown";
  readonly webrtc: YesNo;
  /** `yes` if the server supports WebRTC too. */
  readonly serverWebrtc: YesNo | "unknown";
  readonly battery: Battery;
  readonly network: Network;
  /** `few`: the players that could be direct are at most the profile's `maxDirectPeers`. */
  readonly peers: "few" | "many";
  /** Other players in the room: at most one, or several. */
  readonly receivers: "one" | "several";
}

/** Returns the inputs of the tree, with each number in its band. */
export function inputsOf(circumstances: Circumstances, profile: Profile): Inputs {
  const { available, server, device, measured, held, peers, directPeers = peers } = circumstances;
  const serverWebrtc = server?.webrtc ?? "unknown";
  return {
    genre: circumstances.genre,
    topology: circumstances.topology,
    movement: circumstances.movement,
    favour: circumstances.favour,
    address: circumstances.exposeAddress ? "exposed" : "hidden",
    page: circumstances.security,
    webrtc: yesNo(available.webrtc),
    serverWebrtc: serverWebrtc === "unknown" ? "unknown" : yesNo(serverWebrtc),
    battery: device.battery,
    network: device.network,
    peers: directPeers > profile.maxDirectPeers ? "many" : "few",
    receivers: peers > 1 ? "several" : "one",
    ...(held ?? bandsOf(measured ?? {})),
  };
}

function bandsOf(measured: Measured): HeldBands {
  const bands = Object.entries(quantities).map(([name, quantity]) => [
    name,
    bandOf(measuredBands[quantity], measured[quantity]),
  ]);
  return Object.fromEntries(bands);
}

function yesNo(isSo: boolean): YesNo {
  return isSo ? "yes" : "no";
}

function bandOf<Name extends string>(
  bands: readonly [Band<Name>, ...Band<Name>[]],
  value: number | undefined,
): Name | "unknown" {
  if (value === undefined) return "unknown";
  return bands.reduce((found, band) => (value >= band.from ? band : found), bands[0]).name;
}
