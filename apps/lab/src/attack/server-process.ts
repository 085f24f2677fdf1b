import { execFileSync, type ChildProcess } from "node:child_process";
import {
  constants,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { WebSocket } from "ws";
import { end, start } from "../network/commands.js";
import { mainThreadOf } from "./main-thread.js";
import { epochMs, type CpuSample } from "./messages.js";
import { LAB, ROOT } from "../network/places.js";

const READY_LIMIT_MS = 60_000;
const SAMPLE_PERIOD_MS = 100;
const MS_PER_CLOCK_TICK = 10;
const METRICS_LIMIT_MS = 15_000;
const HEALTH_PERIOD_MS = 250;
const HEALTH_LIMIT_MS = 15_000;
const MAIN = path.join(ROOT, "apps/relay-server/dist/main.js");
const GAME = path.join(LAB, "dist/attack/game-rooms.mjs");
const PAGE = path.join(LAB, "dist/attack/page");
const ADMIN_TOKEN = "only-for-this-run-of-the-attack";

/** Start options of a server under attack. */
export interface ServerSetup {
  readonly limits?: Readonly<Record<string, number>>;
  readonly flags?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Destination of the log: kept for a report (default), a full device, or a pipe without a reader. */
  readonly log?: "kept" | "full" | "stalled";
  readonly maxDescriptors?: number;
}

/** Resources of the process: memory in bytes, and file descriptors. */
export interface Holdings {
  readonly heapBytes: number;
  /** Memory outside of the heap, for buffers. */
  readonly externalBytes: number;
  readonly descriptors: number;
}

/** The built relay server as a separate process, observed from outside. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #closeLog: () => void;
  readonly #sampling: NodeJS.Timeout;
  readonly adminToken = ADMIN_TOKEN;
  url = "";
  adminUrl = "";
  #inspectorUrl = "";
  #log = "";
  #peakRssMb = 0;
  readonly #cpuSamples: CpuSample[] = [];
  #exit: string | undefined;

  private constructor(setup: ServerSetup) {
    this.#folder = mkdtempSync(path.join(tmpdir(), "paceline-attack-"));
    const config = path.join(this.#folder, "server.json");
    writeFileSync(config, JSON.stringify({ limits: setup.limits ?? {} }));
    const { fd, close } = this.#openLog(setup.log ?? "kept");
    this.#closeLog = close;
    const flags = ["--config", config, "--port", "0", "--game", GAME, "--static", PAGE, "--trust-proxy"];
    const rooms = ["--rooms", "honest:64,crowd:16", "--webrtc", "0", "--drain-seconds", "0"];
    const admin = ["--admin-port", "0", "--admin-token", ADMIN_TOKEN];
    // The inspector needs descriptors and threads of its own.
    const inspector = setup.maxDescriptors === undefined && setup.log !== "stalled" && setup.log !== "full";
    const nodeFlags = [...(setup.nodeFlags ?? []), ...(inspector ? ["--inspect=127.0.0.1:0"] : [])];
    const node = [process.execPath, ...nodeFlags, MAIN, ...flags, ...rooms, ...admin, ...(setup.flags ?? [])];
    const limited = setup.maxDescriptors === undefined ? [] : ["prlimit", `--nofile=${setup.maxDescriptors}`];
    const [command, ...args] = [...limited, ...node];
    this.#child = start(command!, args, { stdio: ["ignore", "pipe", fd ?? "pipe"] });
    this.#child.once("exit", (code, signal) => (this.#exit = signal ?? `code ${code}`));
    this.#child.stderr?.on("data", (data: Buffer) => this.#logged(data.toString()));
    this.#sampling = setInterval(() => {
      this.#peakRssMb = Math.max(this.#peakRssMb, this.#rssMb());
      this.#cpuSamples.push({ atMs: epochMs(), cpuMs: this.cpuMs, ...mainThreadOf(this.#child.pid!) });
    }, SAMPLE_PERIOD_MS);
  }

  static async start(setup: ServerSetup): Promise<ServerProcess> {
    const server = new ServerProcess(setup);
    try {
      await server.#ready();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** The exit code or signal; undefined while the process lives. */
  get exit(): string | undefined {
    return this.#exit;
  }

  /** The last part of the log, if it is kept. */
  get log(): string {
    return this.#log;
  }

  /** Returns the largest resident size since the last call, MB. */
  takePeakRssMb(): number {
    const peak = Math.max(this.#peakRssMb, this.#rssMb());
    this.#peakRssMb = 0;
    return peak;
  }

  /** CPU time since the start, ms. */
  get cpuMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
      // After the name, which may contain spaces: the 14th and 15th field are user and system time.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * MS_PER_CLOCK_TICK;
    } catch {
      return 0;
    }
  }

  /** Asks for `/health` four times a second. Returns a function that ends this, and returns the longest time, ms. */
  watchHealth(): () => Promise<number> {
    let isOver = false;
    let longestMs = 0;
    const asking = (async () => {
      while (!isOver) {
        const startedMs = performance.now();
        const signal = AbortSignal.timeout(HEALTH_LIMIT_MS);
        await fetch(`${this.url}/health`, { signal }).then(
          (response) => response.text(),
          () => undefined,
        );
        longestMs = Math.max(longestMs, performance.now() - startedMs);
        await new Promise((resolve) => setTimeout(resolve, HEALTH_PERIOD_MS));
      }
    })();
    return async () => {
      isOver = true;
      await asking;
      return longestMs;
    };
  }

  takeCpuSamples(): CpuSample[] {
    return this.#cpuSamples.splice(0);
  }

  get descriptors(): number {
    try {
      return readdirSync(`/proc/${this.#child.pid}/fd`).length;
    } catch {
      return 0;
    }
  }

  /** Returns the resources after a garbage collection; undefined if the process has no inspector. */
  async holdings(): Promise<Holdings | undefined> {
    if (this.#inspectorUrl === "" || this.#exit !== undefined) return undefined;
    const descriptors = this.descriptors;
    const socket = new WebSocket(this.#inspectorUrl);
    await once(socket, "open");
    let id = 0;
    const ask = async (method: string, params: object = {}): Promise<unknown> => {
      const wanted = (id += 1);
      socket.send(JSON.stringify({ id: wanted, method, params }));
      for (;;) {
        const [data] = (await once(socket, "message")) as [Buffer];
        const answer = JSON.parse(data.toString()) as {
          id?: number;
          result?: { result?: { value?: unknown } };
        };
        if (answer.id === wanted) return answer.result?.result?.value;
      }
    };
    try {
      await ask("HeapProfiler.collectGarbage");
      await ask("HeapProfiler.collectGarbage");
      const expression = "(({heapUsed, external}) => heapUsed + ' ' + external)(process.memoryUsage())";
      const text = (await ask("Runtime.evaluate", { expression, returnByValue: true })) as string;
      const [heapBytes = 0, externalBytes = 0] = text.split(" ").map(Number);
      return { heapBytes, externalBytes, descriptors };
    } finally {
      socket.terminate();
    }
  }

  /**
   * Returns the counters of `/metrics` by `name{labels}`, without the prefix; undefined if the server does
   * not answer.
   */
  async metrics(): Promise<Map<string, number> | undefined> {
    try {
      const response = await fetch(`${this.adminUrl}/metrics`, {
        signal: AbortSignal.timeout(METRICS_LIMIT_MS),
      });
      const lines = (await response.text())
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"));
      return new Map(
        lines.map((line) => {
          const at = line.lastIndexOf(" ");
          return [line.slice(0, at).replace(/^paceline_/, ""), Number(line.slice(at + 1))];
        }),
      );
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling);
    await end(this.#child, "SIGKILL");
    this.#closeLog();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #openLog(log: "kept" | "full" | "stalled"): { fd?: number; close: () => void } {
    if (log === "kept") return { close: () => undefined };
    let file = "/dev/full";
    if (log === "stalled") {
      file = path.join(this.#folder, "stalled");
      execFileSync("mkfifo", [file]);
    }
    // Opens the pipe for both directions: the server would fail to write to a pipe without a reader.
    const fd = openSync(file, log === "full" ? constants.O_WRONLY : constants.O_RDWR);
    return { fd, close: () => closeSync(fd) };
  }

  #logged(text: string): void {
    this.#inspectorUrl ||= /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(text)?.[0] ?? "";
    this.#log = (this.#log + text).slice(-20_000);
  }

  #rssMb(): number {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }

  async #ready(): Promise<void> {
    let printed = "";
    this.#child.stdout?.on("data", (data: Buffer) => {
      printed += data.toString();
      this.adminUrl = /^admin page and metrics on (\S+)/m.exec(printed)?.[1] ?? "";
      this.url = /^listening on (\S+)/m.exec(printed)?.[1] ?? "";
    });
    const deadlineMs = performance.now() + READY_LIMIT_MS;
    while (this.url === "") {
      if (this.#exit !== undefined || performance.now() > deadlineMs) {
        throw new Error(`the server did not start (${this.#exit ?? "too late"}): is it built? ${this.#log}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
