import { atLeast, atMost, type Bound } from "../result/bound.js";
import type { RelayRun } from "./run-relay.js";

/** A system with a number of senders: medians of its runs. */
export interface RelayRow {
  readonly system: string;
  readonly senders: number;
  readonly hz: number;
  readonly cpuUsPerDelivered: number;
  readonly ratioToWs?: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  /** Median latency of messages that must not wait for others, if the system has such a class. */
  readonly promptMsP50: number;
  /** Difference to the naive relay in the same run. */
  readonly addedMsP50?: number;
  readonly addedMsP99?: number;
  readonly addedPromptMsP50?: number;
  readonly bytesPerDelivered: number;
  readonly rssMb: number;
  /** CPU cores of the busiest swarm process. Near 1, the swarm itself causes the latencies. */
  readonly swarmCpuCores: number;
  /** Received messages as a share of those that should reach all others. */
  readonly deliveredShare: number;
  /** Share of the intended messages that were sent. */
  readonly sentShare: number;
  readonly damaged: number;
  readonly lost: number;
  readonly reordered: number;
  readonly runs: number;
}

export const BASE = "ws-naive";
/** Less than 1: packets under way at the begin or end of the count appear on one side only. */
const LEAST_DELIVERED = 0.99;
const MAX_ADDED_MS = 5;

export function rowOf(
  turn: { readonly system: string; readonly senders: number; readonly hz: number },
  runs: readonly RelayRun[],
  base: readonly RelayRun[],
): RelayRow {
  const median = (of: (run: RelayRun) => number): number => medianOf(runs.map(of));
  const p50 = median((run) => latencyMs(run, 0.5));
  const p99 = median((run) => latencyMs(run, 0.99));
  const promptP50 = median((run) => latencyMs(run, 0.5, "promptLatenciesMs"));
  const compared = base.length > 0 && {
    ratioToWs: median(cpuUs) / medianOf(base.map(cpuUs)),
    addedMsP50: p50 - medianOf(base.map((run) => latencyMs(run, 0.5))),
    addedMsP99: p99 - medianOf(base.map((run) => latencyMs(run, 0.99))),
    addedPromptMsP50: promptP50 - medianOf(base.map((run) => latencyMs(run, 0.5, "promptLatenciesMs"))),
  };
  return {
    ...turn,
    cpuUsPerDelivered: median(cpuUs),
    latencyMsP50: p50,
    latencyMsP99: p99,
    promptMsP50: promptP50,
    ...compared,
    bytesPerDelivered: median((run) => total(run, "bytesIn") / total(run, "delivered")),
    rssMb: median(({ server }) => server.rssMb),
    swarmCpuCores: median(({ swarms }) => Math.max(...swarms.map((each) => each.cpuSeconds / each.seconds))),
    deliveredShare: median((run) => total(run, "delivered") / (total(run, "sent") * (turn.senders - 1))),
    sentShare: median((run) => total(run, "sent") / (run.server.seconds * turn.senders * turn.hz)),
    damaged: runs.reduce((sum, run) => sum + total(run, "damaged"), 0),
    lost: runs.reduce((sum, run) => sum + total(run, "lost"), 0),
    reordered: runs.reduce((sum, run) => sum + total(run, "reordered"), 0),
    runs: runs.length,
  };
}

/** Returns the bounds that docs/OPERATIONS.md states. */
export function relayBounds(rows: readonly RelayRow[]): Bound[] {
  return rows
    .filter(({ system }) => system.startsWith("paceline"))
    .flatMap((row) => {
      const name = `${row.system}, ${row.senders} senders at ${row.hz} Hz:`;
      const maxCpu = row.senders <= 8 ? 1.1 : row.senders >= 50 ? 0.45 : undefined;
      return [
        ...(maxCpu === undefined ? [] : [atMost(`${name} CPU, of ${BASE}`, row.ratioToWs, maxCpu)]),
        ...(row.ratioToWs === undefined
          ? []
          : [atMost(`${name} added p50, ms`, row.addedMsP50, MAX_ADDED_MS)]),
        atLeast(`${name} delivered`, row.deliveredShare, LEAST_DELIVERED),
        atMost(`${name} damaged, lost or out of order`, row.damaged + row.lost + row.reordered, 0),
      ];
    });
}

function cpuUs(run: RelayRun): number {
  return (run.server.cpuSeconds * 1e6) / total(run, "delivered");
}

function latencyMs(
  { swarms }: RelayRun,
  share: number,
  of: "latenciesMs" | "promptLatenciesMs" = "latenciesMs",
): number {
  const sorted = swarms.flatMap((swarm) => swarm[of]).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function total(
  { swarms }: RelayRun,
  key: "sent" | "delivered" | "bytesIn" | "damaged" | "lost" | "reordered",
): number {
  return swarms.reduce((sum, swarm) => sum + swarm[key], 0);
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
