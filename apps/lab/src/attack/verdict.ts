import { CloseCode } from "@paceline/protocol";
import { MEMBERS, type AttackCase } from "./cases.js";
import type { CpuSample, HostileReport, StateCount } from "./messages.js";
import type { MainThread } from "./main-thread.js";
import type { PageFigures } from "./page-figures.js";
import type { Holdings } from "./server-process.js";
import { DESCRIPTOR_SLACK, percentile, sumOf, type Figures, type Usage } from "./stage.js";

/** Result of one case: a row of the table, and its failures. */
export interface Outcome {
  readonly name: string;
  readonly stage: string;
  readonly seconds: number;
  readonly sent: string;
  /** Latency of the honest room during the attack, and its limit. */
  readonly p99Ms: number;
  readonly p99LimitMs: number;
  readonly messages: number;
  readonly lost: number;
  readonly twice: number;
  readonly joins: number;
  readonly rssMb: number;
  /** CPU of the victim, more than without an attack, ms: for each kB that is hostile, and in a second. */
  readonly cpuMsPerKb?: number;
  readonly cpuMsPerSecond?: number;
  /** States of the watching player for each tick of the attack, as a share of those before. */
  readonly stateShare?: number;
  readonly healthMs?: number;
  readonly heapGrowthMb?: number;
  readonly descriptorGrowth?: number;
  readonly closes: string;
  readonly failures: readonly string[];
}

/** Measurements of one case. */
export interface Observation {
  readonly attack: AttackCase;
  readonly isQuick: boolean;
  readonly seconds: number;
  readonly calmP99Ms: number;
  readonly calmUsage: Usage;
  readonly honest: Figures;
  readonly serverSamples: readonly CpuSample[];
  /** Longest time of an answer of `/health`. */
  readonly healthMs?: number | undefined;
  readonly report: HostileReport;
  readonly page: PageFigures | undefined;
  readonly serverExit: string | undefined;
  readonly rssMb: number;
  readonly counters: readonly [before: Metrics, after: Metrics];
  readonly holdings: readonly [before: Holdings | undefined, after: Holdings | undefined];
}

type Metrics = ReadonlyMap<string, number> | undefined;

/** Limit of honest latencies as a multiple of those without an attack. */
const LATENCY_FACTOR = 3;
/** Lowest limit of honest latencies, ms: a busy machine alone causes delays below it. */
const LATENCY_FLOOR_MS = 50;
/** Beyond this, a machine is too busy to tell: only long standstills fail. */
const MAX_DELAY_FACTOR = 10;
const MAX_RSS_MB = 250;
const MAX_HEAP_GROWTH_MB = 10;
/** An honest room tells the first error of each code: hostile players cause some codes, not a line a packet. */
const MAX_LINES_PER_ROOM = 5;
/** Two honest players stay in the arena, the others in the relayed room; each visit is a room more. */
const STAYING_ROOMS = MEMBERS + 2;
const MAX_HEALTH_MS = 1000;
/** Time until a change of the lines shows. */
const SETTLING_MS = 500;
/** Fewer hostile bytes than this say nothing about the cost of one. */
const MIN_BYTES = 1000;
/**
 * Close codes of WebSockets that this protocol does not define: from `ws`, invalid ones, and cut connections.
 */
const socketCodes = new Set([1002, 1003, 1005, 1006, 1007, 1008, 1009]);
const closeNames = new Map(Object.entries(CloseCode).map(([name, code]) => [code as number, name]));

/** True if late messages are the only failure: a busy machine may have caused them. */
export function isOnlySlow({ failures }: Outcome): boolean {
  return failures.length === 1 && failures[0]!.startsWith(SLOW);
}

/** Returns the outcome of a case that could not run to its end. */
export function unplayed({ name, stage }: AttackCase, failure: string): Outcome {
  const nothing = { seconds: 0, sent: "", p99Ms: 0, p99LimitMs: 0, messages: 0, lost: 0, twice: 0, joins: 0 };
  return { name, stage, ...nothing, rssMb: 0, closes: "", failures: [failure] };
}

const SLOW = "honest messages took";

export function outcomeOf(seen: Observation): Outcome {
  const { attack, honest, report, holdings, rssMb } = seen;
  const p99Ms = percentile(honest.latenciesMs, 0.99);
  const p99LimitMs = delayFactorOf(seen) * Math.max(LATENCY_FLOOR_MS, LATENCY_FACTOR * seen.calmP99Ms);
  const [before, after] = holdings;
  const heapGrowthMb =
    before &&
    after &&
    (after.heapBytes + after.externalBytes - before.heapBytes - before.externalBytes) / 1e6;
  const descriptorGrowth = before && after && after.descriptors - before.descriptors;
  const costs = costsOf(seen);
  return {
    name: attack.name,
    stage: attack.stage,
    ...costs,
    seconds: seen.seconds,
    sent: textOf(report.sent),
    p99Ms,
    p99LimitMs,
    messages: honest.received,
    lost: honest.lost,
    twice: honest.twice,
    joins: honest.joins,
    rssMb,
    ...(heapGrowthMb !== undefined && { heapGrowthMb }),
    ...(descriptorGrowth !== undefined && { descriptorGrowth }),
    closes: textOf(report.closes),
    failures: [
      ...serverFailures(seen, heapGrowthMb, descriptorGrowth),
      ...honestFailures(seen, p99Ms, p99LimitMs),
      ...costFailures(seen, costs),
      ...closeFailures(seen),
      ...report.failures,
    ],
  };
}

type Costs = Pick<Outcome, "cpuMsPerKb" | "cpuMsPerSecond" | "stateShare" | "healthMs">;

/** Returns what the victim needs without an attack. */
function calmCpuMsPerSecond({ attack, calmUsage }: Observation): number {
  return (isServer(attack) ? calmUsage.serverCpuMs : calmUsage.honestCpuMs) / calmUsage.seconds;
}

function isServer({ victim = "server" }: AttackCase): boolean {
  return victim === "server";
}

function costsOf(seen: Observation): Costs {
  const { attack, honest, serverSamples, healthMs, report } = seen;
  const spent = spentIn(isServer(attack) ? serverSamples : honest.cpuSamples, report);
  const cpuMs = spent && Math.max(0, spent.cpuMs - calmCpuMsPerSecond(seen) * spent.seconds);
  const bytes = isServer(attack) ? report.sentBytes : report.routedBytes;
  const stateShare =
    attack.minStateShare === undefined ? undefined : stateShareOf(honest.stateCounts, report);
  return {
    ...(cpuMs !== undefined && bytes > MIN_BYTES && { cpuMsPerKb: (1000 * cpuMs) / bytes }),
    ...(cpuMs !== undefined && { cpuMsPerSecond: cpuMs / spent!.seconds }),
    ...(stateShare !== undefined && { stateShare }),
    ...(healthMs !== undefined && { healthMs }),
  };
}

/**
 * Returns the times from the last sample before the attack to the first one after it: a process that stands
 * still takes none between. Undefined if there are none.
 */
function spentIn(
  samples: readonly CpuSample[],
  { beganAtMs, endedAtMs }: HostileReport,
): (MainThread & { readonly cpuMs: number; readonly seconds: number }) | undefined {
  const first = samples.findLast(({ atMs }) => atMs <= beganAtMs) ?? samples[0];
  const last = samples.find(({ atMs }) => atMs >= endedAtMs) ?? samples.at(-1);
  if (!first || !last || last.atMs <= first.atMs) return undefined;
  return {
    cpuMs: last.cpuMs - first.cpuMs,
    seconds: (last.atMs - first.atMs) / 1000,
    ranMs: last.ranMs - first.ranMs,
    waitedMs: last.waitedMs - first.waitedMs,
  };
}

/** Returns the states for each tick during the attack, as a share of those in as long a time before. */
function stateShareOf(counts: readonly StateCount[], { beganAtMs, endedAtMs }: HostileReport): number {
  const statesPerTick = (fromMs: number, toMs: number): number => {
    const within = counts.filter(({ atMs }) => atMs > fromMs + SETTLING_MS && atMs < toMs);
    const [first, last] = [within[0], within.at(-1)];
    return first && last ? (last.states - first.states) / (last.tick - first.tick) : Number.NaN;
  };
  return statesPerTick(beganAtMs, endedAtMs) / statesPerTick(2 * beganAtMs - endedAtMs, beganAtMs);
}

/**
 * Returns by how much latencies may grow because the server and the honest players had to wait for a CPU: on a
 * machine that does other things, that is no fault of the server. It is the square of how much longer their
 * work took, since what waits for slow work is late by more than the work.
 */
function delayFactorOf({ serverSamples, honest, report }: Observation): number {
  const factors = [serverSamples, honest.cpuSamples].map((samples) => {
    const spent = spentIn(samples, report);
    return spent && spent.ranMs > 0 ? 1 + spent.waitedMs / spent.ranMs : 1;
  });
  return Math.min(Math.max(...factors) ** 2, MAX_DELAY_FACTOR);
}

function costFailures(seen: Observation, costs: Costs): string[] {
  const { attack } = seen;
  const failures: string[] = [];
  const { cpuMsPerSecond = 0, stateShare = 1, healthMs = 0 } = costs;
  const { maxCpuRatio = Infinity, minStateShare = 0 } = attack;
  const cpuLimitMs = maxCpuRatio * calmCpuMsPerSecond(seen);
  if (cpuMsPerSecond > cpuLimitMs)
    failures.push(
      `the victim spent ${cpuMsPerSecond.toFixed(0)} ms a second (limit ${cpuLimitMs.toFixed(0)})`,
    );
  if (!(stateShare >= minStateShare))
    failures.push(
      `a player with a clean line gets ${stateShare.toFixed(2)} of its usual states (limit ${minStateShare})`,
    );
  const healthLimitMs = delayFactorOf(seen) * Math.max(MAX_HEALTH_MS, LATENCY_FACTOR * seen.calmP99Ms);
  if (healthMs > healthLimitMs)
    failures.push(`/health took ${healthMs.toFixed(0)} ms (limit ${healthLimitMs.toFixed(0)})`);
  return failures;
}

function serverFailures(
  { serverExit, rssMb, counters }: Observation,
  heapGrowthMb: number | undefined,
  descriptorGrowth: number | undefined,
): string[] {
  if (serverExit !== undefined) return [`the server ended: ${serverExit}`];
  const failures: string[] = [];
  if (!counters[1]) failures.push("the server does not answer /metrics");
  if (rssMb > MAX_RSS_MB) failures.push(`the server took ${rssMb.toFixed(0)} MB (limit ${MAX_RSS_MB})`);
  if ((heapGrowthMb ?? 0) > MAX_HEAP_GROWTH_MB)
    failures.push(`${heapGrowthMb!.toFixed(1)} MB are not given back (limit ${MAX_HEAP_GROWTH_MB})`);
  if ((descriptorGrowth ?? 0) > DESCRIPTOR_SLACK)
    failures.push(`${descriptorGrowth} descriptors are not given back (limit ${DESCRIPTOR_SLACK})`);
  return failures;
}

function honestFailures(seen: Observation, p99Ms: number, p99LimitMs: number): string[] {
  const { honest, page, attack } = seen;
  const failures = [...honest.faults];
  if (honest.lost > 0) failures.push(`${honest.lost} honest messages were lost`);
  if (honest.twice > 0) failures.push(`${honest.twice} honest messages came twice`);
  if (!(p99Ms <= p99LimitMs))
    failures.push(`${SLOW} ${p99Ms.toFixed(0)} ms (p99; limit ${p99LimitMs.toFixed(0)})`);
  const maxLines = MAX_LINES_PER_ROOM * (STAYING_ROOMS + honest.joins);
  if (honest.consoleLines > maxLines)
    failures.push(`honest clients wrote ${honest.consoleLines} lines (limit ${maxLines})`);
  if (!attack.hasPage) return failures;
  if (!page) return [...failures, "the page did not answer"];
  if (page.lost + page.twice > 0)
    failures.push(`in the page ${page.lost} honest messages were lost and ${page.twice} came twice`);
  if (page.received === 0) failures.push("the page heard no honest player");
  if (page.lines > maxLines) failures.push(`the page wrote ${page.lines} lines (limit ${maxLines})`);
  return [...failures, ...new Set(page.errors)];
}

/** Returns a failure for each close code that docs/ERRORS.md does not list or the server did not count. */
function closeFailures({ attack, report, counters, isQuick }: Observation): string[] {
  const [before, after] = counters;
  if (!before || !after) return [];
  const counted = (name: string): number => {
    const key = `link_closes_total{code="${name}"}`;
    return (after.get(key) ?? 0) - (before.get(key) ?? 0);
  };
  const failures = Object.entries(report.closes).flatMap(
    ([code, count]) => closeFailure(Number(code), count, counted) ?? [],
  );
  const seen = Object.values(report.closes).reduce((sum, count) => sum + count, 0);
  const all = sumOf(after, "link_closes_total{") - sumOf(before, "link_closes_total{");
  if (all < seen) failures.push(`${seen} sockets were cut, ${all} were counted`);
  if (isQuick) return failures;
  for (const name of attack.closes ?? []) {
    if (counted(name) === 0) failures.push(`nobody was closed with ${name}`);
  }
  return failures;
}

function closeFailure(code: number, count: number, counted: (name: string) => number): string | undefined {
  const name = closeNames.get(code);
  if (name === undefined) {
    // A session ends with the code that its own participant sent, any number (WF12).
    const isEchoed = code >= 3000 && code < 5000 && counted("other") > 0;
    return socketCodes.has(code) || isEchoed ? undefined : `a close code ${code} that has no meaning`;
  }
  const sum = counted(name);
  return sum < count ? `${count} sockets were closed with ${name}, ${sum} were counted` : undefined;
}

function textOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
