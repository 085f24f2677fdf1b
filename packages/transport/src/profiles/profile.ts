import { ConfigError } from "@paceline/protocol";

/** Genres that have a profile. */
export const genres = ["racing", "shooter", "action", "rpg", "mmo", "strategy", "puzzle", "party"] as const;
/** Name of a genre, and so of its profile. */
export type Genre = (typeof genres)[number];

/** Ways in which the participants of a room are connected. */
export const topologies = ["server", "relay", "mesh", "host"] as const;
/**
 * Who talks to whom: an authoritative server to each player; players to each other through a relay that knows no rules;
 * every player to every other; or every player to one of them, the host.
 */
export type Topology = (typeof topologies)[number];

/** Aims between which a game has to choose. */
export const favours = ["latency", "bandwidth", "cpu"] as const;
/** What to favour where two aims contradict each other. */
export type Favour = (typeof favours)[number];

/** Ways to show the entities of others. */
export const viewStyles = ["extrapolation", "interpolation", "lock step"] as const;
/**
 * How the entities of others are shown between two states: where the model says they are now, between the two newest
 * states, or not at all in between, since all participants compute the same steps from the same input.
 */
export type ViewStyle = (typeof viewStyles)[number];

/** Rates and limits of a genre; the decision tree changes some of them for the device and the network. */
export interface ProfileNumbers {
  /** Most states of an entity (or turns of a lock step) per second that one participant sends. */
  readonly stateHz: number;
  /** Steps of the simulation per second. */
  readonly tickHz: number;
  /** How long (ms) packets are collected before they are sent in one. */
  readonly sendPeriodMs: number;
  /** An entity that does not need to be sent is sent all the same after this time, ms. */
  readonly heartbeatMs: number;
  /** A state is sent when what receivers extrapolate is off by more than this, metres. */
  readonly thresholdM: number;
  /** The same for the direction an entity looks in, radians. */
  readonly headingRad: number;
  /** An event that could not be sent within this time, ms, is dropped. */
  readonly eventLifetimeMs: number;
  /** Interpolation: how far (ms) the picture of others stays behind their newest state. */
  readonly interpolationDelayMs: number;
  /** How long (ms) others are moved on without a new state before they stop. */
  readonly extrapolationLimitMs: number;
  /** Most other players with whom a direct link each is kept; with more, everything goes through the relay. */
  readonly maxDirectPeers: number;
  /**
   * What direct links to all others may take of this player's uplink together, bytes per second with headers; while they
   * would take more, everything goes through the relay, which wants one copy.
   */
  readonly uploadBytesPerSecond: number;
  /** Bytes of states per second for one receiver; when they run out, the most wrong entities go first. */
  readonly stateBytesPerSecond: number;
}

/** What a game of one genre needs, as far as the network is concerned. */
export interface Profile extends ProfileNumbers {
  readonly genre: Genre;
  readonly topology: Topology;
  /** Whether things move continuously, as opposed to move by move. */
  readonly freeMovement: boolean;
  readonly favour: Favour;
  readonly style: ViewStyle;
}

/** Allowed values of each number of a profile, both ends included, with the unit. */
export const profileRanges: Readonly<
  Record<keyof ProfileNumbers, { readonly min: number; readonly max: number; readonly unit: string }>
> = Object.freeze({
  stateHz: { min: 1, max: 120, unit: "per second" },
  tickHz: { min: 1, max: 240, unit: "per second" },
  sendPeriodMs: { min: 0, max: 100, unit: "ms" },
  heartbeatMs: { min: 100, max: 60_000, unit: "ms" },
  thresholdM: { min: 0, max: 1000, unit: "m" },
  headingRad: { min: 0, max: Math.PI, unit: "rad" },
  eventLifetimeMs: { min: 50, max: 60_000, unit: "ms" },
  interpolationDelayMs: { min: 0, max: 2000, unit: "ms" },
  extrapolationLimitMs: { min: 0, max: 5000, unit: "ms" },
  maxDirectPeers: { min: 0, max: 64, unit: "players" },
  uploadBytesPerSecond: { min: 1000, max: 1_000_000_000, unit: "bytes per second" },
  stateBytesPerSecond: { min: 500, max: 10_000_000, unit: "bytes per second" },
});

/**
 * Checks a profile and gives a frozen copy.
 *
 * @throws ConfigError naming the first field that is missing or outside its range.
 */
export function validateProfile(profile: Profile): Profile {
  checkOneOf("genre", profile.genre, genres);
  checkOneOf("topology", profile.topology, topologies);
  checkOneOf("favour", profile.favour, favours);
  checkOneOf("style", profile.style, viewStyles);
  checkBoolean("freeMovement", profile.freeMovement);
  for (const [field, { min, max, unit }] of Object.entries(profileRanges)) {
    const value: unknown = profile[field as keyof ProfileNumbers];
    if (typeof value === "number" && value >= min && value <= max) continue;
    throw new ConfigError({ field, value, expected: `a number from ${min} to ${max} ${unit}` });
  }
  if (profile.stateHz > profile.tickHz) {
    throw new ConfigError({
      field: "stateHz",
      value: profile.stateHz,
      expected: `at most tickHz, ${profile.tickHz} per second: there is no newer state in between`,
    });
  }
  return Object.freeze({ ...profile });
}

/** Throws a ConfigError unless `value` is one of `allowed`. */
export function checkOneOf(field: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === "string" && allowed.includes(value)) return;
  throw new ConfigError({ field, value, expected: `one of ${allowed.join(", ")}` });
}

/** Throws a ConfigError unless `value` is a boolean. */
export function checkBoolean(field: string, value: unknown): void {
  if (typeof value !== "boolean") throw new ConfigError({ field, value, expected: "true or false" });
}
