import { quantile } from "../codec/spread.js";
import { Internet } from "../network/internet.js";
import { ServerProcess, SwarmProcess } from "./bench-process.js";
import { pause } from "./measure.js";
import { joinNames, type JoinName } from "./system.js";

/** Time from the request to join to the first state. */
export interface JoinRow {
  readonly system: JoinName;
  readonly rttMs: number;
  readonly joins: number;
  readonly playableMsP50: number;
  readonly playableMsMax: number;
}

export const JOIN_RTT_MS = 50;
/** Joins that do not count: the first ones load code. */
const WARM_UP_JOINS = 2;

/** Measures each way to join in turn, with clients behind a delayed wire. Needs network namespaces. */
export async function joinRows(joins: number, progress: (text: string) => void): Promise<JoinRow[]> {
  const internet = new Internet();
  const processes: { end(): Promise<void> }[] = [];
  try {
    const { namespace: home, address } = internet.addServer("server", 10);
    const { namespace, wire } = await internet.addHost("open");
    await wire.set({ delayMs: JOIN_RTT_MS / 2 });
    const swarm = await SwarmProcess.start(namespace);
    processes.push(swarm);
    const resident = await SwarmProcess.start(home);
    processes.push(resident);
    const urls = new Map<JoinName, string>();
    for (const join of joinNames) {
      const server = await ServerProcess.start({ join }, { host: address, namespace: home });
      processes.push(server);
      urls.set(join, server.url);
      await resident.tell({ do: "reside", join, url: server.url });
    }
    const times = new Map<JoinName, number[]>(joinNames.map((name) => [name, []]));
    const order = Array.from({ length: joins + WARM_UP_JOINS }, () => joinNames).flat();
    for (const [index, join] of order.entries()) {
      const { joinMs } = await swarm.tell({ do: "join", join, url: urls.get(join)! });
      if (index >= WARM_UP_JOINS * joinNames.length) times.get(join)!.push(joinMs);
      // The last client's final messages must not delay the next join.
      await pause(JOIN_RTT_MS * 3);
    }
    return joinNames.map((system) => rowOf(system, times.get(system)!, progress));
  } finally {
    await Promise.all(processes.map((process) => process.end()));
    await internet.remove();
  }
}

function rowOf(system: JoinName, times: readonly number[], progress: (text: string) => void): JoinRow {
  progress(`${system}: ${times.map((ms) => ms.toFixed(0)).join(" ")} ms`);
  return {
    system,
    rttMs: JOIN_RTT_MS,
    joins: times.length,
    playableMsP50: quantile(times, 0.5),
    playableMsMax: Math.max(...times),
  };
}
