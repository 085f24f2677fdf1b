import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../child.js";
import type { ChildArguments, ServerFigures, SwarmFigures } from "./child-process.js";

export interface RunOptions {
  readonly system: string;
  readonly players: number;
  readonly port: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface RoomRun {
  readonly server: ServerFigures;
  readonly swarm: SwarmFigures;
  /** The reason why the run does not count; undefined if it does. */
  readonly refused: string | undefined;
}

/** A swarm that needs more CPU causes delays itself. */
const MAX_SWARM_CORES = 0.8;
/** With a higher load, the run would also measure other processes. */
const MAX_LOAD = 1.5;

/** Runs a server and a swarm, each process on its own core. Throws if one of them fails. */
export async function runRoom(options: RunOptions): Promise<RoomRun> {
  const { system, players, port } = options;
  const children: Child<ChildArguments>[] = [];
  const start = async (role: ChildArguments["role"]): Promise<Child<ChildArguments>> => {
    const child = new Child<ChildArguments>({ role, system, players, port }, role === "server" ? 0 : 1);
    children.push(child);
    await child.ready();
    return child;
  };
  try {
    const server = await start("server");
    const swarm = await start("swarm");
    await pause(options.warmUpSeconds * 1000);
    await Promise.all([server.order("begin"), swarm.order("begin")]);
    await pause(options.seconds * 1000);
    const [serverFigures, swarmFigures] = await Promise.all([server.order("end"), swarm.order("end")]);
    const run = { server: serverFigures as ServerFigures, swarm: swarmFigures as SwarmFigures };
    return { ...run, refused: whyRefused(run.swarm, loadavg()[0]!) };
  } finally {
    for (const child of children.toReversed()) await child.end();
  }
}

function whyRefused({ cpuSeconds, seconds }: SwarmFigures, load: number): string | undefined {
  const cores = cpuSeconds / seconds;
  if (cores > MAX_SWARM_CORES) return `its players took ${cores.toFixed(2)} of a core`;
  return load > MAX_LOAD ? `the load of the machine was ${load.toFixed(1)}` : undefined;
}
