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
}

/** A server and a swarm, each in a process on a core of its own. Throws where one of them fails. */
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
    return { server: serverFigures as ServerFigures, swarm: swarmFigures as SwarmFigures };
  } finally {
    for (const child of children.toReversed()) await child.end();
  }
}
