import { atLeast, atMost, type Bound } from "../result/bound.js";
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
  /** Wake-ups per input. Near 1, inputs arrive evenly; far below it, they arrive in bunches, which is cheaper. */
  readonly serverWakeUpsPerInput: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  /** Latency as a share of that of raw `ws` at the same number of clients. */
  readonly latencyMsP99OfWs?: number;
  readonly statesPerClientPerSecond: number;
  readonly inputsPerClientPerSecond: number;
  readonly bytesUpPerClientPerSecond: number;
  /** CPU cores of the swarm. Near 1, the swarm itself makes states late. */
  readonly swarmCpuCores: number;
  /** CPU time of all clients per state that one of them receives. */
  readonly clientCpuUsPerState: number;
  readonly rssMb: number;
  readonly rssKbPerClient: number;
  readonly wrong: number;
  readonly stale: number;
  readonly precision: string;
  readonly runs: number;
}

const BASE = "ws-float32";
/** Largest shares of a rival's figures, for rooms of up to `upTo` players. */
interface Limit {
  readonly upTo: number;
  readonly bytes: number;
  readonly cpu: number;
}
const TO_RAW: readonly Limit[] = [
  { upTo: 31, bytes: 0.35, cpu: Infinity },
  { upTo: 99, bytes: 0.2, cpu: 1.6 },
  { upTo: Infinity, bytes: 0.16, cpu: 1.5 },
];
const TO_COLYSEUS: readonly Limit[] = [
  { upTo: 31, bytes: 1, cpu: Infinity },
  { upTo: 99, bytes: 1, cpu: 1.1 },
  { upTo: Infinity, bytes: 1, cpu: 1 },
];
const TO_GECKOS: readonly Limit[] = [
  { upTo: 99, bytes: 0.5, cpu: Infinity },
  { upTo: Infinity, bytes: 0.5, cpu: 1 },
];
/** Limits of the clients' CPU as a share of the rivals' clients. All are whole clients. */
const MAX_CLIENT_CPU_OF_COLYSEUS = 1.3;
const MAX_BOTH_CPU_OF_GECKOS = 1;
const LARGEST_WHOLE_ROOM = 99;
/** Fewest states; a run that loses more has not done the work. */
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
    ...(base.length > 0 && {
      serverCpuRatioToWs: median(cpuUsPerState) / medianOf(base.map(cpuUsPerState)),
      latencyMsP99OfWs: medianOf(base.map(({ swarm }) => swarm.latencyMsP99)),
    }),
    serverCpuUsPerState: median(cpuUsPerState),
    serverWakeUpsPerInput: median(({ server }) => server.wakeUps / server.inputs),
    latencyMsP50: median(({ swarm }) => swarm.latencyMsP50),
    latencyMsP99: median(({ swarm }) => swarm.latencyMsP99),
    statesPerClientPerSecond: median(({ swarm }) => swarm.states / swarm.seconds / clients),
    inputsPerClientPerSecond: median(({ server }) => server.inputs / server.seconds / clients),
    bytesUpPerClientPerSecond: median(({ swarm }) => swarm.bytesOut / swarm.seconds / clients),
    swarmCpuCores: median(({ swarm }) => swarm.cpuSeconds / swarm.seconds),
    clientCpuUsPerState: median(clientCpuUsPerState),
    rssMb: median(({ server }) => server.rssMb),
    rssKbPerClient: median(({ server }) => ((server.rssMb - server.emptyRssMb) * 1024) / clients),
    wrong: sum(({ swarm }) => swarm.wrong),
    stale: sum(({ swarm }) => swarm.stale),
    precision: system.precision,
    runs: runs.length,
  };
}

/** Returns the bounds of Paceline's rows, relative to the rivals in the same run. */
export function roomBounds(rows: readonly RoomRow[]): Bound[] {
  return rows.filter(isOurs).flatMap((row) => {
    const others = rows.filter(({ clients, system }) => clients === row.clients && system !== row.system);
    return [...comparisons(row, others), ...clientComparisons(row, others), ...faithfulness(row, others)];
  });
}

/** The rivals of each kind of link, and the limits of the shares. */
const LIMITS: Record<RoomRow["link"], readonly (readonly [string, readonly Limit[]])[]> = {
  websocket: [
    [BASE, TO_RAW],
    ["colyseus-quantised", TO_COLYSEUS],
  ],
  webrtc: [["geckos.io-float32", TO_GECKOS]],
};

function comparisons(row: RoomRow, others: readonly RoomRow[]): Bound[] {
  return LIMITS[row.link].flatMap(([name, limits]) => {
    const other = others.find(({ system }) => system === name);
    if (!other) return [];
    const most = limits.find(({ upTo }) => row.clients <= upTo)!;
    const bytes = row.bytesPerState / other.bytesPerState;
    const cpu = row.serverCpuUsPerState / other.serverCpuUsPerState;
    return [
      atMost(`${nameOf(row)} bytes per state, of ${name}`, bytes, most.bytes),
      ...(most.cpu < Infinity ? [atMost(`${nameOf(row)} server CPU, of ${name}`, cpu, most.cpu)] : []),
    ];
  });
}

/** Returns the bounds of the clients' CPU, relative to a rival over the same kind of link. */
function clientComparisons(row: RoomRow, others: readonly RoomRow[]): Bound[] {
  if (row.clients > LARGEST_WHOLE_ROOM) return [];
  const colyseus = others.find(({ system }) => system === "colyseus-quantised");
  const geckos = others.find(({ system }) => system === "geckos.io-float32");
  const both = ({ serverCpuUsPerState, clientCpuUsPerState: ofClients }: RoomRow): number =>
    serverCpuUsPerState + ofClients;
  if (row.link === "webrtc") {
    if (!geckos) return [];
    const what = `${nameOf(row)} CPU of server and clients, of geckos.io-float32`;
    return [atMost(what, both(row) / both(geckos), MAX_BOTH_CPU_OF_GECKOS)];
  }
  if (!colyseus) return [];
  const what = `${nameOf(row)} client CPU, of colyseus-quantised`;
  return [atMost(what, row.clientCpuUsPerState / colyseus.clientCpuUsPerState, MAX_CLIENT_CPU_OF_COLYSEUS)];
}

function faithfulness(row: RoomRow, others: readonly RoomRow[]): Bound[] {
  // A slow machine makes every system late.
  const rivals = others.filter((other) => !isOurs(other) && other.link === row.link);
  const leastStale = Math.min(...rivals.map(({ stale }) => stale));
  return [
    atMost(`${nameOf(row)} wrong states`, row.wrong, 0),
    atMost(`${nameOf(row)} stale states`, row.stale, rivals.length > 0 ? leastStale : 0),
    atLeast(`${nameOf(row)} whole states per second`, row.statesPerClientPerSecond, LEAST_STATES),
  ];
}

function nameOf({ system, clients }: RoomRow): string {
  return `${system}, ${clients} clients:`;
}

function isOurs({ system }: RoomRow): boolean {
  return system.startsWith("paceline");
}

function cpuUsPerState({ server, swarm }: RoomRun): number {
  return (server.cpuSeconds * 1e6) / swarm.states;
}

function clientCpuUsPerState({ swarm }: RoomRun): number {
  return (swarm.cpuSeconds * 1e6) / swarm.states;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
