import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { hostileRequests, rawAnswer, statusOf, strangers } from "../../cli/test/hostile-requests.js";

const ROOT = path.join(import.meta.dirname, "../../..");
const HOST = "127.0.0.1";

/** Vite's own command as a process, in a project that has the plugin. */
class Vite {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  text = "";

  constructor(...args: readonly string[]) {
    const bin = path.join(folder, "node_modules/vite/bin/vite.js");
    this.#child = spawn(process.execPath, [bin, "--host", HOST, ...args], {
      cwd: folder,
      env: { NO_COLOR: "1" },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data: Buffer) => (this.text += data.toString()));
    this.exited = once(this.#child, "close").then(([code]) => code as number | null);
    running.push(this);
  }

  async says(pattern: RegExp): Promise<string> {
    await vi
      .waitUntil(() => pattern.test(this.text), { timeout: 15_000 })
      .catch((error: unknown) => {
        throw new Error(`Vite never said ${String(pattern)}:\n${this.text}`, { cause: error });
      });
    return pattern.exec(this.text)![1] ?? "";
  }

  address(): Promise<string> {
    return this.says(/Local:\s+(http:\S+\d)/);
  }

  /** As a terminal does it. */
  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    this.#child.kill(signal);
    return this.exited;
  }
}

let folder: string;
const running: Vite[] = [];

beforeAll(() => {
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", "packages/vite-plugin"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (build.status !== 0) throw new Error(build.stdout);
  const linker = [path.join(ROOT, "tools/link.mjs"), "client"];
  const linking = spawnSync(process.execPath, linker, { encoding: "utf8" });
  if (linking.status !== 0) throw new Error(linking.stderr);
  folder = mkdtempSync(path.join(tmpdir(), "paceline-vite-"));
  mkdirSync(path.join(folder, "node_modules/@paceline"), { recursive: true });
  const link = (name: string, target: string): void =>
    symlinkSync(target, path.join(folder, "node_modules", name));
  link("@paceline/client", path.join(ROOT, "packages/client"));
  link("@paceline/server", path.join(ROOT, "packages/server"));
  link("@paceline/vite-plugin", path.join(import.meta.dirname, ".."));
  link("vite", path.join(import.meta.dirname, "../node_modules/vite"));
  link("yaml", realpathSync(path.join(ROOT, "packages/cli/node_modules/yaml")));
  link("vitest", path.join(ROOT, "node_modules/vitest"));
  save("package.json", '{ "private": true, "type": "module" }');
  save("index.html", "<!doctype html><title>mine</title>");
  configure('{ game: "game.ts", rooms: { canvas: { maxPlayers: 4 } } }');
}, 120_000);
afterEach(() => Promise.all(running.splice(0).map((vite) => vite.end())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function save(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}

function configure(options: string, server = "{}"): void {
  const plugin = 'import { paceline } from "@paceline/vite-plugin";\n';
  save("vite.config.ts", `${plugin}export default { server: ${server}, plugins: [paceline(${options})] };\n`);
}

/** A room that answers "word" with `word`. */
const gameSaying = (word: string): string => `import { Room } from "@paceline/server";
class Arena extends Room {
  override onCreate(): void {
    this.onRequest("word", () => "${word}");
  }
}
export const rooms: Record<string, new () => Room> = { arena: Arena };
`;

const clientOf = (address: string): Client =>
  new Client(address, { profile: "action", webSocket: NodeWebSocket, transports: ["websocket"] });

/** The messages that Vite sends a page, as a page without an address of its own receives them. */
async function hotMessagesOf(address: string): Promise<{ type: string; err?: { message: string } }[]> {
  const page = await (await fetch(`${address}/@vite/client`)).text();
  const token = /wsToken = "([^"]+)"/.exec(page)?.[1] ?? "";
  const socket = new NodeWebSocket(`${address.replace("http", "ws")}/?token=${token}`, ["vite-hmr"]);
  const messages: { type: string; err?: { message: string } }[] = [];
  socket.addEventListener("message", ({ data }: { readonly data: unknown }) =>
    messages.push(JSON.parse(typeof data === "string" ? data : Buffer.from(data as ArrayBuffer).toString())),
  );
  sockets.push(socket);
  await vi.waitUntil(() => messages.length > 0, { timeout: 10_000 });
  return messages;
}
const sockets: InstanceType<typeof NodeWebSocket>[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));

test("clients join at the page's address, and after a save connected players get the new code", async () => {
  save("game.ts", gameSaying("one"));
  const vite = new Vite("--port", "0");
  const address = await vite.address();
  expect(await (await fetch(address)).text()).toContain("<title>mine</title>");
  const between = await clientOf(address).joinOrCreate("canvas");
  const room = await clientOf(address).joinOrCreate("arena");
  expect(await room.request("word", null)).toBe("one");
  let reconnects = 0;
  room.onReconnect(() => (reconnects += 1));
  save("game.ts", gameSaying("two"));
  await expect.poll(() => reconnects, { timeout: 15_000 }).toBe(1);
  expect(await room.request("word", null)).toBe("two");
  void room.leave();
  void between.leave();
  expect(await vite.end("SIGTERM")).not.toBeNull();
});

test("a game that does not compile: Vite keeps running, and every page shows the error until a good save", async () => {
  save("game.ts", "export const rooms = {");
  const vite = new Vite("--port", "0");
  const address = await vite.address();
  const messages = await hotMessagesOf(address);
  const isShown = (message: { type: string; err?: { message: string } }): boolean =>
    message.type === "error" && /game\.ts:1:\d+: Expected/.test(message.err?.message ?? "");
  await expect.poll(() => messages.some(isShown), { timeout: 10_000 }).toBe(true);
  expect(vite.text).toMatch(/game\.ts:1:\d+: Expected/);
  save("game.ts", gameSaying("well"));
  await expect.poll(() => messages.at(-1)?.type, { timeout: 10_000 }).toBe("update");
  const room = await clientOf(address).joinOrCreate("arena");
  expect(await room.request("word", null)).toBe("well");
  void room.leave();
  expect((await hotMessagesOf(address)).some(isShown)).toBe(false);
});

test("a game with CommonJS code that requires a package runs", async () => {
  save("words.cjs", 'const { parse } = require("yaml");\nexports.word = parse("word: kind").word;');
  save("game.ts", 'import { word } from "./words.cjs";\n' + gameSaying("WORD").replace('"WORD"', "word"));
  const room = await clientOf(await new Vite("--port", "0").address()).joinOrCreate("arena");
  expect(await room.request("word", null)).toBe("kind");
  await room.leave();
});

test("strangers learn nothing and end nothing, even where Vite itself admits every name", async () => {
  configure('{ game: "game.ts", rooms: { canvas: { maxPlayers: 4 } } }', "{ allowedHosts: true }");
  save("game.ts", "export const rooms = {");
  const vite = new Vite("--port", "0");
  const port = Number(new URL(await vite.address()).port);
  const host = `127.0.0.1:${port}`;
  const ours = ["POST /match/joinOrCreate/arena HTTP/1.1", `Host: ${host}`, "Content-Length: 0"];
  const twoHosts = { what: "two Hosts", status: 400, lines: () => [...ours, "Host: evil.example"] };
  const requests = [...strangers("/match/joinOrCreate/arena", "POST"), twoHosts];
  const refused = async (): Promise<void> => {
    for (const { lines, status, what } of requests) {
      const answer = await rawAnswer(port, lines(host), 2000);
      expect([what, statusOf(answer), answer.includes("game.ts")]).toEqual([what, status, false]);
    }
  };
  // While the file has an error, the answer to the game's own pages quotes the source.
  expect(await rawAnswer(port, ours, 2000)).toContain("game.ts");
  await refused();
  save("game.ts", gameSaying("well"));
  await vite.says(/paceline: (rooms canvas, arena)/);
  await refused();
  const upgrade = ["Connection: Upgrade", "Upgrade: websocket"];
  for (const { lines, what } of hostileRequests) {
    // Vite 8.3.8 itself, before any plugin, ends at this target. No browser can send it.
    if (what === "an absolute target that is no URL") continue;
    await rawAnswer(port, lines(host));
    await rawAnswer(port, [...lines(host), ...upgrade], 50);
  }
  expect(statusOf(await rawAnswer(port, [`GET /health HTTP/1.1`, `Host: ${host}`], 2000))).toBe(200);
  expect(await (await fetch(`http://${host}`)).text()).toContain("<title>mine</title>");
  configure('{ game: "game.ts", rooms: { canvas: { maxPlayers: 4 } } }');
});

/** The names of the chunks that the built page preloads, without their hashes. */
async function preloaded(options: string, base: string, script: string): Promise<string[]> {
  const plugin = 'import { paceline } from "@paceline/vite-plugin";\n';
  save("vite.config.ts", `${plugin}export default { base: "${base}", plugins: [paceline(${options})] };\n`);
  save("page.ts", script);
  const html = "<!doctype html><title>mine</title>";
  save("index.html", `${html}<script type="module" src="/page.ts"></script>`);
  const bin = path.join(folder, "node_modules/vite/bin/vite.js");
  // Vitest sets NODE_ENV, which would make it a build for development.
  const env = { PATH: process.env["PATH"] };
  const build = spawnSync(process.execPath, [bin, "build"], { cwd: folder, encoding: "utf8", env });
  expect(build.stderr).toBe("");
  save("index.html", html);
  configure('{ game: "game.ts", rooms: { canvas: { maxPlayers: 4 } } }');
  const page = readFileSync(path.join(folder, "dist/index.html"), "utf8");
  const links = [...page.matchAll(/<link rel="modulepreload"[^>]* href="([^"]+)"/g)].map(
    ([, href = ""]) => href,
  );
  const files = links.map((href) => path.join(folder, "dist", href.replace(base, "")));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  return links.map((href) => path.basename(href).replace(/-[\w-]{8}\.js$/, ""));
}

const JOINING = 'import { Client } from "@paceline/client"; new Client("ws://a", { profile: "action" });';

test("a build's page preloads the code of rooms, and with a game of its own that of authorities", async () => {
  expect(await preloaded('{ game: "game.ts" }', "/", JOINING)).toEqual(["room", "authority"]);
  expect(await preloaded('{ game: "game.ts" }', "./", JOINING)).toEqual(["room", "authority"]);
  const withoutGame = await preloaded("{ rooms: {} }", "/games/", JOINING);
  expect(withoutGame).toContain("room");
  expect(withoutGame).not.toContain("authority");
  expect(await preloaded('{ game: "game.ts" }', "/", 'document.title = "no rooms";')).toEqual([]);
}, 60_000);

test("Vitest runs a game's tests with the plugin in the game's configuration", () => {
  save("game.ts", gameSaying("one"));
  save(
    "game.test.ts",
    'import { expect, test } from "vitest";\nimport { rooms } from "./game.js";\n' +
      'test("has a room", () => expect(Object.keys(rooms)).toEqual(["arena"]));\n',
  );
  const bin = path.join(folder, "node_modules/vitest/vitest.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "run"], {
    cwd: folder,
    encoding: "utf8",
    env: { NO_COLOR: "1" },
  });
  expect(stdout + stderr).toContain("1 passed");
  expect(status).toBe(0);
});

test("a taken port: prints the process that has it, and uses the next one", async () => {
  save("game.ts", gameSaying("one"));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, HOST, resolve));
  const { port } = other.address() as { readonly port: number };
  const vite = new Vite("--port", String(port));
  const text = /port \d+ is taken by (.+); this server has port \d+/;
  const owner = await vite.says(text);
  expect(owner).toContain(process.platform === "linux" ? `(process ${process.pid})` : "another process");
  other.close();
});

test("a file that does not exist: Vite fails with its name", async () => {
  configure('{ game: "none.ts" }');
  const vite = new Vite("--port", "0");
  expect(await vite.exited).toBe(1);
  expect(vite.text).toMatch(/game: expected a file in .*, got "none\.ts"/);
});

test("an option that does not exist: Vite fails with its name and the known ones, game among them", async () => {
  configure('{ gane: "game.ts" }');
  const vite = new Vite("--port", "0");
  expect(await vite.exited).toBe(1);
  expect(vite.text).toMatch(/gane: expected one of game, .*rooms/);
});
