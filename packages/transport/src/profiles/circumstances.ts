import type { HeldBands } from "./bands.js";
import type { Battery, Favour, Genre, Movement, Network, Profile, Topology } from "./profile.js";

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
  /** Share of round trips over an ordered link that waited for lost segments, 0 to 1. */
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
