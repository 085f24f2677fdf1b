import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ServerProcess } from "./server-process.js";

vi.setConfig({ testTimeout: 20_000 });

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const SERVER = pathToFileURL(
  fileURLToPath(new URL("../../../packages/server/dist/index.js", import.meta.url)),
).href;
const FLAGS = ["--port", "0", "--webrtc", "off"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "paceline-errors-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const running: { end(): Promise<void> }[] = [];
afterEach(() => Promise.all(running.splice(0).map((process) => process.end())));

function started(args: readonly string[]): ServerProcess {
  const server = new ServerProcess([...FLAGS, ...args]);
  running.push(server);
  return server;
}

/** Writes a game whose rooms fail on request. */
function game(): string {
  const path = join(folder, "game.mjs");
  writeFileSync(
    path,
    `import { Room } from ${JSON.stringify(SERVER)};
     const mistake = () => { throw new TypeError("a mistake of the game"); };
     let outside; // A timer that no hook has started, as of a library of the game.
     setInterval(() => { if (outside) { const wrong = outside; outside = undefined; wrong(); } }, 5);
     class Frail extends Room {
       onCreate() {
         this.onMessage("timer", () => void setTimeout(mistake, 1));
         this.onMessage("outside", () => void (outside = mistake));
         this.onMessage("rejection", () => void (outside = () => void Promise.reject(new TypeError("a floating mistake"))));
         this.onRequest("echo", (player, message) => message);
       }
     }
     export const rooms = { frail: Frail };`,
  );
  return path;
}

const LOUD_ROOMS = 30;

/** Writes a game whose kinds of rooms fail with messages of 60 kB each, enough to fill any pipe. */
function loudGame(): string {
  const path = join(folder, "loud.mjs");
  writeFileSync(
    path,
    `import { Room } from ${JSON.stringify(SERVER)};
     const loud = () => class extends Room { onCreate() { throw new Error("x".repeat(60_000)); } };
     export const rooms = Object.fromEntries(Array.from({ length: ${LOUD_ROOMS} }, (_, at) => ["loud" + at, loud()]));`,
  );
  return path;
}

async function joined(url: string, name: string): Promise<ClientRoom> {
  const client = new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"] });
  return client.create(name, {});
}

interface Health {
  readonly faults: number;
  readonly logDropped: number;
}
const healthOf = async (url: string): Promise<Health> =>
  (await (await fetch(`${url}/health`)).json()) as Health;

describe("a game's mistake in the process of the server", () => {
  test("ends the room whose hook started it; other rooms survive, also a rejection without a room", async () => {
    const server = started(["--game", game(), "--rooms", "race"]);
    const url = await server.address();
    const [other, bad, relayed] = [
      await joined(url, "frail"),
      await joined(url, "frail"),
      await joined(url, "race"),
    ];
    bad.send("timer", 1);
    await vi.waitFor(() => expect(bad.state).toBe("left"));
    other.send("rejection", 1);
    await vi.waitFor(async () => expect((await healthOf(url)).faults).toBe(1));
    await expect(other.request("echo", 5)).resolves.toBe(5);
    expect(relayed.state).toBe("joined");
    expect(server.stderr).toMatch(
      /"hook":"uncaughtException","startedBy":"onMessage","error":"TypeError: a mistake of the game\\n {4}at /,
    );
    expect(server.stderr).toMatch(/"place":"rejection","error":"TypeError: a floating mistake\\n {4}at /);
    other.leave();
    relayed.leave();
  });

  test("outside any room is logged, moves players to the next server, and ends the process with 1", async () => {
    const next = started([]);
    const nextUrl = await next.address();
    const server = started(["--game", game(), "--rooms", "race", "--move-to", nextUrl]);
    const url = await server.address();
    const relayed = await joined(url, "race");
    const trigger = await joined(url, "frail");
    trigger.send("outside", 1);
    expect(await server.exited).toBe(1);
    expect(server.stderr).toMatch(/"place":"exception","error":"TypeError: a mistake of the game\\n {4}at /);
    await vi.waitFor(async () => {
      const { sessions } = (await (await fetch(`${nextUrl}/health`)).json()) as { sessions: number };
      expect(sessions).toBe(1);
    }, 8000);
    relayed.leave();
    trigger.leave();
  }, 15_000);

  test("an impossible range or a deleted file in a request does not end the process", async () => {
    for (const name of ["index.html", "gone.html"])
      writeFileSync(join(folder, name), "0123456789".repeat(10));
    const server = started(["--static", folder]);
    const url = await server.address();
    rmSync(join(folder, "gone.html"));
    // RFC 9110, section 14.1.1: a range that ends before it begins is ignored.
    expect((await fetch(`${url}/`, { headers: { Range: "bytes=10-5" } })).status).toBe(200);
    await fetch(`${url}/gone.html`)
      .then((response) => response.text())
      .catch(() => undefined);
    expect((await fetch(`${url}/`)).status).toBe(200);
    expect((await healthOf(url)).faults).toBe(0);
  });
});

/** The server with a given standard error. */
class OddProcess {
  readonly child: ChildProcess;
  #stdout = "";

  constructor(args: readonly string[], stderr: number | "pipe") {
    this.child = spawn(process.execPath, [MAIN, ...FLAGS, ...args], {
      env: {},
      stdio: ["ignore", "pipe", stderr],
    });
    this.child.stdout?.on("data", (data: Buffer) => (this.#stdout += data.toString()));
    running.push(this);
  }

  address(): Promise<string> {
    return vi.waitFor(() => /^listening on (http:\S+) /m.exec(this.#stdout)![1]!, {
      timeout: 10_000,
      interval: 10,
    });
  }

  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.kill("SIGKILL")) await once(this.child, "exit");
  }
}

/** Makes the log write some lines for each of many rooms. */
async function makeNoise(url: string, rooms: number): Promise<void> {
  const body = JSON.stringify({ version: 5, options: {} });
  for (let room = 0; room < rooms; room++) {
    const response = await fetch(`${url}/match/create/race`, { method: "POST", body });
    await response.text();
  }
}

const limitless = (): string[] => {
  const path = join(folder, "limits.json");
  const limits = {
    matchesPerSecondPerAddress: 10_000,
    matchBurstPerAddress: 10_000,
    roomsPerMinutePerAddress: 10_000,
    roomBurstPerAddress: 10_000,
    joinsPerSecondPerRoom: 1000,
    ticketLifetimeMs: 1000,
  };
  writeFileSync(path, JSON.stringify({ limits }));
  return ["--config", path, "--log-level", "trace"];
};

describe("a log output that fails", () => {
  test("a full disk: the server drops and counts lines, goes on, and stops in order", async () => {
    const server = new OddProcess(limitless(), openSync("/dev/full", "w"));
    const url = await server.address();
    const room = await joined(url, "race");
    await makeNoise(url, 20);
    await vi.waitFor(async () => expect((await healthOf(url)).logDropped).toBeGreaterThan(0), 5000);
    expect(room.state).toBe("joined");
    room.leave();
    server.child.kill("SIGINT");
    expect((await once(server.child, "exit"))[0]).toBe(0);
  });

  test("an unread pipe: the server answers, drops and counts lines, and stops in order", async () => {
    const server = new OddProcess([...limitless(), "--game", loudGame(), "--rooms", "race"], "pipe");
    server.child.stderr!.pause();
    const url = await server.address();
    const room = await joined(url, "race");
    for (let loud = 0; loud < LOUD_ROOMS; loud++) {
      const body = JSON.stringify({ version: 5, options: {} });
      await (await fetch(`${url}/match/create/loud${loud}`, { method: "POST", body })).text();
    }
    const askedAtMs = performance.now();
    expect((await healthOf(url)).logDropped).toBeGreaterThan(0);
    expect(performance.now() - askedAtMs).toBeLessThan(1000);
    await pause(50);
    expect(room.state).toBe("joined");
    room.leave();
    server.child.kill("SIGINT");
    const exited = once(server.child, "exit");
    expect(await Promise.race([exited, pause(5000)])).toEqual([0, null]);
  });

  test("closed outputs: the server goes on", async () => {
    const server = new OddProcess(["--log-level", "trace"], "pipe");
    const url = await server.address();
    server.child.stdout!.destroy();
    server.child.stderr!.destroy();
    const room = await joined(url, "race");
    await makeNoise(url, 3);
    await vi.waitFor(async () => expect((await healthOf(url)).logDropped).toBeGreaterThan(0), 5000);
    expect(room.state).toBe("joined");
    room.leave();
  });
});
