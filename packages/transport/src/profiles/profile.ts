import { ConfigError, checkKeys } from "@paceline/protocol";

/** Genres that have a profile. */
export const genres = ["racing", "shooter", "action", "rpg", "mmo", "strategy", "puzzle", "party"] as const;
/** Name of a genre and of its profile. */
export type Genre = (typeof genres)[number];

/** Ways to connect the participants of a room. */
export const topologies = ["authority", "relay", "mesh"] as const;
/**
 * The participants that exchange traffic. `authority`: each player with a server that decides. `relay`:
 * players with each other, all through the relay. `mesh`: players with each other, directly if a pair can.
 */
export type Topology = (typeof topologies)[number];

/** Kinds of movement. */
export const movements = ["free", "bound"] as const;
/** `free`: things move continuously. `bound`: they move step by step, and nothing changes in between. */
export type Movement = (typeof movements)[number];

/** Aims that a game may favour. */
export const favours = ["latency", "bandwidth", "cpu"] as const;
/** The aim to favour if two aims conflict. */
export type Favour = (typeof favours)[number];

/** Ways to show the entities of others. */
const viewStyles = ["extrapolation", "interpolation"] as const;
/**
 * `extrapolation`: entities of others are shown at the present position of the motion model. `interpolation`:
 * between the two newest states.
 */
export type ViewStyle = (typeof viewStyles)[number];

/** Charges of the battery, as a probe or the game reports them. */
const batteries = ["ok", "low", "unknown"] as const;
/** Charge of the battery. `unknown` if the environment does not report it. */
export type Battery = (typeof batteries)[number];
const networks = ["fixed", "mobile", "unknown"] as const;
/** Kind of network. `unknown` if the environment does not report it. */
export type Network = (typeof networks)[number];

/** Rates and limits of a genre. The decision tree adapts some of them to the device and the network. */
export interface ProfileNumbers {
  /** Limit of states of an entity per second that one participant sends, or wants from an authority. */
  readonly stateHz: number;
  /** Steps of the game's simulation per second. Fixed when a room is joined. */
  readonly tickHz: number;
  /** Shortest time between packets of states, ms. Holds for messages too unless latency is favoured. */
  readonly sendPeriodMs: number;
  /** Longest time between two sends of an entity, ms, even without a change. */
  readonly heartbeatMs: number;
  /** Error of the receivers' extrapolation above which a state is sent, metres. */
  readonly thresholdM: number;
  /** Error of an entity's direction above which a state is sent, radians. */
  readonly headingRad: number;
  /** Time after which an unsent event is dropped, ms. */
  readonly eventLifetimeMs: number;
  /** Interpolation: time by which others are shown later than their newest state, ms. */
  readonly interpolationDelayMs: number;
  /** Longest time that receivers move others on without a new state, ms. */
  readonly extrapolationLimitMs: number;
  /** Limit of other players with a direct link each. With more, everything goes through the relay. */
  readonly maxDirectPeers: number;
  /**
   * Uplink budget of all direct links together, bytes per second with headers. If they need more, everything
   * goes through the relay, which takes one copy.
   */
  readonly uploadBytesPerSecond: number;
  /**
   * Uplink budget of all links together, bytes per second without the network's own headers. If the traffic
   * exceeds it, the classes divide it by priority and share.
   */
  readonly sendBytesPerSecond: number;
  /**
   * Bytes of states per second for one receiver. If they run out, the entities with the largest errors go
   * first. In a room with an authority the default is what 64 moving entities need at `stateHz`.
   */
  readonly stateBytesPerSecond: number;
}

/** Traffic classes that a game may weigh against each other. */
export const trafficClasses = ["command", "input", "event", "state", "bulk"] as const;
/** Weight of one class against the others if the budget is short. */
export interface TrafficWeight {
  /** The class with the greatest priority goes first. */
  readonly priority: number;
  /** Share of the bytes while the class has something to send. All classes together have at most 1. */
  readonly share: number;
}
export type TrafficWeights = Readonly<Record<(typeof trafficClasses)[number], TrafficWeight>>;
/** Settings of the traffic in an override. */
export type TrafficOverrides = {
  readonly [Name in (typeof trafficClasses)[number]]?: Partial<TrafficWeight>;
};

/**
 * Default weights. Commands change the game and go first. States have the same share as commands, so that a
 * burst of commands cannot freeze the picture. Bulk goes last, but its share lets it finish.
 */
export const ordinaryTraffic: TrafficWeights = Object.freeze({
  command: Object.freeze({ priority: 5, share: 0.3 }),
  input: Object.freeze({ priority: 4, share: 0.2 }),
  event: Object.freeze({ priority: 3, share: 0.15 }),
  state: Object.freeze({ priority: 2, share: 0.3 }),
  bulk: Object.freeze({ priority: 1, share: 0.05 }),
});

/** The network needs of a genre. */
export interface Profile extends ProfileNumbers {
  readonly genre: Genre;
  readonly topology: Topology;
  readonly movement: Movement;
  readonly favour: Favour;
  readonly style: ViewStyle;
  readonly traffic: TrafficWeights;
  /** False: no links are direct between players, so that no player learns another's address. */
  readonly exposeAddress: boolean;
  /** Facts about the device that the game knows better than a probe. */
  readonly device: { readonly battery?: Battery; readonly network?: Network };
  /** True if the game has set `stateBytesPerSecond`, which then counts in every room. */
  readonly hasOwnStateBudget: boolean;
}

/** A genre's profile with the changes of a game. */
export interface ProfileOverrides {
  readonly base: Genre;
  readonly favour?: Favour;
  readonly movement?: Movement;
  /** Default: the genre's, as far as the room allows it. A topology that the room lacks is refused. */
  readonly topology?: Topology;
  readonly numbers?: Partial<ProfileNumbers>;
  readonly device?: Profile["device"];
  /** Default: the genre's. */
  readonly traffic?: TrafficOverrides;
  /** Default: true. */
  readonly exposeAddress?: boolean;
}

/** A genre, or a genre with changes. */
export type ProfileChoice = Genre | ProfileOverrides;

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
  sendBytesPerSecond: { min: 1000, max: 1_000_000_000, unit: "bytes per second" },
  stateBytesPerSecond: { min: 500, max: 10_000_000, unit: "bytes per second" },
});

/**
 * Checks the numbers of a profile.
 *
 * @param at prefix of the fields' names in errors, such as `profile.numbers.`
 * @throws ConfigError naming the first number that is outside its range.
 */
export function checkNumbers(profile: ProfileNumbers, at: string): void {
  for (const [field, { min, max, unit }] of Object.entries(profileRanges)) {
    checkNumber(at + field, profile[field as keyof ProfileNumbers], min, max, ` ${unit}`);
  }
  if (profile.stateHz > profile.tickHz) {
    throw new ConfigError(
      `${at}stateHz`,
      profile.stateHz,
      `at most tickHz, ${profile.tickHz} per second: there is no newer state in between`,
    );
  }
}

/** Throws a ConfigError unless `value` is one of `allowed`. */
export function checkOneOf(field: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value === "string" && allowed.includes(value)) return;
  throw new ConfigError(field, value, `one of ${allowed.join(", ")}`);
}

/** Throws a ConfigError unless `value` is a boolean. */
export function checkBoolean(field: string, value: unknown): void {
  if (typeof value !== "boolean") throw new ConfigError(field, value, "true or false");
}

/** Throws a ConfigError unless all given facts about the device have known values. */
export function checkDevice(field: string, device: Profile["device"]): void {
  checkKeys(field, device, ["battery", "network"]);
  if (device.battery !== undefined) checkOneOf(`${field}.battery`, device.battery, batteries);
  if (device.network !== undefined) checkOneOf(`${field}.network`, device.network, networks);
}

/**
 * Throws a ConfigError unless all weights are of known classes and in range, and the shares sum to at most 1.
 */
export function checkTraffic(field: string, traffic: TrafficOverrides): void {
  checkKeys(field, traffic, trafficClasses);
  let sum = 0;
  for (const [name, weight] of Object.entries(traffic)) {
    checkKeys(`${field}.${name}`, weight, ["priority", "share"]);
    const { priority = 1, share = 0.01 } = weight;
    checkNumber(`${field}.${name}.priority`, priority, 1, 9);
    checkNumber(`${field}.${name}.share`, share, 0.01, 1);
    sum += share;
  }
  if (sum <= 1.000_001) return;
  throw new ConfigError(field, sum, "shares of at most 1 together");
}

function checkNumber(field: string, value: unknown, min: number, max: number, unit = ""): void {
  if (typeof value === "number" && value >= min && value <= max) return;
  throw new ConfigError(field, value, `a number from ${min} to ${max}${unit}`);
}
