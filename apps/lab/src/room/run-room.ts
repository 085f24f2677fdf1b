import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type { ChildArguments, Order, ServerFigures, SwarmFigures } from "./child-process.js";

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

const READY_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 10_000;

/** A server and a swarm, each in a process on a core of its own. Throws where one of them fails. */
export async function runRoom(options: RunOptions): Promise<RoomRun> {
  const { system, players, port } = options;
  const children: Child[] = [];
  const start = async (role: ChildArguments["role"]): Promise<Child> => {
    const child = new Child({ role, system, players, port });
    children.push(child);
    await child.hears("ready", READY_LIMIT_MS);
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

/** This program again, in one of its roles. */
class Child {
  readonly #role: string;
  readonly #process: ChildProcess;

  constructor(options: ChildArguments) {
    this.#role = options.role;
    const core = options.role === "server" ? 0 : 1;
    const isPinned = availableParallelism() > 1;
    this.#process = fork(process.argv[1]!, ["--child", JSON.stringify(options)], {
      ...(isPinned && { execPath: "taskset", execArgv: ["-c", String(core), process.execPath] }),
      stdio: ["ignore", "ignore", process.env["DEBUG"] ? "inherit" : "ignore", "ipc"],
    });
  }

  order(order: Order): Promise<unknown> {
    const answered = this.hears(order, ANSWER_LIMIT_MS);
    this.#process.send(order);
    return answered;
  }

  hears(word: string, limitMs: number): Promise<unknown> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(limit);
        child.off("message", onMessage);
        child.off("exit", onExit);
        settle();
      };
      const onMessage = (message: { readonly order: string; readonly figures?: unknown }): void => {
        if (message.order === word) done(() => resolve(message.figures));
      };
      const onExit = (code: number | null): void =>
        done(() =>
          reject(new Error(`the ${this.#role} ended with code ${code}; DEBUG=1 shows what it says`)),
        );
      const onLimit = (): void =>
        done(() => reject(new Error(`the ${this.#role} was not "${word}" in time`)));
      const limit = setTimeout(onLimit, limitMs);
      child.on("message", onMessage);
      child.on("exit", onExit);
    });
  }

  async end(): Promise<void> {
    const child = this.#process;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}
