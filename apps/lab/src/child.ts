import { fork, type ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import type { Order } from "./room/child-process.js";

const READY_LIMIT_MS = 60_000;
const ANSWER_LIMIT_MS = 30_000;

/** Starts this program again as a child process with a role. */
export class Child<Arguments extends { readonly role: string }, Orders extends string = Order> {
  readonly #role: string;
  readonly #process: ChildProcess;

  /** @param core the CPU core for the process, if the machine has it, or a list of cores such as `1-3` */
  constructor(options: Arguments, core: number | string) {
    this.#role = options.role;
    const isPinned = typeof core === "string" || availableParallelism() > core;
    this.#process = fork(process.argv[1]!, ["--child", JSON.stringify(options)], {
      ...(isPinned && { execPath: "taskset", execArgv: ["-c", String(core), process.execPath] }),
      stdio: ["ignore", "ignore", process.env["DEBUG"] ? "inherit" : "ignore", "ipc"],
    });
  }

  /** Resolves when the process has begun its work. */
  async ready(): Promise<void> {
    await this.#hears("ready", READY_LIMIT_MS);
  }

  order(order: Orders, limitMs = ANSWER_LIMIT_MS): Promise<unknown> {
    const answered = this.#hears(order, limitMs);
    this.#process.send(order);
    return answered;
  }

  #hears(word: string, limitMs: number): Promise<unknown> {
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
