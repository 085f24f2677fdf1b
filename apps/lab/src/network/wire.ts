import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import { CommandError, end, start } from "./commands.js";
import type { Namespace } from "./namespace.js";
import { LAB } from "./places.js";

/** The properties of a wire, equal in both directions. */
export interface WireSettings {
  /** One-way delay. */
  readonly delayMs: number;
  readonly lossPercent: number;
  /** Limit of the rate; 0 means none. */
  readonly rateKbps: number;
  /** Queue of a wire with a rate limit; the wire drops packets that do not fit. */
  readonly queueBytes: number;
  readonly isCut: boolean;
  readonly isUdpCut: boolean;
}

/** One end of a wire: the interface that it creates in a namespace. */
export interface WireEnd {
  readonly namespace: Namespace;
  readonly interfaceName: string;
}

const SCRIPT = path.join(LAB, "src/network/wire.py");

/**
 * A cable between two namespaces that delays, loses and throttles. A process carries every frame: many
 * kernels of virtual
 * machines have no netem.
 */
export class Wire {
  readonly #process: ChildProcess;
  readonly #answers: Interface;
  /** Rejects when the process ends; never resolves. */
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess, answers: Interface) {
    this.#process = child;
    this.#answers = answers;
    this.#ended = new Promise((_, reject) => {
      child.once("exit", (code) => reject(new CommandError(`the wire ended with code ${code}`)));
    });
    this.#ended.catch(() => undefined);
  }

  static async connect(a: WireEnd, b: WireEnd, seed: number): Promise<Wire> {
    const names = [a, b].flatMap(({ namespace, interfaceName }) => [namespace.name, interfaceName]);
    const child = start("/usr/bin/env", ["python3", SCRIPT, ...names, String(seed)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const answers = createInterface({ input: child.stdout! });
    const wire = new Wire(child, answers);
    await wire.#answer();
    for (const { namespace, interfaceName } of [a, b]) namespace.ip("link", "set", interfaceName, "up");
    return wire;
  }

  /** Changes the given settings at once. */
  async set(settings: Partial<WireSettings>): Promise<void> {
    const answered = this.#answer();
    this.#process.stdin!.write(`${JSON.stringify(settings)}\n`);
    await answered;
  }

  disconnect(): Promise<void> {
    return end(this.#process);
  }

  #answer(): Promise<void> {
    const answered = new Promise<void>((resolve) => this.#answers.once("line", () => resolve()));
    return Promise.race([answered, this.#ended]);
  }
}
