import { ConfigError } from "@paceline/protocol";
import type { HeldBands } from "./bands.js";
import {
  checkBoolean,
  checkOneOf,
  type Favour,
  favours,
  type Genre,
  genres,
  type Profile,
  topologies,
  type Topology,
} from "./profile.js";

/** What the running connection was measured to do. */
export interface Measured {
  /** Share of packets that do not arrive, 0 to 1. */
  readonly lossRatio: number;
  /** Round-trip time, ms. */
  readonly rttMs: number;
  /** Standard deviation of the one-way delay, ms. */
  readonly jitterMs: number;
  /** Bytes that wait because a path does not take them; default 0. */
  readonly queuedBytes?: number;
  /** Share of round trips over an ordered link, 0 to 1, that waited behind lost segments; default 0. */
  readonly stallRatio?: number;
  /** What direct links to all others would take, as a share of the upload that may be used for them; default 0. */
  readonly uploadRatio?: number;
}

/** Everything that the decision tree looks at. */
export interface Circumstances {
  readonly genre: Genre;
  readonly topology: Topology;
  readonly freeMovement: boolean;
  readonly favour: Favour;
  /** How the page was loaded. */
  readonly security: "https" | "http";
  /** What this environment has, probed (never guessed from its name), and what the game allows. */
  readonly available: {
    readonly webrtc: boolean;
    readonly websocket: boolean;
    readonly webtransport: boolean;
  };
  /** What the server speaks beside WebSocket; default: nothing. */
  readonly server?: { readonly webrtc: boolean; readonly webtransport: boolean };
  readonly device: { readonly battery: "ok" | "low"; readonly network: "fixed" | "mobile" };
  /** Other players in the room. */
  readonly peers: number;
  /** Absent until there is something to go by. */
  readonly measured?: Measured;
  /** Bands that count instead of those of the numbers: they hold on, so that decisions do not flap. */
  readonly held?: HeldBands;
}

/** Circumstances without what a profile says itself. */
export type Surroundings = Omit<Circumstances, "genre" | "topology" | "freeMovement" | "favour">;

/** The circumstances of a game with this profile in these surroundings. */
export function circumstancesOf(profile: Profile, surroundings: Surroundings): Circumstances {
  const { genre, topology, freeMovement, favour } = profile;
  return { ...surroundings, genre, topology, freeMovement, favour };
}

/**
 * Throws for circumstances that cannot be.
 *
 * @throws ConfigError naming the field, its value and what is allowed.
 */
export function checkCircumstances(circumstances: Circumstances): void {
  const { available, server, device, peers, measured } = circumstances;
  checkOneOf("genre", circumstances.genre, genres);
  checkOneOf("topology", circumstances.topology, topologies);
  checkBoolean("freeMovement", circumstances.freeMovement);
  checkOneOf("favour", circumstances.favour, favours);
  checkOneOf("security", circumstances.security, ["https", "http"]);
  for (const link of ["webrtc", "websocket", "webtransport"] as const) {
    checkBoolean(`available.${link}`, available[link]);
  }
  if (server !== undefined) {
    checkBoolean("server.webrtc", server.webrtc);
    checkBoolean("server.webtransport", server.webtransport);
  }
  checkOneOf("device.battery", device.battery, ["ok", "low"]);
  checkOneOf("device.network", device.network, ["fixed", "mobile"]);
  if (!Number.isInteger(peers) || peers < 0) {
    throw new ConfigError({
      field: "peers",
      value: peers,
      expected: "a whole number of other players, 0 or more",
    });
  }
  if (measured !== undefined) checkMeasured(measured);
}

function checkMeasured(measured: Measured): void {
  const { lossRatio, rttMs, jitterMs, queuedBytes = 0, stallRatio = 0, uploadRatio = 0 } = measured;
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
  if (typeof value === "number" && value >= 0 && value <= max) return;
  throw new ConfigError({ field, value, expected });
}
