import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { callsInTurn, type Answer } from "../../../packages/cli/test/calls-in-turn.js";
import { ServerProcess } from "./server-process.js";

const running: ServerProcess[] = [];
let folder: string;

function start(args: readonly string[], environment?: Readonly<Record<string, string>>): ServerProcess {
  const server = new ServerProcess(args, environment);
  running.push(server);
  return server;
}

beforeAll(() => {
  // The test runs the code in dist, so this builds it (incrementally: usually nothing happens).
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", "apps/relay-server"], {
    cwd: root,
    encoding: "utf8",
  });
  if (build.status !== 0) throw new Error(build.stdout);
  folder = mkdtempSync(join(tmpdir(), "paceline-relay-server-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>race</title>");
  writeFileSync(join(folder, "assets", "main-D3adB33f.js"), "export {};");
  writeFileSync(join(folder, ".secret"), "not for you");
}, 60_000);
afterEach(() => Promise.all(running.splice(0).map((server) => server.end())));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the server", () => {
  it("opens rooms of a game that finds the server's package by a link, while its log goes into a pipe", async () => {
    const dist = fileURLToPath(new URL("../dist", import.meta.url));
    const game = mkdtempSync(join(dist, "game-"));
    try {
      const scope = join(game, "node_modules/@paceline");
      mkdirSync(scope, { recursive: true });
      symlinkSync(fileURLToPath(new URL("../../../packages/server", import.meta.url)), join(scope, "server"));
      const file = join(game, "rooms.mjs");
      const text =
        'import { Room } from "@paceline/server"; export const rooms = { race: class extends Room {} };';
      writeFileSync(file, text);
      const address = await start(["--port", "0", "--rooms", "other", "--game", file]).address();
      const body = JSON.stringify({ version: 5, options: {} });
      const response = await fetch(`${address}/match/create/race`, { method: "POST", body });
      expect(response.status).toBe(200);
    } finally {
      rmSync(game, { recursive: true });
    }
  });

  it("prints its address, answers, and stops on SIGTERM", async () => {
    const server = start(["--port", "0"]);
    const address = await server.address();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(await (await fetch(`${address}/health`)).json()).toMatchObject({
      status: "ok",
      rooms: 0,
      sessions: 0,
    });
    const match = await fetch(`${address}/match/joinOrCreate/race`, {
      method: "POST",
      body: '{"version":5}',
    });
    expect(await match.json()).toMatchObject({ roomName: "race", linkPath: "/link" });
    expect((await fetch(`${address}/`)).status).toBe(404);
    const startMs = performance.now();
    server.signal("SIGTERM");
    expect(await server.exited).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(2000);
    expect(server.stdout).toBe(`listening on ${address} with rooms race\n`);
  });

  it("stops although a client holds a connection with an unfinished request", async () => {
    const server = start(["--port", "0"]);
    const { port, hostname } = new URL(await server.address());
    const idle = connect({ port: Number(port), host: hostname });
    idle.on("error", () => undefined);
    await once(idle, "connect");
    idle.write("POST /match/joinOrCreate/race HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{");
    server.signal("SIGINT");
    expect(await server.exited).toBe(0);
    idle.destroy();
  });

  it("serves files, with a policy for what they may load and connect to", async () => {
    const server = start(["--port", "0", "--static", folder]);
    const address = await server.address();
    const page = await fetch(`${address}/`);
    expect(await page.text()).toContain("<title>race</title>");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain(`connect-src 'self' ${address.replace("http", "ws")} `);
    const asset = await fetch(`${address}/assets/main-D3adB33f.js`);
    expect(asset.headers.get("content-type")).toBe("text/javascript");
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    for (const path of ["/none", "/.secret", "/..%2f..%2fetc%2fpasswd", "/%", "/%00"]) {
      expect([path, (await fetch(`${address}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await fetch(`${address}/`, { method: "POST" })).status).toBe(404);
    expect(await (await fetch(`${address}/health`)).json()).toMatchObject({ status: "ok" });
  });

  it("names the picture for previews of links by an absolute URL", async () => {
    const page = mkdtempSync(join(tmpdir(), "paceline-page-"));
    writeFileSync(join(page, "index.html"), '<meta property="og:image" content="/og-image.jpg" />');
    writeFileSync(join(page, "index.html.gz"), "of the page as it was built");
    const address = await start(["--port", "0", "--static", page]).address();
    const pictureFor = async (path: string, headers: Record<string, string> = {}): Promise<string> =>
      (await fetch(`${address}${path}`, { headers })).text();
    const tag = (origin: string): string => `<meta property="og:image" content="${origin}/og-image.jpg" />`;
    expect(await pictureFor("/?room=fox-42")).toBe(tag(address));
    const packed = await fetch(address, { headers: { "accept-encoding": "br" } });
    expect([packed.headers.get("content-encoding"), packed.headers.get("vary")]).toEqual([
      "br",
      "Accept-Encoding",
    ]);
    expect(await pictureFor("/", { "x-forwarded-proto": "https" })).toBe(
      tag(address.replace("http", "https")),
    );
    rmSync(page, { recursive: true });
  });

  it("names every picture of a formatted page, and that of the demo, by an absolute URL", async () => {
    const page = mkdtempSync(join(tmpdir(), "paceline-page-"));
    const [demo, address] = [new URL("../../demo-game/index.html", import.meta.url), "/og-image.jpg"];
    const picturesOf = (text: string): string[] =>
      Array.from(
        text.matchAll(/<meta\s+(?:property|name)="\w+:image"\s+content="([^"]*)"/g),
        ([, url]) => url!,
      );
    const own = [
      '<meta\n  property="og:image"\n  content="/a.jpg"\n/>',
      '<meta name="twitter:image" content="/b.jpg">',
      '<meta property="og:image" content="https://elsewhere.example/c.jpg" />',
      '<meta property="og:image" content="//elsewhere.example/d.jpg" />',
    ].join("\n");
    const served = async (text: string): Promise<{ origin: string; pictures: string[] }> => {
      writeFileSync(join(page, "index.html"), text);
      const origin = await start(["--port", "0", "--static", page]).address();
      return { origin, pictures: picturesOf(await (await fetch(`${origin}/`)).text()) };
    };
    const ofDemo = await served(readFileSync(demo, "utf8"));
    expect(ofDemo.pictures).toEqual([`${ofDemo.origin}${address}`]);
    const { origin, pictures } = await served(own);
    expect(pictures).toEqual([
      `${origin}/a.jpg`,
      `${origin}/b.jpg`,
      "https://elsewhere.example/c.jpg",
      "//elsewhere.example/d.jpg",
    ]);
    rmSync(page, { recursive: true });
  });

  it("sends the precompressed file that the browser accepts", async () => {
    const text = "export const race = 1;".repeat(100);
    const packed = { br: brotliCompressSync(text), gzip: gzipSync(text) };
    const asset = join(folder, "assets/packed-D3adB33f.js");
    writeFileSync(asset, text);
    writeFileSync(`${asset}.br`, packed.br);
    writeFileSync(`${asset}.gz`, packed.gzip);
    const address = new URL(await start(["--port", "0", "--static", folder]).address());
    for (const [accepted, encoding, bytes] of [
      ["gzip, deflate, br", "br", packed.br.length],
      ["gzip, deflate", "gzip", packed.gzip.length],
      ["identity", undefined, text.length],
    ] as const) {
      // Unlike `fetch`, this does not decompress the body.
      const headers = { "accept-encoding": accepted };
      const [response] = (await once(
        get({ hostname: address.hostname, port: address.port, path: "/assets/packed-D3adB33f.js", headers }),
        "response",
      )) as [IncomingMessage];
      response.resume();
      expect(response.headers["content-encoding"]).toBe(encoding);
      expect(response.headers["content-length"]).toBe(String(bytes));
      expect(response.headers["content-type"]).toBe("text/javascript");
      expect(response.headers["vary"]).toBe("Accept-Encoding");
      expect(response.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    }
  });

  it("lets its pages connect to the servers of --connect-to and --move-to", async () => {
    const server = start([
      ...["--port", "0", "--static", folder, "--connect-to", "https://eu.example/x,http://127.0.0.1:9001"],
      ...["--move-to", "https://spare.example"],
    ]);
    const policy = (await fetch(`${await server.address()}/`)).headers.get("content-security-policy");
    for (const origin of ["https://eu.example wss://eu.example", "http://127.0.0.1:9001 ws://127.0.0.1:9001"])
      expect(policy).toContain(` ${origin}`);
    expect(policy).toContain(" https://spare.example wss://spare.example;");
  });

  it("reads its options from flags and from the environment, flags first", async () => {
    const server = start(["--rooms", "lobby:2,duel", "--trust-proxy"], {
      PACELINE_PORT: "0",
      PACELINE_ROOMS: "race",
      PACELINE_ALLOW_ORIGIN: "https://game.example,https://two.example",
      PACELINE_ICE: "stun:stun.example.org:3478,turn:turn.example.org me word",
      PACELINE_LOG_LEVEL: "debug",
    });
    const address = await server.address();
    const match = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${address}/match/joinOrCreate/${name}`, { method: "POST", body: '{"version":5}', headers });
    expect((await match("duel")).status).toBe(200);
    expect((await match("race")).status).toBe(404);
    expect((await match("lobby", { origin: "https://two.example" })).status).toBe(200);
    expect((await match("lobby", { origin: "https://three.example" })).status).toBe(403);
    const proxied = { "x-forwarded-for": "203.0.113.5, 192.0.2.8" };
    const answers = await Promise.all(Array.from({ length: 200 }, () => match("none", proxied)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 429]));
    expect((await match("duel", { "x-forwarded-for": "192.0.2.8, 192.0.2.9" })).status).toBe(200);
    expect(server.stderr).toMatch(/"level":"debug".*"name":"duel".*"msg":"room opened"/);
  });

  it("closes an upgrade to an unknown path", async () => {
    const server = start(["--port", "0"]);
    const { port, hostname } = new URL(await server.address());
    const socket = connect({ port: Number(port), host: hostname });
    socket.write("GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    await once(socket, "close");
    expect((await fetch(`http://${hostname}:${port}/health`)).status).toBe(200);
  });
});

describe("a wrong call", () => {
  const WRONG: readonly (readonly [string[], string])[] = [
    [["--prot", "80"], "--prot"],
    [["extra"], "extra"],
    [["--port"], "--port"],
    [["--connect-to", "eu.example"], 'connect-to: expected an http(s) address, got "eu.example"'],
    [["--connect-to", "http://["], 'connect-to: expected an http(s) address, got "http://["'],
    [["--move-to", "http://a:99999"], 'move-to: expected an http(s) address, got "http://a:99999"'],
    [["--port", "99999"], 'port: expected a whole number from 0 to 65535, got "99999"'],
    [["--port", "80a"], 'port: expected a whole number from 0 to 65535, got "80a"'],
    [["--static", "/no/such/folder"], 'static: expected a folder that exists, got "/no/such/folder"'],
    [
      ["--rooms", "race:129"],
      "rooms.race.maxPlayers: expected a whole number from 1 to 128 (participants), got 129",
    ],
    [["--rooms", "ra ce"], "rooms: expected room names"],
    [["--allow-origin", "game.example"], "allowedOrigins: "],
    [["--ice", "stun.example.org"], "iceServers[0].urls: expected stun:"],
    [["--ice", "turn:a me"], 'ice: expected "URL" or "URL USER WORD"'],
    [["--log-level", "loud"], 'log-level: expected one of error, warn, info, debug, trace, got "loud"'],
  ];
  let answers: Promise<readonly Answer[]> | undefined;

  it.each(WRONG.map(([args, message], at) => ({ args, message, at })))(
    "$args gives 2 and names the mistake",
    async ({ message, at }) => {
      const main = new URL("../dist/main.js", import.meta.url);
      answers ??= callsInTurn(
        main,
        WRONG.map(([args]) => args),
      );
      const { code, stdout, stderr } = (await answers)[at]!;
      expect(code).toBe(2);
      expect(stderr).toContain(message);
      expect(stderr.split("\n").slice(1)).toEqual(["relay-server --help lists all options.", ""]);
      expect(stdout).toBe("");
    },
  );

  it("a bad environment variable exits with 2, and the message names it", async () => {
    const server = start([], { PACELINE_TRUST_PROXY: "yes" });
    expect(await server.exited).toBe(2);
    expect(server.stderr).toContain('trust-proxy: expected a whole number from 0 to 8 proxies, got "yes"');
  });

  it("--help exits with 0", async () => {
    const server = start(["--help"]);
    expect(await server.exited).toBe(0);
    expect(server.stdout).toContain("--trust-proxy");
  });

  it("a taken port exits with 1 and says so", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const server = start(["--port", String(port)]);
    expect(await server.exited).toBe(1);
    expect(server.stderr).toContain(`cannot listen on 127.0.0.1, port ${port}: the port is taken`);
    expect(server.stdout).toBe("");
    await new Promise((resolve) => other.close(resolve));
  });
});
