import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const READY_MS = 10_000;

/** The server as a separate process, started with `node dist/main.js`. */
export class ServerProcess {
  readonly #child: ChildProcess;
  /** Resolves with the exit code when the process has ended. */
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (data: Buffer) => (this.stdout += data.toString()));
    this.#child.stderr?.on("data", (data: Buffer) => (this.stderr += data.toString()));
    this.exited = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** Resolves with the address that the server prints when it is ready. */
  async address(): Promise<string> {
    const deadlineMs = performance.now() + READY_MS;
    while (performance.now() < deadlineMs) {
      const address = /^listening on (http:\S+) /m.exec(this.stdout)?.[1];
      if (address !== undefined) return address;
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 10)), this.exited]);
      if (this.#child.exitCode !== null) break;
    }
    throw new Error(`the server did not start: ${this.stderr}`);
  }

  signal(name: "SIGTERM" | "SIGINT"): void {
    this.#child.kill(name);
  }

  /** Kills the process. */
  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }
}
