import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.js";
import { endProcess, startProcess } from "./processes.js";

const ROOT = path.resolve(import.meta.dirname, "..");
const SERVER = path.join(ROOT, "apps/relay-server/dist/main.js");
const DRIVERS = path.join(ROOT, "apps/demo-game/dist-drivers/main.js");
const GAME = path.join(ROOT, "apps/demo-game/dist-server/rooms.js");
const PAGE = path.join(ROOT, "apps/demo-game/dist");
const READY_LIMIT_MS = 15_000;

/** The real relay server in a separate process that serves the built game, and computer drivers. */
export class RaceServer {
  readonly port: number;
  readonly #flags: readonly string[];
  #server: ChildProcess | undefined;
  #drivers: ChildProcess | undefined;
  #log = "";

  private constructor(port: number, flags: readonly string[]) {
    this.port = port;
    this.#flags = flags;
  }

  /** Starts the server. `flags`: further flags, besides those of every scenario. */
  static async start(driverCount = 0, flags: readonly string[] = []): Promise<RaceServer> {
    const server = new RaceServer(await freePort(), flags);
    await server.#startServer();
    if (driverCount > 0) server.#startDrivers(driverCount);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Output of the processes, for the report of a failure. */
  get log(): string {
    return this.#log;
  }

  /** Kills the server without a goodbye, like a crash or a power cut. */
  async kill(): Promise<void> {
    if (this.#server !== undefined) await endProcess(this.#server, "SIGKILL");
    this.#server = undefined;
  }

  /** Starts the server again at the same address, without its memory. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#startServer();
  }

  async stop(): Promise<void> {
    if (this.#drivers !== undefined) await endProcess(this.#drivers);
    if (this.#server !== undefined) await endProcess(this.#server);
  }

  #startServer(): Promise<void> {
    const args = [
      SERVER,
      "--port",
      String(this.port),
      "--host",
      "127.0.0.1",
      "--static",
      PAGE,
      "--game",
      GAME,
      "--rooms",
      "race:16",
      ...this.#flags,
    ];
    const server = this.#spawn(args);
    this.#server = server;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(new Error(`the server was not ready after ${READY_LIMIT_MS} ms:\n${this.#log}`)),
        READY_LIMIT_MS,
      );
      server.once("exit", (code) => reject(new Error(`the server ended with code ${code}:\n${this.#log}`)));
      if (server.stdout === null) return;
      createInterface({ input: server.stdout }).on("line", (line) => {
        if (!line.startsWith("listening on ")) return;
        clearTimeout(limit);
        resolve();
      });
    });
  }

  #startDrivers(count: number): void {
    this.#drivers = this.#spawn([DRIVERS, "--server", this.url, "--count", String(count)]);
  }

  #spawn(args: string[]): ChildProcess {
    const child = startProcess(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#log += text;
      });
    }
    return child;
  }
}
