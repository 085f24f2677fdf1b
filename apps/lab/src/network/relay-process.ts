import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { CommandError, end } from "./commands.js";
import type { Namespace } from "./namespace.js";
import { LAB, ROOT } from "./places.js";

const SCRIPT = path.join(ROOT, "apps/relay-server/dist/main.js");
const PAGE = path.join(LAB, "dist/page");
const PORT = 80;

/** The real relay server in a namespace, with the laboratory's page. */
export class RelayProcess {
  readonly url: string;
  readonly #namespace: Namespace;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(namespace: Namespace, address: string, ice: readonly string[]) {
    this.#namespace = namespace;
    this.url = `http://${address}`;
    const flags = ["--port", String(PORT), "--host", address, "--static", PAGE, "--rooms", "lab:16"];
    this.#args = [SCRIPT, ...flags, "--log-level", "warn", ...ice];
  }

  /** Starts the server. `ice`: its flags for STUN and TURN. */
  static async start(namespace: Namespace, address: string, ice: readonly string[]): Promise<RelayProcess> {
    const relay = new RelayProcess(namespace, address, ice);
    await relay.restart();
    return relay;
  }

  /** Kills the server without a goodbye, like a crash. */
  async kill(): Promise<void> {
    if (this.#process) await end(this.#process, "SIGKILL");
    this.#process = undefined;
  }

  /** Starts the server, or starts it again without its memory. */
  async restart(): Promise<void> {
    await this.kill();
    const options = { stdio: ["ignore", "pipe", "inherit"] as ("ignore" | "pipe" | "inherit")[] };
    const child = this.#namespace.start(process.execPath, this.#args, options);
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new CommandError(`the relay server ended with code ${code}`)));
      createInterface({ input: child.stdout! }).on("line", (line) => {
        if (line.startsWith("listening on ")) resolve();
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#process) await end(this.#process);
  }
}
