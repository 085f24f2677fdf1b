import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../child.js";
import { TICK_HZ } from "../room/world.js";
import type {
  BotsFigures,
  CapacityOrder,
  CheckersFigures,
  ChildArguments,
  LoadFigures,
  ServerFigures,
} from "./child-process.js";
import { CHECKERS, type Seating } from "./seating.js";

const MAX_AGE_MS = 50;
/** A server that sends fewer states has not done the work. */
const MIN_STATES_PER_SECOND = 0.95 * TICK_HZ;
/** Share of the cores of bots and checkers above which these may have been late themselves. */
const MAX_BOTS_SHARE = 0.9;
/** Checkers that are later than half of the bound may have measured themselves. */
const MAX_CHECKERS_DELAY_MS = MAX_AGE_MS / 2;
/** A turn of a bot. A server takes later acknowledgements for a slow path. */
const MAX_BOTS_DELAY_MS = 100;
/** CPU of other programs, in cores, above which a failure may be theirs. */
const MAX_FOREIGN_CORES = 0.2;
const MAX_BOT_PROCESSES = 8;
const CLOCK_TICKS_PER_SECOND = 100;
/** Limit of all joins. In a large room each one costs the server a message to everybody. */
const JOIN_LIMIT_MS = 90_000;
const ORDER_LIMIT_MS = 30_000;

export interface ProbeOptions extends Seating {
  readonly system: string;
  readonly port: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly profile?: string | undefined;
}

export interface ProbeFigures {
  readonly server: ServerFigures;
  readonly checkers: CheckersFigures;
  readonly bots: readonly BotsFigures[];
  /** CPU of other programs while it was measured; undefined if the system does not say. */
  readonly foreignCores: number | undefined;
}

/**
 * The limit of a system at a number of players. `none`: it holds. `server`: its states were late, too few or
 * stale. `bots`: so they were, but the bots' side may be the cause. `machine`: so they were, but other programs
 * may be the cause. `wrong`: states had wrong values.
 */
export interface Verdict {
  readonly limit: "none" | "server" | "bots" | "machine" | "wrong";
  readonly reason: string;
}

export interface Probe extends ProbeFigures {
  readonly players: number;
  readonly verdict: Verdict;
}

/** The cores of bots and checkers: all but the first, which is the server's. */
function botsCores(): number {
  return Math.max(1, availableParallelism() - 1);
}

export function coresInWords(): string {
  const [own, others] = [availableParallelism() > 1 ? "core 0" : "the only core", coreList()];
  return `server on ${own}, bots and checkers on ${others === undefined ? "the same" : `core ${others}`}`;
}

function coreList(): string | undefined {
  const last = availableParallelism() - 1;
  return last < 1 ? undefined : last === 1 ? "1" : `1-${last}`;
}

/** Runs a server, bots and checkers at a number of players. Throws if a process fails or takes too long. */
export async function runProbe(options: ProbeOptions): Promise<Probe> {
  const { system, port, players, roomPlayers, profile } = options;
  const processes = Math.min(MAX_BOT_PROCESSES, Math.max(2, botsCores()));
  const children: Child<ChildArguments, CapacityOrder>[] = [];
  const start = async (
    role: ChildArguments["role"],
    own: Partial<ChildArguments> = {},
  ): Promise<Child<ChildArguments, CapacityOrder>> => {
    const common = { role, system, port, players, roomPlayers, process: 0, processes, greeting: [] };
    const core = role === "server" ? 0 : (coreList() ?? 0);
    const child = new Child<ChildArguments, CapacityOrder>({ ...common, ...own }, core);
    children.push(child);
    await child.ready();
    return child;
  };
  try {
    const server = await start("server", { profile });
    const checkers = await start("checkers");
    const joinUntilMs = performance.now() + JOIN_LIMIT_MS;
    const joinMs = (): number => Math.max(1, joinUntilMs - performance.now());
    const greeting = (await checkers.order("join", joinMs())) as readonly string[];
    const bots = await Promise.all(
      Array.from({ length: processes }, (_, process) => start("bots", { process, greeting })),
    );
    // The first stage is that of the first checker, before whom nobody joins.
    for (let stage = 1; stage <= CHECKERS; stage++) {
      await orderAll(bots, "join", joinMs());
      await checkers.order("join", joinMs());
    }
    const all = [server, checkers, ...bots];
    await orderAll(bots, "join", joinMs());
    await orderAll(all, "play");
    await pause(options.warmUpSeconds * 1000);
    // A profiler takes a while to begin.
    await server.order("begin", ORDER_LIMIT_MS);
    await orderAll([checkers, ...bots], "begin");
    const busy = busySeconds();
    const own = process.cpuUsage();
    await pause(options.seconds * 1000);
    const busyBefore = busy === undefined ? undefined : busySeconds()! - busy;
    const { user, system: kernel } = process.cpuUsage(own);
    const [serverFigures, checkersFigures, ...botsFigures] = await orderAll(all, "end");
    const figures = {
      server: serverFigures as ServerFigures,
      checkers: checkersFigures as CheckersFigures,
      bots: botsFigures as BotsFigures[],
    };
    const known = [figures.server, figures.checkers, ...figures.bots];
    const ownSeconds = known.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, (user + kernel) / 1e6);
    const foreignCores =
      busyBefore === undefined ? undefined : Math.max(0, (busyBefore - ownSeconds) / options.seconds);
    const probe = { ...figures, foreignCores };
    return { ...probe, players, verdict: verdictOf(probe) };
  } finally {
    for (const child of children.toReversed()) await child.end();
  }
}

function orderAll(
  children: readonly Child<ChildArguments, CapacityOrder>[],
  order: CapacityOrder,
  limitMs = ORDER_LIMIT_MS,
): Promise<unknown[]> {
  return Promise.all(children.map((child) => child.order(order, limitMs)));
}

/** Returns the CPU time of all programs since the machine's start. Undefined if the system does not say. */
function busySeconds(): number | undefined {
  try {
    const [, user, nice, kernel] = readFileSync("/proc/stat", "utf8").split(/\s+/, 4).map(Number);
    return (user! + nice! + kernel!) / CLOCK_TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

export function coresOf({ cpuSeconds, seconds }: LoadFigures): number {
  return cpuSeconds / seconds;
}

/** Cores that bots and checkers took together. */
export function botsSideCores({ bots, checkers }: ProbeFigures): number {
  return [...bots, checkers].reduce((sum, figures) => sum + coresOf(figures), 0);
}

export function statesPerSecond({ checkers }: ProbeFigures): number {
  return checkers.states / checkers.seconds / checkers.checkers;
}

export function verdictOf(figures: ProbeFigures): Verdict {
  const { checkers, foreignCores = 0 } = figures;
  if (checkers.wrong > 0) return { limit: "wrong", reason: `wrong states: ${checkers.example}` };
  const fault = faultOf(figures);
  if (fault === undefined) return { limit: "none", reason: "in time" };
  const other =
    foreignCores > MAX_FOREIGN_CORES && `other programs took ${foreignCores.toFixed(2)} of a core`;
  if (other) return { limit: "machine", reason: `${fault}; ${other}` };
  // Also if the server is busy: one that thinks its players slow has more to do.
  const lateness = botsLateness(figures);
  return lateness === undefined
    ? { limit: "server", reason: fault }
    : { limit: "bots", reason: `${fault}; ${lateness}` };
}

function botsLateness(figures: ProbeFigures): string | undefined {
  const { checkers, bots } = figures;
  const cores = botsSideCores(figures);
  if (cores > MAX_BOTS_SHARE * botsCores()) return `bots and checkers took ${cores.toFixed(2)} cores`;
  if (checkers.delayMsP99 > MAX_CHECKERS_DELAY_MS)
    return `the checkers were ${checkers.delayMsP99.toFixed(0)} ms late`;
  const botsDelayMs = Math.max(...bots.map(({ delayMsP99 }) => delayMsP99));
  return botsDelayMs > MAX_BOTS_DELAY_MS ? `the bots were ${botsDelayMs.toFixed(0)} ms late` : undefined;
}

function faultOf(figures: ProbeFigures): string | undefined {
  const { checkers, bots } = figures;
  const lost = bots.reduce((sum, each) => sum + each.lost, 0);
  if (lost > 0) return `${lost} bots lost their links: ${bots.find(({ example }) => example)?.example}`;
  const rate = statesPerSecond(figures);
  if (rate < MIN_STATES_PER_SECOND) return `${rate.toFixed(1)} states a second`;
  if (!(checkers.ageMsP99 <= MAX_AGE_MS)) return `states are ${checkers.ageMsP99.toFixed(0)} ms old (p99)`;
  return checkers.stale > 0 ? `${checkers.stale} stale states` : undefined;
}
