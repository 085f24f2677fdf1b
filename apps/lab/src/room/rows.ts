import { atLeast, atMost, type Bound } from "../bound.js";
import type { RoomRun } from "./run-room.js";
import type { RoomSystem } from "./system.js";
import { TICK_HZ } from "./world.js";

/** A system at a number of players: medians of its runs. */
export interface RoomRow {
  readonly system: string;
  readonly link: RoomSystem["link"];
  readonly clients: number;
  readonly bytesPerState: number;
  readonly serverCpuRatioToWs?: number;
  readonly serverCpuUsPerState: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  readonly statesPerClientPerSecond: number;
  readonly inputsPerClientPerSecond: number;
  readonly bytesUpPerClientPerSecond: number;
  /** Of a core: where it comes near 1, late states are the swarm's. */
  readonly swarmCpuCores: number;
  readonly rssMb: number;
  readonly rssKbPerClient: number;
  readonly wrong: number;
  readonly stale: number;
  readonly precision: string;
  readonly runs: number;
}

const BASE = "ws-float32";
/** What the issue asks for; see docs/SERVER.md. */
const MOST_BYTES_TO_RAW = 0.35;
const MOST_CPU_TO_RAW = 1.3;
const MOST_TO_GECKOS = 0.5;
const LARGEST_ROOM = 100;
/** A run that lost states has not done the work. */
const LEAST_STATES = 0.97 * TICK_HZ;

export function rowOf(
  system: RoomSystem,
  clients: number,
  runs: readonly RoomRun[],
  base: readonly RoomRun[],
): RoomRow {
  const median = (of: (run: RoomRun) => number): number => medianOf(runs.map(of));
  const sum = (of: (run: RoomRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    system: system.name,
    link: system.link,
    clients,
    bytesPerState: median(({ swarm }) => swarm.bytesIn / swarm.states),
    ...(base.length > 0 && { serverCpuRatioToWs: median(cpuShare) / medianOf(base.map(cpuShare)) }),
    serverCpuUsPerState: median((run) => (run.server.cpuSeconds * 1e6) / run.swarm.states),
    latencyMsP50: median(({ swarm }) => swarm.latencyMsP50),
    latencyMsP99: median(({ swarm }) => swarm.latencyMsP99),
    statesPerClientPerSecond: median(({ swarm }) => swarm.states / swarm.seconds / clients),
    inputsPerClientPerSecond: median(({ server }) => server.inputs / server.seconds / clients),
    bytesUpPerClientPerSecond: median(({ swarm }) => swarm.bytesOut / swarm.seconds / clients),
    swarmCpuCores: median(({ swarm }) => swarm.cpuSeconds / swarm.seconds),
    rssMb: median(({ server }) => server.rssMb),
    rssKbPerClient: median(({ server }) => ((server.rssMb - server.emptyRssMb) * 1024) / clients),
    wrong: sum(({ swarm }) => swarm.wrong),
    stale: sum(({ swarm }) => swarm.stale),
    precision: system.precision,
    runs: runs.length,
  };
}

/** What was promised of our rows, beside what the others need in the same run. */
export function roomBounds(rows: readonly RoomRow[]): Bound[] {
  return rows.filter(isOurs).flatMap((row) => {
    const others = rows.filter(({ clients, system }) => clients === row.clients && system !== row.system);
    return [...comparisons(row, others), ...faithfulness(row)];
  });
}

/** Names of what a system is compared with, and how much of theirs it may take: of bytes, and of CPU in the largest room. */
const LIMITS: Record<RoomRow["link"], readonly (readonly [string, bytes: number, cpu: number])[]> = {
  websocket: [
    [BASE, MOST_BYTES_TO_RAW, MOST_CPU_TO_RAW],
    ["colyseus-quantised", 1, 1],
    ["colyseus-float32", 1, 1],
  ],
  webrtc: [["geckos.io-float32", MOST_TO_GECKOS, MOST_TO_GECKOS]],
};

function comparisons(row: RoomRow, others: readonly RoomRow[]): Bound[] {
  return LIMITS[row.link].flatMap(([name, mostBytes, mostCpu]) => {
    const other = others.find(({ system }) => system === name);
    if (!other) return [];
    const bytes = row.bytesPerState / other.bytesPerState;
    const cpu = row.serverCpuUsPerState / other.serverCpuUsPerState;
    return [
      atMost(`${nameOf(row)} bytes per state, of ${name}`, bytes, mostBytes),
      ...(row.clients === LARGEST_ROOM
        ? [atMost(`${nameOf(row)} server CPU, of ${name}`, cpu, mostCpu)]
        : []),
    ];
  });
}

function faithfulness(row: RoomRow): Bound[] {
  return [
    atMost(`${nameOf(row)} wrong states`, row.wrong, 0),
    atMost(`${nameOf(row)} stale states`, row.stale, 0),
    atLeast(`${nameOf(row)} whole states per second`, row.statesPerClientPerSecond, LEAST_STATES),
  ];
}

function nameOf({ system, clients }: RoomRow): string {
  return `${system}, ${clients} clients:`;
}

function isOurs({ system }: RoomRow): boolean {
  return system.startsWith("paceline");
}

function cpuShare({ server }: RoomRun): number {
  return server.cpuSeconds / server.seconds;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
