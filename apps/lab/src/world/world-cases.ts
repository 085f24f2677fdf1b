import { HUBS, type SchemeName, type WorldShape } from "./world-shape.js";

/** `memory`: links of memory under virtual time. `sockets`: WebSockets on this machine. */
export type Scheme = "memory" | "sockets";

/** Figures of a case that have a limit. */
export type Goals = Readonly<
  Partial<Record<"tickMsP95" | "tickMsP99" | "bytesPerReceiverPerSecond", number>>
>;

/** A world that is measured, and what it may cost. */
export interface WorldCase {
  readonly scheme: Scheme;
  readonly shape: WorldShape;
  readonly goals: Goals;
}

const BYTES_PER_SECOND = 131_072;
const SCALING_RECEIVERS = [250, 500, 1000];
const SCALING_IN_VIEW = [10, 20, 40];
/** A room has no more players than this. More entities belong to nobody. */
const MAX_RECEIVERS = 1000;
const LARGEST_WORLD = 2000;

function worldOf(distribution: "uniform" | "hot-spot", entities: number, aimedInView: number): WorldShape {
  const receivers = Math.min(entities, MAX_RECEIVERS);
  return { distribution, entities, receivers, tickHz: 10, aimedInView, bytesPerSecond: BYTES_PER_SECOND };
}

/** Returns the cases with goals. `share`: of the players of the goals, to be quick. */
export function goalCases(share: number): WorldCase[] {
  const thousand = Math.round(MAX_RECEIVERS * share);
  const both = (["uniform", "hot-spot"] as const).map((distribution) => worldOf(distribution, thousand, 20));
  return [
    ...both.map((shape): WorldCase => ({ scheme: "memory", shape, goals: { tickMsP99: 30 } })),
    {
      scheme: "sockets",
      shape: crowdOf("all-in-view", Math.round(250 * share), 20, 16_000),
      goals: { tickMsP95: 25, bytesPerReceiverPerSecond: 12_000 },
    },
    {
      scheme: "sockets",
      shape: crowdOf("three-hubs", Math.round(600 * share), 10, BYTES_PER_SECOND),
      goals: { tickMsP95: 45 },
    },
    ...both.map((shape): WorldCase => ({ scheme: "sockets", shape, goals: { tickMsP95: 70 } })),
  ];
}

function crowdOf(
  distribution: "all-in-view" | "three-hubs",
  players: number,
  tickHz: number,
  bytesPerSecond: number,
): WorldShape {
  const aimedInView = distribution === "three-hubs" ? players / HUBS : players;
  return { distribution, entities: players, receivers: players, tickHz, aimedInView, bytesPerSecond };
}

/** Returns the cases that show how costs grow with the players and with what they see. `share`: of the players, to be quick. */
export function scalingCases(share: number): WorldCase[] {
  const sizes = [...SCALING_RECEIVERS, LARGEST_WORLD];
  return sizes.flatMap((entities) =>
    SCALING_IN_VIEW.map((inView): WorldCase => {
      return { scheme: "memory", shape: worldOf("uniform", Math.round(entities * share), inView), goals: {} };
    }),
  );
}

const SCHEMES: readonly SchemeName[] = ["squares", "hexagons", "quadtree", "aura"];

/** Returns the same two worlds for each scheme of interest. `share`: of the players, to be quick. */
export function schemeCases(share: number): WorldCase[] {
  const players = Math.round(MAX_RECEIVERS * share);
  return (["uniform", "hot-spot"] as const).flatMap((distribution) =>
    SCHEMES.map((interest): WorldCase => {
      return { scheme: "memory", shape: { ...worldOf(distribution, players, 20), interest }, goals: {} };
    }),
  );
}
