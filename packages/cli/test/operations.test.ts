import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { CloseCode } from "@paceline/protocol";
import type { Log, LogLevel } from "@paceline/relay";
import { afterEach, describe, expect, test } from "vitest";
import { pinoLog } from "../src/server/pino-log.js";
import { RelayHost, type HostAddresses } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";

const TOKEN = "let me in, I run this";
const hosts: RelayHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.stop())));

interface Operated extends HostAddresses {
  readonly host: RelayHost;
  readonly lines: string[];
  call(method: string, path: string, body?: object, token?: string): Promise<Response>;
}

async function operated(level: LogLevel = "info", args: readonly string[] = []): Promise<Operated> {
  const lines: string[] = [];
  const admin = ["--admin-port", "0", "--admin-token", TOKEN];
  const options = serverOptions(["--port", "0", ...admin, ...args], {})!;
  const log: Log = pinoLog(level, { write: (line) => void lines.push(line) });
  const host = new RelayHost(options, log);
  hosts.push(host);
  const addresses = await host.listen();
  const call = (method: string, path: string, body?: object, token = TOKEN) =>
    fetch(`${addresses.admin}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { host, lines, call, ...addresses };
}

const client = (address: string) => new Client(address, { profile: "racing", webSocket: NodeWebSocket });

async function metric(address: string | undefined, name: string): Promise<string[]> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith(name));
}

describe("the admin server", () => {
  test("lists participants, removes one, and counts it in the metrics", async () => {
    const { game, admin, call } = await operated();
    const room = await client(game).joinOrCreate("race", {});
    const left = new Promise<number>((resolve) => room.onLeave(resolve));
    const { rooms } = (await (await call("GET", "/api/state")).json()) as { rooms: object[] };
    expect(rooms).toMatchObject([
      { roomName: "race", taken: 1, sessions: [{ sessionId: room.sessionId, link: "websocket" }] },
    ]);
    expect(await metric(admin, "paceline_sessions")).toEqual(['paceline_sessions{path="websocket"} 1']);
    expect(await metric(admin, "paceline_rooms")).toEqual(['paceline_rooms{room="race"} 1']);
    expect(await metric(admin, "paceline_seats_total")).toEqual([
      'paceline_seats_total{method="joinOrCreate"} 1',
    ]);
    expect(await metric(admin, "paceline_sent_bytes_total")).toContainEqual(
      expect.stringMatching(/\{link="websocket",class="command"\} [1-9]/),
    );
    expect((await call("POST", "/api/kick", { sessionId: room.sessionId })).status).toBe(200);
    expect(await left).toBe(CloseCode.kicked);
    expect((await call("POST", "/api/kick", { sessionId: room.sessionId })).status).toBe(404);
    expect(await metric(admin, "paceline_sessions")).toEqual([]);
    expect(await metric(admin, "paceline_session_ends_total")).toEqual([
      'paceline_session_ends_total{code="kicked"} 1',
    ]);
  });

  test("asks for the token; wrong guesses are slowed down, and the right token always works", async () => {
    const { call, admin } = await operated();
    expect((await call("GET", "/api/state", undefined, "guess")).status).toBe(401);
    const guesses = Array.from({ length: 50 }, (_, guess) =>
      call("GET", "/api/state", undefined, `guess ${guess}`),
    );
    const startMs = performance.now();
    expect((await call("GET", "/api/state")).status).toBe(200);
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(performance.now() - startMs).toBeGreaterThan(900);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(6);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(44);
    expect(await metric(admin, "paceline_admin_wrong_tokens_total")).toEqual([
      "paceline_admin_wrong_tokens_total 51",
    ]);
    expect((await call("POST", "/api/kick", { sessionId: 5 })).status).toBe(400);
    expect((await call("POST", "/api/none")).status).toBe(404);
    expect((await fetch(`${admin}/`)).headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("refuses requests whose Host is another name that resolves to this machine", async () => {
    const { admin, lines } = await operated("warn", ["--public-host", "admin.example"]);
    const statusAt = async (host: string, headers: object = {}): Promise<number | undefined> => {
      const asked = request(`${admin}/metrics`, { headers: { host, ...headers } }).end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await statusAt("rebound.example:8788")).toBe(421);
    expect(await statusAt("127.0.0.1:8788", { origin: "https://evil.example" })).toBe(403);
    expect(await statusAt("admin.example")).toBe(200);
    expect(await statusAt("192.168.1.7:8788")).toBe(200);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        msg: expect.stringContaining("--public-host") as string,
        host: "rebound.example:8788",
      }),
    ]);
  });

  test("counts refused match requests", async () => {
    const { game, admin } = await operated();
    await expect(client(game).joinOrCreate("nowhere", {})).rejects.toThrow("nowhere");
    expect(await metric(admin, "paceline_match_refusals_total")).toEqual([
      'paceline_match_refusals_total{code="match/unknown-room"} 1',
    ]);
  });
});

describe("draining", () => {
  test("lets players stay, refuses new ones, and ends when the last one leaves", async () => {
    const { game, host, call } = await operated("info", ["--drain-seconds", "20"]);
    const room = await client(game).joinOrCreate("race", {});
    expect((await fetch(`${game}/ready`)).status).toBe(200);
    expect((await call("POST", "/api/drain")).status).toBe(202);
    const drained = host.drain();
    const ready = await fetch(`${game}/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, "draining\n"]);
    expect(await (await fetch(`${game}/health`)).json()).toMatchObject({ status: "draining", sessions: 1 });
    await expect(client(game).joinOrCreate("race", {})).rejects.toThrow("takes nobody new");
    expect(room.state).toBe("joined");
    room.leave();
    await drained;
    await expect(fetch(`${game}/health`)).rejects.toThrow("fetch failed");
  });

  test("ends after --drain-seconds", async () => {
    const { game, host } = await operated("info", ["--drain-seconds", "0"]);
    const room = await client(game).joinOrCreate("race", {});
    const dropped = new Promise<string>((resolve) => room.onDrop(resolve));
    await host.drain();
    expect(await dropped).toContain("shutting down");
    room.leave();
  });
});

describe("the log", () => {
  test("is one JSON object per line; at level info it has lines about the server, none about players", async () => {
    const { game, lines, host } = await operated("info");
    const rooms = await Promise.all(Array.from({ length: 20 }, () => client(game).create("race", {})));
    for (const room of rooms) room.leave();
    await host.stop();
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    // Of the process and its doors, once each, however many players come and go.
    expect(entries.length).toBeLessThanOrEqual(2);
    expect(entries.at(-1)).toMatchObject({ level: "info", msg: "relay stops" });
    expect(JSON.stringify(entries)).not.toContain("sessionId");
  });

  test("at level debug it has a line for every room", async () => {
    const { game, lines } = await operated("debug");
    const room = await client(game).create("race", {});
    room.leave();
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ level: "debug", msg: "room opened", roomId: room.roomId }),
    );
  });
});
