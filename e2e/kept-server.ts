import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import { freePort } from "./free-port.js";
import { pageScript } from "./page-script.js";
import { endProcess, startProcess } from "./processes.js";

const ROOT = path.resolve(import.meta.dirname, "..");
const COMMAND = path.join(ROOT, "packages/cli/bin/paceline.js");
const PAGE = path.join(ROOT, "packages/client/test/browser/kept-match-page.ts");

/** A match that counts goals in an entity, and remembers each of them beside it. */
const GAME = `import { Room, defineEntity, uint } from "@paceline/server";
const Score = defineEntity("score", { goals: uint({ range: [0, 60_000] }) });
class Match extends Room {
  static persistent = { everySeconds: 1 };
  entities = [Score];
  goals = [];
  onCreate() {
    this.onMessage("goal", (player, number) => {
      this.goals.push([player.number, number]);
      this.only(Score).goals += 1;
      this.broadcast("goal", number);
    });
    this.onRequest("goals", () => this.goals);
  }
  onSave() {
    return this.goals;
  }
  onRestore(goals) {
    this.goals = goals;
  }
}
export const rooms = { match: Match };
`;

/** `paceline start --data` with a persistent match, as a process that can be ended and started again. */
export class KeptServer {
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  log = "";

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<KeptServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "paceline-kept-"));
    mkdirSync(path.join(folder, "node_modules/@paceline"), { recursive: true });
    symlinkSync(path.join(ROOT, "packages/server"), path.join(folder, "node_modules/@paceline/server"));
    writeFileSync(path.join(folder, "match.mjs"), GAME);
    mkdirSync(path.join(folder, "public"));
    const page = '<!doctype html><title>Match</title><script type="module" src="page.js"></script>';
    writeFileSync(path.join(folder, "public/index.html"), page);
    writeFileSync(path.join(folder, "public/page.js"), await pageScript(PAGE));
    const server = new KeptServer(folder, await freePort());
    await server.restart();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Ends the process without a goodbye. */
  async kill(): Promise<void> {
    await endProcess(this.#child!, "SIGKILL");
  }

  /** Ends the process as a deploy does. Resolves with its exit code. */
  async terminate(): Promise<number | null> {
    const ended = once(this.#child!, "exit");
    this.#child!.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    return code;
  }

  /** Starts a process. Resolves with the time at which it said that it listens, by the wall clock. */
  restart(): Promise<number> {
    const flags = ["--port", String(this.#port), "--webrtc", "off", "--data", "data", "--static", "public"];
    const child = startProcess(process.execPath, [COMMAND, "start", "--game", "match.mjs", ...flags], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    return new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the server ended with code ${code}:\n${this.log}`)));
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          this.log += text;
          if (/^listening on /m.test(text)) resolve(Date.now());
        });
      }
    });
  }

  async stop(): Promise<void> {
    await endProcess(this.#child!);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
