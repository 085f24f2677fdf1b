import { ConfigError, checkKeys } from "@paceline/protocol";
import {
  checkBoolean,
  checkDevice,
  checkOneOf,
  checkTraffic,
  favours,
  type Genre,
  genres,
  movements,
  ordinaryTraffic,
  type Profile,
  type ProfileChoice,
  type ProfileOverrides,
  type ProfileNumbers,
  profileRanges,
  topologies,
  trafficClasses,
  type TrafficOverrides,
  type TrafficWeight,
  type TrafficWeights,
  checkNumbers,
} from "./profile.js";

// Sources of the figures:
// - stateHz: 10 per second for role-playing, 30 for shooters and racing (Discart 2014, section 4.2.2); 3 to
//   5 for an MMO (MilMo, Abrahamsson and Moberg 2011: 3 while moving); turns of 200 ms for strategy (Age of
//   Empires, as cited there).
// - heartbeatMs: 5 s in DIS (IEEE 1278), 10 s in MilMo; shorter if a wrong picture costs a race or a life. At
//   most 2 s with a server that decides (MAX_HEARTBEAT_MS): players synchronise their clocks by its states.
// - eventLifetimeMs: 1500 ms (PlaneShift over SCTP, Burgos-Amador et al.); a shot is useless after a third
//   of that.
// - interpolationDelayMs: at 10 states per second 100 ms survive no loss, 250 ms one (Fiedler, Snapshot
//   Interpolation); about 2.5 intervals here, at least 100 ms.
// - thresholdM: with an acceleration of 5 m/s² a first-order model needs a new state every sqrt(2 *
//   threshold / 5) s: 0.1 m every 0.2 s, 0.5 m every 0.45 s.
// - extrapolationLimitMs of racing: a second. Half of it made no difference on recorded cars at 1 % loss:
//   `pnpm bench motion`, variant limit-500ms.
// - sendPeriodMs: below 50 ms (Saldana 2015: the mean opinion score stays above 3.5 for every delay he
//   tried).
// - maxDirectPeers: stateHz states of 150 bytes per second to each fit into 300 kbit/s of uplink, with at
//   most 16 connections to set up and keep alive.
// - uploadBytesPerSecond: 1 Mbit/s, which nearly every uplink has. maxDirectPeers is an estimate before
//   anything was sent; this limit is compared with measurements.
// - sendBytesPerSecond: 10 Mbit/s, ten times what nearly every uplink has, to limit mistakes. A game that
//   knows its players' lines sets its own.
// - stateBytesPerSecond: 128 kbit/s per receiver if players send to each other, so that eight take 1 Mbit/s
//   of uplink at most; twice that for shooters; half or less if bandwidth is favoured. In a room that decides
//   one server sends to each player, so the number is what its entities need: see downloadBudgetAt.

/** Moving entities that a room with an authority must carry to each player. */
const ENTITIES = 64;
/**
 * Bytes of a state from an authority. 10.0 were measured for a position in space, a heading and a count that
 * nothing predicts (`pnpm unit down-budget`); the rest is for more fields.
 */
const STATE_BYTES = 16;
/** Bytes of a packet's heads. */
const HEADS_BYTES = 40;

/** Returns the bytes per second that the states of 64 moving entities need, at this rate of each. */
export function downloadBudgetAt(stateHz: number): number {
  return Math.ceil(stateHz * (ENTITIES * STATE_BYTES + HEADS_BYTES));
}

/** Default values of all genres. */
const ordinary = {
  topology: "mesh",
  movement: "free",
  favour: "latency",
  style: "interpolation",
  exposeAddress: true,
  device: {},
  traffic: ordinaryTraffic,
  stateHz: 20,
  tickHz: 60,
  sendPeriodMs: 33,
  heartbeatMs: 1000,
  thresholdM: 0.1,
  headingRad: 0.1,
  eventLifetimeMs: 1500,
  interpolationDelayMs: 125,
  extrapolationLimitMs: 250,
  maxDirectPeers: 12,
  uploadBytesPerSecond: 125_000,
  sendBytesPerSecond: 1_250_000,
  stateBytesPerSecond: 16_000,
  hasOwnStateBudget: false,
} as const satisfies Omit<Profile, "genre">;

function genreProfile(genre: Genre, changes: Partial<Profile>): Profile {
  return Object.freeze({ genre, ...ordinary, ...changes });
}

/** The profiles by genre. Their rates suit a good fixed network, and the decision tree adapts them. */
export const profiles: Readonly<Record<Genre, Profile>> = Object.freeze({
  racing: genreProfile("racing", {
    style: "extrapolation",
    stateHz: 30,
    headingRad: 0.03,
    interpolationDelayMs: 100,
    extrapolationLimitMs: 1000,
    maxDirectPeers: 8,
  }),
  shooter: genreProfile("shooter", {
    topology: "authority",
    stateHz: 30,
    sendPeriodMs: 16,
    thresholdM: 0.05,
    headingRad: 0.02,
    eventLifetimeMs: 500,
    interpolationDelayMs: 100,
    maxDirectPeers: 8,
    stateBytesPerSecond: 32_000,
  }),
  action: genreProfile("action", {
    headingRad: 0.05,
  }),
  rpg: genreProfile("rpg", {
    favour: "bandwidth",
    stateHz: 10,
    tickHz: 20,
    sendPeriodMs: 45,
    heartbeatMs: 2000,
    thresholdM: 0.2,
    interpolationDelayMs: 250,
    extrapolationLimitMs: 500,
    maxDirectPeers: 16,
    stateBytesPerSecond: 8_000,
  }),
  mmo: genreProfile("mmo", {
    topology: "authority",
    favour: "bandwidth",
    stateHz: 5,
    tickHz: 10,
    sendPeriodMs: 50,
    heartbeatMs: 2000,
    thresholdM: 0.4,
    headingRad: 0.2,
    interpolationDelayMs: 500,
    extrapolationLimitMs: 1000,
    maxDirectPeers: 16,
    stateBytesPerSecond: 8_000,
  }),
  strategy: genreProfile("strategy", {
    movement: "bound",
    favour: "bandwidth",
    stateHz: 5,
    tickHz: 20,
    sendPeriodMs: 50,
    heartbeatMs: 2000,
    thresholdM: 0.4,
    headingRad: 0.2,
    interpolationDelayMs: 500,
    extrapolationLimitMs: 1000,
    maxDirectPeers: 16,
    stateBytesPerSecond: 4_000,
  }),
  puzzle: genreProfile("puzzle", {
    topology: "authority",
    movement: "bound",
    favour: "cpu",
    stateHz: 10,
    tickHz: 30,
    heartbeatMs: 2000,
    interpolationDelayMs: 250,
    extrapolationLimitMs: 500,
    maxDirectPeers: 16,
    stateBytesPerSecond: 4_000,
  }),
  party: genreProfile("party", {}),
});

function profileNamed(name: string): Profile {
  checkOneOf("profile", name, genres);
  return profiles[name as Genre];
}

const overrideKeys = [
  "base",
  "favour",
  "movement",
  "topology",
  "numbers",
  "device",
  "traffic",
  "exposeAddress",
] as const;

/**
 * Returns the profile of a game's choice: a genre's own, or one with changes.
 *
 * @throws ConfigError for an unknown key or value, with the known ones.
 */
export function profileOf(choice: ProfileChoice): Profile {
  if (typeof choice === "string") return profileNamed(choice);
  if (typeof choice !== "object" || choice === null) {
    const expected = `one of ${genres.join(", ")}, or an object of ${overrideKeys.join(", ")}`;
    throw new ConfigError("profile", choice, expected);
  }
  checkKeys("profile", choice, overrideKeys);
  checkOneOf("profile.base", choice.base, genres);
  const { base, numbers = {}, device = {}, traffic = {} } = choice;
  checkKeys("profile.numbers", numbers, Object.keys(profileRanges));
  checkDevice("profile.device", device);
  checkTraffic("profile.traffic", traffic);
  const { favour, movement, topology, exposeAddress } = { ...profiles[base], ...given(choice) };
  checkOneOf("profile.favour", favour, favours);
  checkOneOf("profile.movement", movement, movements);
  checkOneOf("profile.topology", topology, topologies);
  checkBoolean("profile.exposeAddress", exposeAddress);
  assertConsistent(choice);
  const changed = {
    ...profiles[base],
    favour,
    movement,
    topology,
    exposeAddress,
    device,
    traffic: weighed(base, traffic),
    ...pacedBy(base, numbers),
    hasOwnStateBudget: numbers.stateBytesPerSecond !== undefined,
  };
  checkNumbers(changed, "profile.numbers.");
  return Object.freeze(changed);
}

/**
 * Returns the choice with `tickHz` steps per second. Lowers the genre's rate of states to the steps. Keeps
 * the game's own rate of states, and refuses one above the steps.
 *
 * @throws ConfigError as {@link profileOf} does
 */
export function choiceAt(choice: ProfileChoice, tickHz: number): ProfileOverrides {
  const overrides = typeof choice === "string" ? { base: choice } : choice;
  const { stateHz: usualHz } = profileNamed(overrides?.base);
  const { stateHz = Math.min(usualHz, tickHz) } = overrides.numbers ?? {};
  const changed = { ...overrides, numbers: { ...overrides.numbers, tickHz, stateHz } };
  profileOf(changed);
  return changed;
}

/** Returns the genre's weights with a game's changes. Throws if the shares sum to more than 1. */
function weighed(base: Genre, changes: TrafficOverrides): TrafficWeights {
  const { traffic } = profiles[base];
  const weigh = (name: keyof TrafficWeights): TrafficWeight => ({
    ...traffic[name],
    ...given(changes[name] ?? {}),
  });
  const all = Object.fromEntries(trafficClasses.map((name) => [name, weigh(name)]));
  checkTraffic("profile.traffic", all);
  return all as unknown as TrafficWeights;
}

/** Throws a ConfigError if options contradict each other. */
function assertConsistent({ base, movement, topology, exposeAddress }: ProfileOverrides): void {
  if (movement === "bound" && (base === "racing" || base === "shooter")) {
    const expected = `"free": in a ${base} game everything moves all the time`;
    throw new ConfigError("profile.movement", movement, expected);
  }
  if (exposeAddress === false && topology === "mesh") {
    const expected = `true in a mesh, whose players connect directly; or topology "relay"`;
    throw new ConfigError("profile.exposeAddress", exposeAddress, expected);
  }
}

/**
 * Returns the given numbers with a send period: the genre's, or a shorter one for more states than the genre
 * has.
 */
function pacedBy(base: Genre, numbers: Partial<ProfileNumbers>): Partial<ProfileNumbers> {
  const usual = profiles[base];
  const { stateHz = usual.stateHz } = numbers;
  const isFaster = typeof stateHz === "number" && stateHz > usual.stateHz;
  const sendPeriodMs = isFaster ? Math.min(usual.sendPeriodMs, 1000 / stateHz) : usual.sendPeriodMs;
  return { sendPeriodMs, ...given(numbers) };
}

/** Returns the options without undefined ones, which count as left out. */
function given<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
