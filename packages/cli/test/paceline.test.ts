import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  mkdirSync,
  writeFileSync,
} from "node:fs";
import { randomInt } from "node:crypto";
import { createServer, type AddressInfo, type Server } from "node:net";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { Client, defineEntity, vec2 } from "@paceline/client";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { callsInTurn, type Answer } from "./calls-in-turn.js";
import { freeUdpPort } from "../../testkit/test/free-udp-port.js";

const ROOT = join(import.meta.dirname, "../../..");
const BIN = join(import.meta.dirname, "../bin/paceline.js");

/** `paceline ARGS` as a process of its own, in a game's folder. */
class Command {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  text = "";

  constructor(args: readonly string[], flags: readonly string[] = [], program?: string) {
    const [file, before] = program === undefined ? [process.execPath, [...flags, BIN]] : [program, []];
    // A program finds its Node as in a shell.
    const env = program === undefined ? {} : { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
    this.#child = spawn(file, [...before, ...args], { cwd: folder, env });
    this.#child.stdout?.on("data", (data: Buffer) => (this.text += data.toString()));
    this.#child.stderr?.on("data", (data: Buffer) => (this.text += data.toString()));
    this.exited = once(this.#child, "close").then(([code]) => code as number | null);
    running.push(this);
  }

  async says(pattern: RegExp): Promise<string> {
    await vi.waitUntil(() => pattern.test(this.text), { timeout: 30_000 });
    return pattern.exec(this.text)![1] ?? "";
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    // Its pipes may be open for longer: the compiler's process has them, too.
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

const MAIN = new URL("../dist/main.js", import.meta.url);

let folder: string;
const running: Command[] = [];

beforeAll(() => {
  // What runs is what is in dist: bring it up to date (incremental, so mostly nothing happens).
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", "packages/cli"], { cwd: ROOT, encoding: "utf8" });
  if (build.status !== 0) throw new Error(build.stdout);
  folder = mkdtempSync(join(tmpdir(), "paceline-cli-"));
  const scope = join(folder, "node_modules/@paceline");
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(ROOT, "packages/server"), join(scope, "server"));
  symlinkSync(
    realpathSync(join(import.meta.dirname, "../node_modules/yaml")),
    join(folder, "node_modules/yaml"),
  );
  mkdirSync(join(folder, "public"));
  writeFileSync(join(folder, "public/index.html"), "<!doctype html><title>mine</title>");
}, 60_000);
afterEach(() => Promise.all(running.splice(0).map((command) => command.end())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A game whose room answers "word" with `word`, in TypeScript. */
function gameSaying(word: string): string {
  return `import { Room } from "@paceline/server";
class Arena extends Room {
  override onCreate(): void {
    this.onRequest("word", () => "${word}");
  }
}
export const rooms: Record<string, new () => Room> = { arena: Arena };
`;
}

function save(text: string): void {
  writeFileSync(join(folder, "game.ts"), text);
}

/** Code of a game in CommonJS, as of a Socket.IO server: packages, own files, data and its own folder. */
function saveCommonJs(): void {
  mkdirSync(join(folder, "lib"), { recursive: true });
  const files = {
    "lib/level.json": '{ "size": 5 }',
    "lib/level.yaml": "name: canyon",
    "lib/level.js": `"use strict";
const { readFileSync } = require("node:fs");
const path = require("path");
const { parse } = require("yaml");
exports.size = require("./level.json").size;
exports.name = parse(readFileSync(path.join(__dirname, "level.yaml"), "utf8")).name;
exports.file = path.basename(__filename);
exports.isMain = require.main === module;`,
    "lib/modern.ts": `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
export const name: string = require("yaml").parse(readFileSync(new URL("level.yaml", import.meta.url), "utf8")).name;`,
    "lib/native.js": 'module.exports = require("./engine.node");',
    "lib/engine.node": "no library",
    "common.cjs": `const { Room, defineInput, flag } = require("@paceline/server");
const level = require("./lib/level");
class Arena extends Room {
  inputs = defineInput({ isFiring: flag() });
  onCreate() {
    this.onRequest("word", () => [level.size, level.name, level.file, level.isMain].join(" "));
  }
}
const made = () => ({ rooms: { arena: Arena }, queues: {} });
module.exports = made();`,
    "mixed.ts": `import { Room } from "@paceline/server";
import level from "./lib/level.js";
import { name } from "./lib/modern.js";
class Arena extends Room {
  override onCreate(): void {
    this.onRequest("word", () => [level.size, name, level.file, level.isMain].join(" "));
  }
}
export const rooms: Record<string, new () => Room> = { arena: Arena };`,
    "native.ts": 'import engine from "./lib/native.js";\nexport const rooms = engine;',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function listensOn(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
}

/** Takes a TCP port whose successor is free, below the ports that systems give to outgoing connections. */
async function listenBelowFreePort(): Promise<Server> {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const [server, next] = [createServer(), createServer()];
    const areFree = (await listensOn(server, port)) && (await listensOn(next, port + 1));
    next.close();
    if (areFree) return server;
    server.close();
  }
}

const dev = (...args: readonly string[]): Command => new Command(["dev", ...args]);

describe("paceline dev", () => {
  test("runs the rooms of a TypeScript file, and after a save connected players get the new code", async () => {
    save(gameSaying("one"));
    const command = dev("game.ts", "--port", "0", "--webrtc", "off");
    const address = await command.says(/^listening on (\S+)/m);
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    const room = await client.joinOrCreate("arena");
    expect(await room.request("word", null)).toBe("one");
    let reconnects = 0;
    room.onReconnect(() => (reconnects += 1));
    save(gameSaying("two"));
    await expect.poll(() => reconnects, { timeout: 15_000 }).toBe(1);
    expect(await room.request("word", null)).toBe("two");
    room.leave();
  });

  test.each(["common.cjs", "mixed.ts"])(
    "runs CommonJS code that requires packages, its own files and data: %s",
    async (file) => {
      saveCommonJs();
      const command = dev(file, "--port", "0", "--webrtc", "off");
      const address = await command.says(/^listening on (\S+)/m);
      expect(command.text).not.toContain("Dynamic require");
      const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
      const room = await client.joinOrCreate("arena");
      expect(await room.request("word", null)).toBe("5 canyon level.js false");
      await room.leave();
    },
  );

  test("loads a native module from the game's own folder", async () => {
    saveCommonJs();
    const command = dev("native.ts", "--port", "0", "--webrtc", "off");
    // The system's loader has read the file, which is no library.
    expect(await command.says(/(lib[\\/]engine\.node): /)).toContain("engine.node");
  });

  test.each([
    ["does not compile", "export const rooms = {", /game\.ts:1:\d+: Expected identifier/],
    ["throws", "throw new Error('no such map');", /game\.ts" cannot be loaded: no such map/],
    ["exports no rooms", "export const room = 1;", /expected ".*game\.ts" to export "rooms"/],
  ])(
    "keeps running with a file that %s, shows the error on the page, and recovers after a save",
    async (_what, text, message) => {
      save(text);
      const command = dev("game.ts", "--port", "0", "--webrtc", "off", "--static", "public");
      const address = await command.says(/^listening on (\S+)/m);
      expect(command.text).toMatch(message);
      const match = (): Promise<Response> =>
        fetch(`${address}/match/joinOrCreate/arena`, { method: "POST", body: '{"version":1}' });
      expect((await match()).status).toBe(503);
      const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
      const failure = await client.joinOrCreate("arena").catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "match/room-failed", message: expect.stringMatching(message) });
      const page = await (await fetch(address)).text();
      expect(page).toContain("<title>mine</title>");
      expect(page).toContain('src="/@paceline/overlay.js"');
      expect(await (await fetch(`${address}/@paceline/overlay.js`)).text()).toContain("/@paceline/events");
      const events = (await fetch(`${address}/@paceline/events`)).body!.getReader();
      const next = async (): Promise<string> => Buffer.from((await events.read()).value!).toString();
      expect(JSON.parse((await next()).slice("data: ".length))).toMatchObject({
        error: expect.stringMatching(message) as string,
      });
      save(gameSaying("well"));
      expect(await next()).toBe('data: {"rooms":["arena"]}\n\n');
      expect((await match()).status).not.toBe(503);
      await events.cancel();
    },
  );

  test("shows the page the error of a hook, with its line in the game's file", async () => {
    save(
      gameSaying("one").replace(
        "{\n    this",
        '{\n    if (this.players.size === 0) throw new Error("no map");\n    this',
      ),
    );
    const command = dev("game.ts", "--port", "0", "--webrtc", "off", "--static", "public");
    const address = await command.says(/^listening on (\S+)/m);
    const events = (await fetch(`${address}/@paceline/events`)).body!.getReader();
    const next = async (): Promise<string> => Buffer.from((await events.read()).value!).toString();
    expect(await next()).toBe('data: {"rooms":["arena"]}\n\n');
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    const text = "the room's code failed in onCreate; the server's log has the error";
    await expect(client.joinOrCreate("arena")).rejects.toThrow(text);
    expect(await next()).toMatch(/hook=onCreate\\nError: no map\\n.*game\.ts:4:/);
    await command.says(/Error: no map/);
    save(gameSaying("two"));
    expect(await next()).toBe('data: {"rooms":["arena"]}\n\n');
    await events.cancel();
  });

  test("goes on after an error in a timer of a room, and prints an error of the file's own timer before it ends", async () => {
    const late = (text: string): string => `setTimeout(() => { throw new Error("${text}"); }, 20);`;
    save(gameSaying("one").replace("{\n    this", `{\n    ${late("of the room")}\n    this`));
    const command = dev("game.ts", "--port", "0", "--webrtc", "off");
    const address = await command.says(/^listening on (\S+)/m);
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    await client.joinOrCreate("arena").catch(() => undefined);
    await command.says(/Error: of the room\n.*game\.ts:4:/);
    expect((await fetch(`${address}/health`)).status).toBe(200);
    save(`${late("of the file")}\n${gameSaying("two")}`);
    expect(await command.exited).toBe(1);
    expect(command.text).toMatch(/Error: of the file\n.*game\.ts:1:/);
  });

  test("removes the folders of processes that were killed, and of no others", async () => {
    save(gameSaying("one"));
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    const packages = join(folder, "node_modules");
    for (const pid of [gone, process.pid]) mkdirSync(join(packages, `.paceline-${pid}-abcdef`));
    const killed = dev("game.ts", "--port", "0", "--webrtc", "off");
    await killed.says(/^listening on (\S+)/m);
    expect(readdirSync(packages)).not.toContain(`.paceline-${gone}-abcdef`);
    await killed.end();
    const next = dev("game.ts", "--port", "0", "--webrtc", "off");
    await next.says(/^listening on (\S+)/m);
    const left = readdirSync(packages).filter((name) => name.startsWith(".paceline-"));
    expect(left).toHaveLength(2);
    expect(left).toContain(`.paceline-${process.pid}-abcdef`);
  });

  test("keeps the last good rooms after a save whose rooms are invalid", async () => {
    save(gameSaying("one"));
    const command = dev("game.ts", "--port", "0", "--webrtc", "off");
    const address = await command.says(/^listening on (\S+)/m);
    save(gameSaying("two").replace("arena:", "'no name':"));
    await command.says(/no name/);
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    const room = await client.joinOrCreate("arena");
    expect(await room.request("word", null)).toBe("one");
    await room.leave();
  });

  test("listens for WebRTC on the same UDP port after a save", { timeout: 90_000 }, async () => {
    save(gameSaying("one"));
    const port = await freeUdpPort();
    const command = dev("game.ts", "--port", "0", "--webrtc", String(port));
    const address = await command.says(/^listening on (\S+)/m);
    const webRtc = await nodeWebRtc();
    if (!webRtc) throw new Error("node-datachannel is not installed");
    const transports = ["webrtc", "websocket"] as const;
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket, webRtc, transports });
    const room = await client.joinOrCreate("arena");
    const health = async (): Promise<unknown> => (await fetch(`${address}/health`)).json();
    const isOver = { webRtcLinks: 1, webRtcPort: port };
    await expect.poll(health, { timeout: 25_000 }).toMatchObject(isOver);
    const word = async (): Promise<unknown> => room.request("word", null).catch(() => undefined);
    save(gameSaying("two"));
    await expect.poll(word, { timeout: 25_000 }).toBe("two");
    await expect.poll(health, { timeout: 25_000 }).toMatchObject(isOver);
    await room.leave();
  });

  test("takes the next port, for WebRTC too, if the default one is taken, and fails if a chosen one is", async () => {
    const other = createServer();
    // Another program may have it already.
    const isOurs = await listensOn(other, 8787);
    save(gameSaying("one"));
    const moved = dev("game.ts");
    const address = await moved.says(/^listening on (\S+)/m);
    const port = Number(new URL(address).port);
    expect(port).not.toBe(8787);
    expect(moved.text).toMatch(/^port 8787 is taken by .+; this is \d+$/m);
    expect(moved.text).toMatch(/^a page that names port 8787 finds the other server$/m);
    const health = async (): Promise<unknown> => (await fetch(`${address}/health`)).json();
    await expect.poll(health).toMatchObject({ webRtcPort: port });
    if (isOurs) other.close();
    // The server that moved holds its port for certain.
    const chosen = dev("game.ts", "--port", String(port));
    expect(await chosen.exited).toBe(1);
    expect(chosen.text).toMatch(/cannot listen on 127\.0\.0\.1, port \d+: the port is taken/);
  });

  test("ends with a wrong option of rooms, which no save can mend", async () => {
    const command = dev("--rooms", "tag:0", "--port", "0", "--webrtc", "off");
    expect(await command.exited).toBe(2);
    expect(command.text).toMatch(
      /^rooms\.tag\.maxPlayers: expected a whole number from 1 to 128 .*, got 0$/m,
    );
    expect(command.text).not.toContain("listening");
  });

  test("fails with the name of a file that does not exist", async () => {
    const command = dev("none.ts");
    expect(await command.exited).toBe(2);
    expect(command.text).toContain('game: there is no file "none.ts"');
  });
});

describe("paceline bots", () => {
  async function serverFor(...args: readonly string[]): Promise<string> {
    const command = dev(...args, "--port", "0", "--webrtc", "off", "--rooms", "canvas:8");
    return command.says(/^listening on (\S+)/m);
  }

  test("walk and talk in a room between players, print rates and end", async () => {
    const address = await serverFor();
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    const room = await client.joinOrCreate("canvas");
    const command = new Command(["bots", address, "--room", "canvas", "--count", "3", "--seconds", "3"]);
    const numbers = new Set<number>();
    room.onMessage("paceline-bot", (_number, { number }) => numbers.add(number));
    expect(await command.exited).toBe(0);
    expect(numbers.size).toBe(3);
    expect(command.text).toMatch(/^3 of 3 joined, in [\d.]+ ms/m);
    // Each hears the three others' states and messages.
    const [, received, sent] = /received ([\d.]+) bytes\/s and sent ([\d.]+) bytes/.exec(command.text)!;
    expect(Number(received)).toBeGreaterThan(100);
    expect(Number(sent)).toBeGreaterThan(20);
    expect(command.text).toMatch(/^messages: [1-9]\d* heard, 0 lost; connections lost: 0$/m);
    await room.leave();
  });

  test("own an entity and walk with it, as those at a hot spot do, with an authority too", async () => {
    save(`import { Room, defineEntity, vec2 } from "@paceline/server";
const Walker = defineEntity("walker", { position: vec2({ range: [0, 1000], precision: 0.1, unit: "m" }) });
class Land extends Room {
  override readonly entities = [Walker];
  override readonly playerEntities = [{ definition: Walker, limits: { maxSpeed: 100, maxStep: 2000 } }];
}
export const rooms = { land: Land };
`);
    const address = await serverFor("game.ts");
    const client = new Client(address, { profile: "mmo", webSocket: NodeWebSocket });
    const room = await client.joinOrCreate("land");
    const position = vec2({ range: [0, 1000], precision: 0.1, unit: "m" });
    const walkers = room.entities(defineEntity("walker", { position }));
    const places = new Map<number, Set<string>>();
    const watching = setInterval(() => {
      for (const { id, position: at } of walkers)
        places.set(id, (places.get(id) ?? new Set()).add(`${at.x.toFixed(1)} ${at.y.toFixed(1)}`));
    }, 50);
    const where = ["bots", address, "--room", "land", "--walk", "hotspot", "--count", "10", "--seconds", "4"];
    const command = new Command([...where, "--game", "game.ts"]);
    await command.exited;
    clearInterval(watching);
    expect(command.text).toMatch(/^10 of 10 joined/m);
    expect(places.size).toBe(10);
    const [moving, standing] = [[...places.values()].filter(({ size }) => size > 5), [...places.values()]];
    // At three positions a second, as far as they do not stand at present.
    expect(moving.length).toBeGreaterThan(0);
    for (const { size } of standing) expect(size).toBeLessThan(25);
    const isHot = (place: string): boolean =>
      place.split(" ").every((each) => Math.abs(Number(each) - 500) <= 51);
    expect([...places.values()].filter((own) => [...own].every(isHot)).length).toBeGreaterThanOrEqual(3);
    await room.leave();
    const blind = new Command(where);
    expect(await blind.exited).toBe(1);
  });

  /** A room that counts the inputs of each player, and how many differ. */
  const COUNTING = `import { Room, defineInput, enumOf, flag, int, scalar, vec2, type Player } from "@paceline/server";
const Wish = defineInput({
  steer: scalar({ range: [-1, 1], precision: 0.01 }),
  aim: vec2({ range: [-5, 5], precision: 0.1 }),
  gear: int({ range: [-1, 3] }),
  isFiring: flag(),
  weapon: enumOf(["bow", "axe"]),
});
class Arena extends Room {
  override readonly inputs = Wish;
  readonly seen = new Map<number, Set<string>>();
  override onCreate(): void {
    this.onRequest("seen", () => Array.from(this.seen.values(), (inputs) => [...inputs]));
  }
  override onTick(): void {
    for (const { number, input } of this.players.values() as Iterable<Player<typeof Wish>>) {
      const seen = this.seen.get(number) ?? new Set();
      const { steer, aim, gear, isFiring, weapon } = input;
      this.seen.set(number, seen.add([steer.toFixed(2), aim.x.toFixed(1), aim.y.toFixed(1), gear, isFiring, weapon].join(" ")));
    }
  }
}
export const rooms = { arena: Arena };
`;

  /** A room with two kinds of entities that move at random, from a second after the first player on. */
  const CROWDED = `import { Room, defineEntity, vec2, type ServerEntity } from "@paceline/server";
const position = vec2({ range: [-50, 50], precision: 0.01 });
const Fish = defineEntity("fish", { position }, { motion: "velocity" });
const Bird = defineEntity("bird", { position }, { motion: "velocity" });
class Arena extends Room {
  override readonly entities = [Fish, Bird];
  ticks = 0;
  override onTick(): void {
    this.ticks += this.players.size > 0 ? 1 : 0;
    if (this.ticks === 30)
      for (let number = 0; number < 100; number += 1) for (const kind of [Fish, Bird]) this.spawn(kind);
    const random = (): number => Math.random() * 100 - 50;
    for (const kind of [Fish, Bird]) for (const entity of this.entitiesOf(kind)) entity.position.set(random(), random());
  }
}
export const rooms: Record<string, new () => Room> = { arena: Arena };
`;

  test.each([
    ["send random inputs to a room with an authority if --game names its file", ["--game", "game.ts"], true],
    ["send no inputs to a room with an authority without --game", [], false],
  ])("%s", async (_title, flags, isDriving) => {
    save(COUNTING);
    const address = await serverFor("game.ts");
    const client = new Client(address, { profile: "action", webSocket: NodeWebSocket });
    const room = await client.joinOrCreate("arena");
    const before = readdirSync(join(folder, "node_modules"));
    const where = ["bots", address, "--room", "arena", ...flags];
    const command = new Command([...where, "--count", "2", "--seconds", "2", "--json"]);
    expect(await command.exited).toBe(0);
    const figures = JSON.parse(command.text) as Record<string, unknown>;
    expect(figures).toMatchObject({ players: 2, failures: {}, drops: 0, paths: { websocket: 2 } });
    const [mine, ...theirs] = (await room.request("seen", null)) as string[][];
    expect(mine).toHaveLength(1);
    expect(theirs).toHaveLength(2);
    for (const inputs of theirs) {
      // How many values of steer, aim.x and aim.y the room has seen.
      const values = [0, 1, 2].map((at) => new Set(inputs.map((each) => each.split(" ")[at])).size);
      expect(Math.min(...values) > 1).toBe(isDriving);
      expect(inputs.length >= 3).toBe(isDriving);
    }
    expect(readdirSync(join(folder, "node_modules"))).toEqual(before);
    await room.leave();
  });

  test("read inputs and kinds from a game's file in CommonJS", async () => {
    saveCommonJs();
    const address = await serverFor("common.cjs");
    const where = ["bots", address, "--room", "arena", "--game", "common.cjs"];
    const command = new Command([...where, "--count", "1", "--seconds", "1"]);
    expect(await command.exited).toBe(0);
    expect(command.text).toMatch(/^1 of 1 joined/m);
  });

  test("receive the states of all kinds if --game names the file, and else say that they do not", async () => {
    save(CROWDED);
    // Blind bots are first: the next one may enter their room, which has entities by then.
    const address = await serverFor("game.ts");
    const run = async (...flags: readonly string[]): Promise<{ received: number; text: string }> => {
      const where = ["bots", address, "--room", "arena", "--count", "1", "--seconds", "3"];
      const command = new Command([...where, ...flags]);
      expect(await command.exited).toBe(0);
      const [, received] = /received ([\d.]+) bytes\/s/.exec(command.text)!;
      return { received: Number(received), text: command.text };
    };
    const blind = await run();
    const reading = await run("--game", "game.ts");
    // Two hundred entities that turn at each tick take the whole budget for states.
    expect(reading.received).toBeGreaterThan(3 * blind.received);
    expect(blind.text).toMatch(/^without --game they read no entities of the room's authority/m);
    expect(reading.text).not.toContain("without --game");
  });

  test.each([
    [["--game", "none.ts"], "", /game: there is no file "none\.ts"/],
    [
      ["--game", "broken.ts"],
      "export const rooms = {",
      /game: "broken\.ts" does not compile:\n.*broken\.ts:1:\d+: Expected/,
    ],
    [["--game", "broken.ts"], COUNTING, /room: expected one of "broken\.ts" \(arena\), got "race"/],
  ])("fail if the game's file is missing, broken, or has no such room: %j", async (flags, text, message) => {
    writeFileSync(join(folder, "broken.ts"), text);
    const command = new Command(["bots", "--room", "race", ...flags]);
    expect(await command.exited).toBe(2);
    expect(command.text).toMatch(message);
  });

  test("exit with 1 if none can join, and print the reason", async () => {
    const address = await serverFor();
    const command = new Command(["bots", address, "--room", "none", "--count", "2", "--seconds", "1"]);
    expect(await command.exited).toBe(1);
    expect(command.text).toMatch(/^0 of 2 joined/m);
    expect(command.text).toMatch(/^could not join: match\/\S+ 2$/m);
  });
});

describe("paceline start", () => {
  // Windows starts the command by a file that npm writes.
  test.runIf(process.platform !== "win32")(
    "keeps V8's young generation at 8 MB or less under many allocations",
    async () => {
      const game = `import { getHeapSpaceStatistics } from "node:v8";
const kept = [];
for (let made = 0; made < 60_000; made += 1) {
  kept.push({ made: [made], at: new Map() });
  if (kept.length > 20_000) kept.shift();
}
const { space_size: bytes } = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
console.log("young generation: " + bytes / 2 ** 20 + " MB;");
export const rooms = {};
`;
      writeFileSync(join(folder, "objects.mjs"), game);
      // As a package manager installs it.
      const installed = join(folder, "paceline");
      symlinkSync(BIN, installed);
      const command = new Command(["start", "--port", "0", "--game", "objects.mjs"], [], installed);
      expect(Number(await command.says(/young generation: (\d+) MB;/))).toBeLessThanOrEqual(8);
    },
  );
});

describe("a wrong call of paceline", () => {
  test("names the process that has the port, and a free port", async () => {
    const program =
      "const s = require('net').createServer(); s.listen(0, '127.0.0.1', () => console.log(s.address().port))";
    // A flag stands for a secret: the message must not repeat it.
    const other = spawn(process.execPath, ["--stack-trace-limit=54321", "-e", program]);
    const port = Number(await new Promise((resolve) => other.stdout.once("data", resolve)));
    for (const name of ["dev", "start"]) {
      const command = new Command([name, "--port", String(port), "--webrtc", "off"]);
      expect(await command.exited).toBe(1);
      expect(command.text).toMatch(/the port is taken/);
      const [, flag, free] = /; (--[\w-]+) (\d+) is free/.exec(command.text)!;
      const cured = new Command([name, "--webrtc", "off", flag!, free!]);
      expect(await cured.says(/listening on (\S+)/)).toContain(`:${free}`);
      await cured.end();
      // Other systems do not tell.
      expect(command.text).toContain(process.platform === "linux" ? `(process ${other.pid})` : "");
      expect(command.text).not.toContain("54321");
    }
    other.kill();
  });

  /** Calls that name what is allowed. */
  const WRONG: readonly (readonly [string[], RegExp])[] = [
    [["dev", "--prot", "80"], /--prot'; there are --config, --port, /],
    [["start", "--prot", "80"], /--prot'; there are --config, --port, /],
    [["bots", "--room", "x", "--count", "0"], /count: expected a whole number from 1 to 1000, got "0"/],
    [["bots"], /room: expected the name of a kind of rooms, got none/],
    [["bots", "--room", "x", "--profile", "golf"], /profile: expected one of .*racing.*, got "golf"/],
    [
      ["bots", "--room", "x", "--walk", "crawl"],
      /walk: expected one of random-waypoint, hotspot, trace, got "crawl"/,
    ],
    [["bots", "--room", "x", "--walk", "trace"], /data: expected the folder of recorded traces, got none/],
    [["strat"], /there is no command "strat"; there are dev, bots, rooms, start/],
  ];
  let answers: Promise<readonly Answer[]> | undefined;

  test.each(WRONG.map(([args, message], at) => ({ args, message, at })))(
    "$args lists the valid choices",
    async ({ message, at }) => {
      answers ??= callsInTurn(
        MAIN,
        WRONG.map(([args]) => args),
        folder,
      );
      const { code, stderr } = (await answers)[at]!;
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
      // The mistake must not scroll away above a list of all options.
      expect(stderr.trimEnd().split("\n").length).toBeLessThan(13);
    },
  );

  test("ends the process with 2, and says why on its output", async () => {
    const command = new Command(["strat"]);
    expect(await command.exited).toBe(2);
    expect(await callsInTurn(MAIN, [["strat"]])).toEqual([{ code: 2, stdout: "", stderr: command.text }]);
  });

  test("is answered with a call for help that lists the options", async () => {
    const names = ["dev", "start", "bots"];
    const wrong = await callsInTurn(
      MAIN,
      names.map((name) => [name, "--prot", "80"]),
    );
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2]);
    const commands = wrong.map(({ stderr }) => /paceline (\w+ --help) lists all options\./.exec(stderr)![1]!);
    const help = await callsInTurn(
      MAIN,
      commands.map((command) => command.split(" ")),
    );
    expect(help.map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const [at, name] of names.entries())
      expect(help[at]!.stdout).toMatch(new RegExp(`^paceline ${name} [^]*\\n {2}--`));
  });

  test("names the flag of the admin page's port if that one is taken, and not the game's own port", async () => {
    const other = await listenBelowFreePort();
    const { port: taken } = other.address() as AddressInfo;
    const admin = ["--admin-port", String(taken), "--admin-token", "a token of the operators"];
    const common = ["start", "--webrtc", "off", "--port", String(taken + 1)];
    const command = new Command([...common, ...admin]);
    expect(await command.exited).toBe(1);
    const [, flag, free] = /; (--[\w-]+) (\d+) is free/.exec(command.text)!;
    expect([flag, Number(free) > taken + 1]).toEqual(["--admin-port", true]);
    // The last value of a flag counts.
    const cured = new Command([...common, ...admin, flag!, free!]);
    expect(await cured.says(/metrics on (\S+)/)).toContain(`:${free}`);
    await cured.says(/listening on/);
    other.close();
  });

  /** Saves a game that Node cannot run, and returns what `paceline start` says to do about it. */
  async function advisedFor(type: string | undefined): Promise<{ compile: () => void; start: string[] }> {
    const game =
      "enum Team { red }\nexport const rooms = { arena: class extends Room { team = Team.red; } };\n";
    save(`import { Room } from "@paceline/server";\n${game}`);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
    const start = ["start", "--port", "0", "--webrtc", "off"];
    const command = new Command([...start, "--game", "game.ts"]);
    expect(await command.exited).toBe(2);
    const advice = /Make JavaScript of it, "npx vite (.*)", and name "(--game) (.*)"/.exec(command.text)!;
    const [, build, flag, file] = advice;
    const vite = join(ROOT, "apps/demo-game/node_modules/vite/bin/vite.js");
    const compile = (): void => {
      const args = [vite, ...build!.split(" ")];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
    };
    return { compile, start: [...start, flag!, file!] };
  }

  test.each(["module", "commonjs", undefined])(
    "start says how to make JavaScript of a game's file, in a package of the type %s",
    async (type) => {
      const { compile, start } = await advisedFor(type);
      writeFileSync(
        join(folder, "vite.config.mjs"),
        'export default { ssr: { external: ["@paceline/server"] } };',
      );
      compile();
      expect(await new Command(start).says(/listening on .* with rooms (\w+)/)).toBe("arena");
      rmSync(join(folder, "vite.config.mjs"));
      rmSync(join(folder, "package.json"));
    },
  );

  test("start says what is wrong with a bundle that contains the server's package", async () => {
    // Vite puts a package that is only linked, as here, into the bundle.
    const { compile, start } = await advisedFor("module");
    compile();
    const bundled = new Command(start);
    expect(await bundled.exited).toBe(2);
    expect(bundled.text).toMatch(/rooms\.arena: expected a class .* a bundle leaves that package out/);
    rmSync(join(folder, "package.json"));
  });

  test("with an old Node prints one sentence", async () => {
    const old = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '18.20.4' })";
    const command = new Command(["dev"], ["--import", old]);
    expect(await command.exited).toBe(1);
    expect(command.text).toBe("paceline needs Node 20.19 or newer; this is Node 18.20.4.\n");
  });
});
