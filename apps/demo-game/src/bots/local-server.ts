import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { BotOptions } from "./bot-options.js";

/** Limits that let the whole swarm join from one address at once. */
const LIMITS = {
  matchesPerSecondPerAddress: 10_000,
  matchBurstPerAddress: 10_000,
  linksPerSecondPerAddress: 10_000,
  linkBurstPerAddress: 10_000,
  roomsPerMinutePerAddress: 10_000,
  roomBurstPerAddress: 10_000,
  joinsPerSecondPerRoom: 1000,
  joinBurstPerRoom: 1000,
};
const SERVER_CORE = "0";
const READY_LIMIT_MS = 15_000;

/** Server for the swarm, in a process of its own. */
export class LocalServer {
  readonly url: string;
  readonly metrics: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, addresses: { url: string; metrics: string }) {
    this.#child = child;
    this.#folder = folder;
    this.url = addresses.url;
    this.metrics = addresses.metrics;
  }

  /** @param root folder of the built repository */
  static async start(root: string, { hasWebRtc, isPinned }: BotOptions): Promise<LocalServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "paceline-bots-"));
    const config = path.join(folder, "server.json");
    writeFileSync(config, JSON.stringify({ limits: LIMITS }));
    const main = path.join(root, "apps/relay-server/dist/main.js");
    const game = path.join(root, "apps/demo-game/dist-server/rooms.js");
    const flags = ["--config", config, "--port", "0", "--game", game, "--log-level", "error"];
    const links = ["--rooms", "race:8", "--webrtc", hasWebRtc ? "0" : "off"];
    const admin = ["--admin-port", "0", "--admin-token", "only-for-this-run-of-the-bots"];
    const pin = isPinned ? ["taskset", "-c", SERVER_CORE] : [];
    const [command, ...args] = [...pin, process.execPath, main, ...flags, ...links, ...admin];
    const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      return new LocalServer(child, folder, await addressesOf(child));
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  stop(): void {
    this.#child.kill("SIGINT");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Resolves with the addresses that the server prints. */
function addressesOf(child: ChildProcess): Promise<{ url: string; metrics: string }> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("the server was not ready in time")), READY_LIMIT_MS);
    let metrics = "";
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on("line", (line) => {
      metrics = /^admin page and metrics on (\S+)/.exec(line)?.[1] ?? metrics;
      const url = /^listening on (\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(limit);
      resolve({ url, metrics: `${metrics}/metrics` });
    });
    child.once("exit", (code) =>
      reject(new Error(`the server ended with code ${code}: is everything built?`)),
    );
  });
}
