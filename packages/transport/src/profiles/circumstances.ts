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

/** Measurements of the running connection. An absent one is unknown. */
export interface Measured {
  /** Share of lost packets, 0 to 1. Absent on an ordered link, which repeats them. */
  readonly lossRatio?: number;
  /** Round-trip time, ms. */
  readonly rttMs?: number;
  /** Mean difference between neighbouring round trips, ms. */
  readonly jitterMs?: number;
  /** Bytes that wait because a path does not accept them. */
  readonly queuedBytes?: number;
  /** Share of round trips over an ordered link that waited behind lost segments, 0 to 1. */
  readonly stallRatio?: number;
  /** Upload that direct links to all players need, as a share of their budget. */
  readonly uploadRatio?: number;
}

/** All inputs of the decision tree. */
export interface Circumstances {
  readonly genre: Genre;
  readonly topology: Topology;
  readonly movement: Movement;
  readonly favour: Favour;
  /** False: players must not learn each other's addresses. */
  readonly exposeAddress: boolean;
  /** How the page was loaded. `unknown` without a page. */
  readonly security: "https" | "http" | "unknown";
  /** Abilities of the environment that the game permits. They are probed, never guessed from its name. */
  readonly available: { readonly webrtc: boolean };
  /**
   * True if the server supports WebRTC too. `unknown` until the server has announced it. Default: unknown.
   */
  readonly server?: { readonly webrtc: boolean | "unknown" };
  readonly device: { readonly battery: Battery; readonly network: Network };
  /** Other players in the room. */
  readonly peers: number;
  /**
   * Number of these players that could have a direct link. Players that only the relay reaches do not count.
   * Default: all.
   */
  readonly directPeers?: number;
  /** Absent until something was measured. */
  readonly measured?: Measured;
  /** Bands that replace those of the numbers. They change slowly, so that decisions do not flap. */
  readonly held?: HeldBands;
}

/** Circumstances without those that come from a profile. */
export type Environment = Omit<Circumstances, "genre" | "topology" | "movement" | "favour" | "exposeAddress">;

/** Returns the circumstances of a game with this profile in this environment. */
export function circumstancesOf(profile: Profile, environment: Environment): Circumstances {
  const { genre, topology, movement, favour, exposeAddress } = profile;
  const device = { ...environment.device, ...profile.device };
  return { ...environment, device, genre, topology, movement, favour, exposeAddress };
}

/**
 * Checks circumstances.
 *
 * @throws ConfigError naming the field, its value and the allowed values.
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
  throw new ConfigError(field, value, "a whole number of other players, 0 or more");
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
  throw new ConfigError(field, value, expected);
}
