import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../child.js";
import type { ChildArguments, ServerFigures, SwarmFigures } from "./processes.js";

export interface RunOptions {
  readonly system: string;
  readonly senders: number;
  readonly hz: number;
  readonly port: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface RelayRun {
  readonly server: ServerFigures;
  readonly swarms: readonly SwarmFigures[];
}

/**
 * Processes for the clients of one room: with one alone, the clients would limit the result instead of the
 * relay.
 */
const SWARMS = 2;

/** Runs a relay and its clients, each process on its own core. Throws if one of them fails. */
export async function runRelay(options: RunOptions): Promise<RelayRun> {
  const { system, senders, hz, port } = options;
  const children: Child<ChildArguments>[] = [];
  const start = async (args: Pick<ChildArguments, "role" | "first" | "end">, core: number) => {
    const child = new Child<ChildArguments>({ system, senders, hz, port, ...args }, core);
    children.push(child);
    await child.ready();
    return child;
  };
  try {
    const server = await start({ role: "server", first: 0, end: 0 }, 0);
    const swarms: Child<ChildArguments>[] = [];
    for (let swarm = 0; swarm < SWARMS; swarm++) {
      const [first, end] = [swarm, swarm + 1].map((part) => Math.floor((senders * part) / SWARMS));
      swarms.push(await start({ role: "swarm", first: first!, end: end! }, swarm + 1));
    }
    await pause(options.warmUpSeconds * 1000);
    await Promise.all([server, ...swarms].map((child) => child.order("begin")));
    await pause(options.seconds * 1000);
    const [served, ...swarmed] = await Promise.all([server, ...swarms].map((child) => child.order("end")));
    return { server: served as ServerFigures, swarms: swarmed as SwarmFigures[] };
  } finally {
    for (const child of children.toReversed()) await child.end();
  }
}
