import { ConfigError } from "@paceline/protocol";
import type { HeldBands } from "./bands.js";
import {
  batteries,
  checkBoolean,
  checkOneOf,
  type Battery,
  type Favour,
  favours,
  type Genre,
  genres,
  type Movement,
  movements,
  type Network,
  networks,
  type Profile,
  topologies,
  type Topology,
} from "./profile.js";

/** Measurements of the running connection; an absent one is unknown. */
export interface Measured {
  /** Share of packets that do not arrive, 0 to 1. An ordered link repeats them: there it cannot be seen. */
  readonly lossRatio?: number;
  /** Round-trip time, ms. */
  readonly rttMs?: number;
  /** Mean difference between neighbouring round trips, ms. */
  readonly jitterMs?: number;
  /** Bytes that wait because a path does not take them. */
  readonly queuedBytes?: number;
  /** Share of round trips over an ordered link, 0 to 1, that waited behind lost segments. */
  readonly stallRatio?: number;
  /** Need of direct links to all others, as a share of the upload that they may use. */
  readonly uploadRatio?: number;
}

/** Everything that the decision tree looks at. */
export interface Circumstances {
  readonly genre: Genre;
  readonly topology: Topology;
  readonly movement: Movement;
  readonly favour: Favour;
  /** False: players must not learn each other's addresses. */
  readonly exposeAddress: boolean;
  /** The page's security; unknown without a page. */
  readonly security: "https" | "http" | "unknown";
  /** The environment's abilities, probed (never guessed from its name), as far as the game allows them. */
  readonly available: { readonly webrtc: boolean };
  /** Whether the server speaks WebRTC too; unknown before it has said so. Default: unknown. */
  readonly server?: { readonly webrtc: boolean | "unknown" };
  readonly device: { readonly battery: Battery; readonly network: Network };
  /** Other players in the room. */
  readonly peers: number;
  /** Number of these players that could have a direct link; a player that only the relay reaches costs none. Default: all. */
  readonly directPeers?: number;
  /** Absent until there is something to go by. */
  readonly measured?: Measured;
  /** Bands that count instead of those of the numbers: they hold on, so that decisions do not flap. */
  readonly held?: HeldBands;
}

/** Circumstances without what a profile says itself. */
export type Environment = Omit<Circumstances, "genre" | "topology" | "movement" | "favour" | "exposeAddress">;

/** The circumstances of a game with this profile in this environment. */
export function circumstancesOf(profile: Profile, environment: Environment): Circumstances {
  const { genre, topology, movement, favour, exposeAddress } = profile;
  const device = { ...environment.device, ...profile.device };
  return { ...environment, device, genre, topology, movement, favour, exposeAddress };
}

/**
 * Throws for circumstances that cannot be.
 *
 * @throws ConfigError naming the field, its value and what is allowed.
 */
export function checkCircumstances(circumstances: Circumstances): void {
  const { available, server, device, peers, directPeers = 0, measured } = circumstances;
  checkOneOf("genre", circumstances.genre, genres);
  checkOneOf("topology", circumstances.topology, topologies);
  checkOneOf("movement", circumstances.movement, movements);
  checkOneOf("favour", circumstances.favour, favours);
  checkBoolean("exposeAddress", circumstances.exposeAddress);
  checkOneOf("security", circumstances.security, ["https", "http", "unknown"]);
  checkBoolean("available.webrtc", available.webrtc);
  if (server !== undefined && server.webrtc !== "unknown") checkBoolean("server.webrtc", server.webrtc);
  checkOneOf("device.battery", device.battery, batteries);
  checkOneOf("device.network", device.network, networks);
  checkCount("peers", peers);
  checkCount("directPeers", directPeers);
  if (measured !== undefined) checkMeasured(measured);
}

function checkCount(field: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new ConfigError({ field, value, expected: "a whole number of other players, 0 or more" });
}

function checkMeasured({ lossRatio, rttMs, jitterMs, queuedBytes, stallRatio, uploadRatio }: Measured): void {
  const ratio = "a ratio from 0 to 1";
  const duration = "a finite number of ms, 0 or more";
  checkNumber("measured.lossRatio", lossRatio, 1, ratio);
  checkNumber("measured.rttMs", rttMs, Number.MAX_VALUE, duration);
  checkNumber("measured.jitterMs", jitterMs, Number.MAX_VALUE, duration);
  checkNumber("measured.queuedBytes", queuedBytes, Number.MAX_VALUE, "a number of bytes, 0 or more");
  checkNumber("measured.stallRatio", stallRatio, 1, ratio);
  checkNumber("measured.uploadRatio", uploadRatio, Number.MAX_VALUE, "a share, 0 or more");
}

function checkNumber(field: string, value: unknown, max: number, expected: string): void {
  if (value === undefined || (typeof value === "number" && value >= 0 && value <= max)) return;
  throw new ConfigError({ field, value, expected });
}
