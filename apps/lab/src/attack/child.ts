import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { end, start } from "../network/commands.js";
import { LAB } from "../network/places.js";
import type { Answer } from "./messages.js";

/** A child process that executes one order at a time. */
export class Child<Order> {
  readonly #child: ChildProcess;
  readonly #name: string;
  #settle: ((answer: Answer) => void) | undefined;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    child.on("message", (answer: Answer) => this.#settle?.(answer));
    child.once("exit", (code, signal) => this.#settle?.({ fault: `${name} ended: ${signal ?? code}` }));
  }

  static async start<Order>(name: string): Promise<Child<Order>> {
    const script = path.join(LAB, `dist/attack/${name}.mjs`);
    const child = new Child<Order>(
      name,
      start(process.execPath, ["--enable-source-maps", script], {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
        serialization: "advanced",
      }),
    );
    try {
      await child.#answer(15_000);
      return child;
    } catch (error) {
      await child.end();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the answer; rejects if the process fails, ends, or needs longer than the limit. */
  async ask<Value>(order: Order, limitMs: number): Promise<Value> {
    if (!this.isAlive) throw new Error(`${this.#name} is gone`);
    const answer = this.#answer(limitMs);
    this.#child.send(order as object);
    return (await answer) as Value;
  }

  async end(): Promise<void> {
    await end(this.#child, "SIGKILL");
  }

  #answer(limitMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => this.#settle?.({ fault: `${this.#name} is late by ${limitMs} ms` }),
        limitMs,
      );
      this.#settle = ({ value, fault }) => {
        clearTimeout(limit);
        this.#settle = undefined;
        if (fault === undefined) resolve(value);
        else reject(new Error(fault));
      };
    });
  }
}
