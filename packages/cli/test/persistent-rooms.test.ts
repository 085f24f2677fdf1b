/** Rooms that are kept by real processes: `paceline start`, `paceline rooms`, `paceline dev`. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";

const ROOT = path.join(import.meta.dirname, "../../..");
const BIN = path.join(import.meta.dirname, "../bin/paceline.js");
const PORTS = ["--port", "0", "--webrtc", "off"];

let folder: string;
let running: ChildProcess[];

/** Runs `paceline ARGS` in the folder. */
class Command {
  readonly exited: Promise<number | null>;
  text = "";
  readonly #child: ChildProcess;

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: {} });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.text += data.toString()));
    this.exited = once(this.#child, "close").then(([code]) => code as number | null);
    running.push(this.#child);
  }

  async says(pattern: RegExp): Promise<string> {
    await vi.waitUntil(() => pattern.test(this.text), { timeout: 30_000 });
    return pattern.exec(this.text)![1] ?? "";
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.exited;
  }
}

/** A game whose room counts laps: persistent or not, and with `word` as its answer. */
function game(persistent: string, word = "one"): string {
  return `import { Room } from "@paceline/server";
class Match extends Room {
  ${persistent}
  laps = 0;
  onCreate() {
    this.onRequest("lap", () => [++this.laps, "${word}"]);
  }
  onSave() {
    return { laps: this.laps };
  }
  onRestore(saved) {
    this.laps = saved.laps;
  }
}
export const rooms = { match: Match };
`;
}
const PERSISTENT = "static persistent = { everySeconds: 0.1 };";

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
const join = (address: string): Promise<Room> =>
  new Client(address, {
    profile: "action",
    webSocket: NodeWebSocket,
    transports: ["websocket"],
  }).joinOrCreate("match");

beforeAll(() => {
  // What runs is what is in dist: bring it up to date (incremental, so mostly nothing happens).
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", "packages/cli"], { cwd: ROOT, encoding: "utf8" });
  if (build.status !== 0) throw new Error(build.stdout);
}, 120_000);
beforeEach(() => {
  running = [];
  folder = mkdtempSync(path.join(tmpdir(), "paceline-kept-"));
  mkdirSync(path.join(folder, "node_modules/@paceline"), { recursive: true });
  symlinkSync(path.join(ROOT, "packages/server"), path.join(folder, "node_modules/@paceline/server"));
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

test("a persistent room class is kept by `paceline start` without further options", async () => {
  write("game.mjs", game(PERSISTENT));
  const token = "0123456789abcdef";
  const first = new Command(
    "start",
    "--game",
    "game.mjs",
    ...PORTS,
    "--admin-port",
    "0",
    "--admin-token",
    token,
  );
  const admin = await first.says(/admin page and metrics on (\S+)/);
  const address = await first.says(/^listening on (\S+)/m);
  const room = await join(address);
  await room.request("lap", null);
  const kept = path.join(folder, "paceline-data/rooms");
  await vi.waitUntil(() => readdirSync(kept).some((name) => name.endsWith(".room")), { timeout: 10_000 });
  const metrics = await (await fetch(`${admin}/metrics`)).text();
  expect(metrics).toMatch(/^paceline_store_total\{outcome="saved"\} [1-9]/m);
  expect(metrics).toMatch(/^paceline_store_total\{outcome="lied"\} 0$/m);

  const second = new Command("start", "--game", "game.mjs", ...PORTS);
  expect(await second.exited).toBe(2);
  const [sentence, ...more] = second.text.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  expect(sentence).toMatch(/^cannot open \S+rooms: process \d+ has it open: end that process, or choose/);
  expect(more).toEqual([]);

  await first.stop();
  const file = readdirSync(kept).find((name) => name.endsWith(".room"))!;
  const shown = new Command("rooms", "show", "--json", path.join(kept, file));
  expect(await shown.exited).toBe(0);
  expect(JSON.parse(shown.text)).toMatchObject({
    room: room.roomId,
    content: { room: { id: room.roomId, name: "match" }, game: { data: { laps: 1 } } },
  });
  const { port } = new URL(address);
  const third = new Command("start", "--game", "game.mjs", "--webrtc", "off", "--port", port);
  await third.says(/^listening on/m);
  expect(await room.request("lap", null)).toEqual([2, "one"]);
  await room.leave();
}, 60_000);

test("a game without persistent rooms never touches the disk", async () => {
  write("game.mjs", game(""));
  const command = new Command("start", "--game", "game.mjs", ...PORTS, "--data", "data");
  const room = await join(await command.says(/^listening on (\S+)/m));
  await room.request("lap", null);
  await room.leave();
  await command.stop();
  expect(existsSync(path.join(folder, "data"))).toBe(false);
  expect(existsSync(path.join(folder, "paceline-data"))).toBe(false);
}, 60_000);

test("`paceline dev` goes on with a persistent room after a save of its file, in memory alone", async () => {
  write("game.ts", game(PERSISTENT).replace("saved)", "saved: { laps: number })"));
  const command = new Command("dev", "game.ts", ...PORTS);
  const room = await join(await command.says(/^listening on (\S+)/m));
  expect(await room.request("lap", null)).toEqual([1, "one"]);
  for (const [word, laps] of [
    ["two", 2],
    ["three", 3],
  ] as const) {
    const back = new Promise((resolve) => room.onReconnect(resolve));
    write("game.ts", game(PERSISTENT, word).replace("saved)", "saved: { laps: number })"));
    await back;
    expect(await room.request("lap", null)).toEqual([laps, word]);
  }
  expect(existsSync(path.join(folder, "paceline-data"))).toBe(false);
  await room.leave();
}, 60_000);
