import { quantile } from "../codec/spread.js";
import { ServerProcess, SwarmProcess } from "./bench-process.js";
import { pause } from "./measure.js";
import type { JoinRate, RateAnswer } from "./messages.js";
import type { SystemName } from "./system.js";

/** Clients that join at a fixed rate, and their cost for the server. */
export interface JoinLoadRow {
  readonly system: string;
  readonly perSecond: number;
  readonly joins: number;
  readonly failures: number;
  readonly joinMsP50: number;
  readonly joinMsP99: number;
  /** Time from the first request until the last client was in, ms. */
  readonly admittedWithinMs: number;
  readonly cpuMsPerJoin: number;
}

/** Memory of clients that have joined and do nothing. */
export interface IdleRow {
  readonly system: string;
  readonly clients: number;
  readonly roomClients: number;
  readonly idleRssKBPerConnection: number;
  readonly idleHeapKBPerConnection: number;
}

/** Cores of the processes with clients: one process cannot join as fast as the server admits. */
const SWARM_CORES = [1, 2] as const;
/** Clients before the measurement: code gets compiled, and the allocator reaches its size. */
const WARM_UP: JoinRate = { perSecond: 100, durationMs: 5000, stayMs: 300 };
const SETTLE_MS = 2000;
/** Clients that come and go first: a server's young generation grows with joins, not with present clients. */
const IDLE_WARM_UP_CLIENTS = 300;

export async function joinLoadRow(system: SystemName, rate: JoinRate): Promise<JoinLoadRow> {
  const server = await ServerProcess.start({ system });
  const swarms = await Promise.all(SWARM_CORES.map((core) => SwarmProcess.start(undefined, core)));
  const join = (whole: JoinRate): Promise<RateAnswer[]> => {
    const part = { ...whole, perSecond: whole.perSecond / swarms.length };
    return Promise.all(swarms.map((swarm) => swarm.tell({ do: "rate", system, url: server.url, ...part })));
  };
  try {
    await join(WARM_UP);
    await pause(SETTLE_MS);
    const before = await server.usage();
    const answers = await join(rate);
    await pause(SETTLE_MS);
    const after = await server.usage();
    const times = answers.flatMap(({ connectMs }) => connectMs);
    return {
      system,
      perSecond: rate.perSecond,
      joins: times.length,
      failures: answers.reduce((sum, { failures }) => sum + failures, 0),
      joinMsP50: quantile(times, 0.5),
      joinMsP99: quantile(times, 0.99),
      admittedWithinMs: Math.max(...answers.map(({ admittedWithinMs }) => admittedWithinMs)),
      cpuMsPerJoin: (after.cpuMs - before.cpuMs) / times.length,
    };
  } finally {
    await Promise.all([server, ...swarms].map((process) => process.end()));
  }
}

export async function idleRow(
  system: SystemName,
  { clients, roomClients, idleMs }: { readonly clients: number; roomClients: number; idleMs: number },
): Promise<IdleRow> {
  const server = await ServerProcess.start({ system, roomClients });
  const swarm = await SwarmProcess.start();
  try {
    await swarm.tell({ do: "churn", system, url: server.url, clients: IDLE_WARM_UP_CLIENTS });
    await pause(SETTLE_MS);
    const before = await server.usage();
    await swarm.tell({ do: "connect", system, url: server.url, clients });
    await pause(idleMs);
    const after = await server.usage();
    return {
      system,
      clients,
      roomClients,
      idleRssKBPerConnection: (after.rssKB - before.rssKB) / clients,
      idleHeapKBPerConnection: (after.heapKB - before.heapKB) / clients,
    };
  } finally {
    await Promise.all([swarm.end(), server.end()]);
  }
}
