import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { silentLog } from "@paceline/relay";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { RelayHost } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";
import { SECRET, hostileRequests, rawAnswer, statusOf, strangers } from "./hostile-requests.js";

const ROOT = path.join(import.meta.dirname, "../../..");
const BIN = path.join(import.meta.dirname, "../bin/paceline.js");
const TOKEN = "let me in, I run this";

/** A server of ours as a process. */
class Running {
  readonly child: ChildProcess;
  text = "";

  constructor(args: readonly string[]) {
    const more = ["--port", "0", "--webrtc", "off"];
    this.child = spawn(process.execPath, [BIN, ...args, ...more], { cwd: folder });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on("data", (data: Buffer) => (this.text += data.toString()));
  }

  async portIn(pattern: RegExp): Promise<number> {
    await vi.waitUntil(() => pattern.test(this.text) || this.child.exitCode !== null, { timeout: 30_000 });
    return Number(pattern.exec(this.text)?.[1]);
  }
}

let folder: string;
let started: Running;
let developed: Running;
let broken: Running;
/** Ports by the name of the server. */
const ports = { start: 0, admin: 0, dev: 0, broken: 0 };

/** A folder of files with everything that no server may show. */
function writeFiles(): void {
  for (const name of ["public/.git", "public/assets/.cache", "public/assets/.well-known", "elsewhere"])
    mkdirSync(path.join(folder, name), { recursive: true });
  mkdirSync(path.join(folder, "public/.well-known"));
  const files = [
    ".env",
    ".git/config",
    "assets/.cache/a.txt",
    "assets/.well-known/a.txt",
    ".well-known/.env",
  ];
  for (const name of [...files.map((file) => `public/${file}`), "a.txt", "page.html", "elsewhere/a.txt"])
    writeFileSync(path.join(folder, name), SECRET);
  writeFileSync(path.join(folder, "public/index.html"), "<!doctype html><title>mine</title>");
  writeFileSync(path.join(folder, "public/.well-known/security.txt"), "Contact: us");
  writeFileSync(path.join(folder, "public/here.txt"), "0123456789");
  writeFileSync(path.join(folder, "broken.ts"), `export const rooms = { // ${SECRET}`);
  const links = { "link.txt": "../a.txt", "page.html": "../page.html", linked: "../elsewhere" };
  for (const [name, target] of Object.entries({ ...links, environment: ".env", "again.txt": "here.txt" }))
    symlinkSync(target, path.join(folder, "public", name));
}

beforeAll(async () => {
  // The processes run dist: bring it up to date.
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  const build = spawnSync(process.execPath, [tsc, "-b", "packages/cli"], { cwd: ROOT, encoding: "utf8" });
  if (build.status !== 0) throw new Error(build.stdout);
  folder = mkdtempSync(path.join(tmpdir(), "paceline-entrance-"));
  writeFiles();
  const admin = ["--admin-port", "0", "--admin-token", TOKEN];
  started = new Running(["start", "--static", "public", ...admin]);
  developed = new Running(["dev", "--static", "public"]);
  broken = new Running(["dev", "broken.ts", "--static", "public"]);
  ports.start = await started.portIn(/^listening on \S+:(\d+)/m);
  ports.admin = await started.portIn(/^admin page and metrics on \S+:(\d+)/m);
  ports.dev = await developed.portIn(/^listening on \S+:(\d+)/m);
  ports.broken = await broken.portIn(/^listening on \S+:(\d+)/m);
}, 90_000);

afterAll(async () => {
  for (const { child } of [started, developed, broken]) {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

type ServerName = keyof typeof ports;
const servers: readonly ServerName[] = ["start", "admin", "dev", "broken"];

const get = (server: ServerName, target: string, ...headers: readonly string[]): Promise<string> =>
  rawAnswer(ports[server], [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${ports[server]}`, ...headers]);

describe.each(servers)("every request to %s gets an answer, and the process goes on", (server) => {
  test.each(hostileRequests)("$what: $status", async ({ lines, status }) => {
    const answer = await rawAnswer(ports[server], lines(`127.0.0.1:${ports[server]}`));
    expect([statusOf(answer), answer.includes(SECRET)]).toEqual([status, false]);
    expect(statusOf(await get(server, "/"))).toBe(200);
  });

  test("an upgrade of every such form is closed", async () => {
    for (const { lines } of hostileRequests) {
      const upgrade = [
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      ];
      const asked = lines(`127.0.0.1:${ports[server]}`).concat("Connection: Upgrade", ...upgrade);
      expect(await rawAnswer(ports[server], asked, 50)).not.toContain(SECRET);
    }
    expect(statusOf(await get(server, "/"))).toBe(200);
  });
});

describe.each(["start", "dev"] as const)("the files of %s", (server) => {
  test.each([
    ["/", 200, "<title>mine</title>"],
    ["/here.txt", 200, "0123456789"],
    ["/again.txt", 200, "0123456789"],
    ["/.well-known/security.txt", 200, "Contact: us"],
  ])("%s is served", async (target, status, text) => {
    const answer = await get(server, target);
    expect([statusOf(answer), answer.includes(text)]).toEqual([status, true]);
  });

  test("a range that ends before it begins is ignored", async () => {
    const answer = await get(server, "/here.txt", "Range: bytes=5-2");
    expect([statusOf(answer), answer.includes("0123456789")]).toEqual([200, true]);
  });

  test.each(["localhost:1", "127.0.0.1", "[::1]:8787", "192.168.1.7:8787", "[2001:db8::7]"])(
    "are served at the address %s, which no attacker's page can have",
    async (host) => {
      expect(statusOf(await rawAnswer(ports[server], ["GET /here.txt HTTP/1.1", `Host: ${host}`]))).toBe(200);
    },
  );
});

test("start counts what it refuses, and reports no fault", async () => {
  const text = await get("admin", "/metrics");
  expect(text).toMatch(/paceline_link_closes_total\{code="badRequest"\} [1-9]/);
  expect(text).toMatch(/paceline_link_closes_total\{code="pageRefused"\} [1-9]/);
  expect(text).not.toMatch(/paceline_faults_total\{.*\} [1-9]/);
});

test("a page's policy names no host but the server's own, even for pages of all origins", async () => {
  const args = [
    "--port",
    "0",
    "--webrtc",
    "off",
    "--allow-origin",
    "*",
    "--static",
    path.join(folder, "public"),
  ];
  const host = new RelayHost(serverOptions(args, {})!, silentLog);
  const port = Number(new URL((await host.listen()).game).port);
  const policyFor = async (name: string): Promise<string> => {
    const answer = await rawAnswer(port, ["GET / HTTP/1.1", `Host: ${name}`]);
    return /^content-security-policy: (.*)$/im.exec(answer)?.[1] ?? "";
  };
  expect(await policyFor("evil.example")).toContain("connect-src 'self';");
  expect(await policyFor("127.0.0.1")).toContain("connect-src 'self' ws://127.0.0.1 wss://127.0.0.1;");
  await host.stop();
});

test("load balancers ask start for its health by any name, or by none", async () => {
  for (const target of ["/health", "/ready"]) {
    expect(statusOf(await rawAnswer(ports.start, [`GET ${target} HTTP/1.1`, "Host: backend"]))).toBe(200);
    expect(statusOf(await rawAnswer(ports.start, [`GET ${target} HTTP/1.0`]))).toBe(200);
  }
});

describe("paceline dev", () => {
  test.each(strangers("/match/joinOrCreate/race", "POST"))(
    "tells a stranger nothing of the game's error: $what",
    async ({ lines, status }) => {
      const answer = await rawAnswer(ports.broken, lines(`127.0.0.1:${ports.broken}`));
      expect([statusOf(answer), answer.includes("broken.ts")]).toEqual([status, false]);
      const own = ["POST /match/joinOrCreate/race HTTP/1.1", `Host: 127.0.0.1:${ports.broken}`];
      expect(await rawAnswer(ports.broken, [...own, "Content-Length: 0"])).toContain("broken.ts");
    },
  );

  test.each([
    ["/.env", "Host: 127.0.0.1", /^refused \/\.env: .*dot$/m],
    ["/link.txt", "Host: 127.0.0.1", /^refused \/link\.txt: .*leads out of the folder$/m],
    [
      "/",
      "Host: dev.example",
      /refused a page: publicHosts: \["dev\.example"\] is missing .*\(--public-host\)/,
    ],
  ])("prints why it refuses %s with %s", async (target, host, line) => {
    // At most one line a second: the lines of the other tests are over after a while.
    await vi.waitFor(
      async () => {
        await rawAnswer(ports.dev, [`GET ${target} HTTP/1.1`, host]);
        expect(developed.text).toMatch(line);
      },
      { timeout: 10_000, interval: 300 },
    );
  });
});
