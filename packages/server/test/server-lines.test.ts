/** Messages that a server writes by itself, to its operators and to its players. */
import { Client, type ClientOptions, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { Room, defineServer, type Server } from "@paceline/server";
import { silentLog } from "@paceline/relay";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "./stage.js";

class Duel extends Room {
  override maxPlayers = 2;
}
const ADVICE =
  "friends stay together with the same { group: { key, size } } after the options, or come by joinById";
const rooms = { duel: Duel, chat: { maxPlayers: 2 } };
const servers: { stop(options: object): Promise<void> }[] = [];
const joined: ClientRoom[] = [];
const printed: string[] = [];

beforeEach(() => {
  printed.length = 0;
  for (const level of ["error", "warn", "info"] as const) {
    vi.spyOn(console, level).mockImplementation((line: unknown) => printed.push(`${level}: ${String(line)}`));
  }
});
afterEach(async () => {
  for (const room of joined.splice(0)) room.leave();
  for (const server of servers.splice(0)) await server.stop({ drainMs: 100 });
  vi.restoreAllMocks();
});

function started<S extends Pick<Server<never>, "stop">>(server: S): S {
  servers.push(server);
  return server;
}

async function join(url: string, name: string, options: Partial<ClientOptions> = {}): Promise<ClientRoom> {
  const room = await new Client(url, {
    profile: "racing",
    webSocket: NodeWebSocket,
    ...options,
  }).joinOrCreate(name);
  joined.push(room);
  return room;
}

/** Sends a match request like a page of this origin. */
async function askFrom(origin: string, url: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${url}/match/joinOrCreate/duel`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ version: 5, options: {}, webrtc: false }),
  });
  return { status: response.status, body: await response.text() };
}

describe("a server without a log of its own", () => {
  it("prints its address and the kinds of rooms, once", async () => {
    const server = started(defineServer({ rooms }));
    const url = await server.listen(0);
    expect(printed).toEqual([`info: paceline: listening on ${url} rooms=duel,chat`]);
  });

  it("prints the option to add for a page that it refuses, and lets the page in with that option", async () => {
    const url = await started(defineServer({ rooms })).listen(0);
    const origin = "https://game.example";
    const refused = await askFrom(origin, url);
    await askFrom(origin, url);
    expect(refused.status).toBe(403);
    const warnings = printed.filter((line) => line.startsWith("warn"));
    expect(warnings).toHaveLength(1);
    const line = /allowedOrigins: \["([^"]+)"\]/;
    expect(refused.body.replaceAll("\\", "")).toMatch(line);
    const [, named = ""] = line.exec(warnings[0]!) ?? [];
    const open = await started(defineServer({ rooms, allowedOrigins: [named] })).listen(0);
    expect((await askFrom(origin, open)).status).toBe(200);
  });

  it("lets pages of every loopback port in", async () => {
    const url = await started(defineServer({ rooms })).listen(0);
    for (const origin of ["http://localhost:5173", "http://127.0.0.1:3000", "http://[::1]:8080"]) {
      expect((await askFrom(origin, url)).status).toBe(200);
    }
  });
});

it.each([
  [
    () => defineServer({ rooms, hookTimeout: 5 } as never),
    /^hookTimeout: expected no such option; known are rooms, .*hookTimeoutMs/,
  ],
  [() => defineServer(undefined as never), /^options: expected an object of rooms, build/],
  [
    () => defineServer({ rooms, queues: { duel: { players: 2, maxWait: 9 } as never } }),
    /^queues\.duel\.maxWait: expected no such option; known are players, .*maxWaitSeconds/,
  ],
  [
    () => defineServer({ rooms: { chat: { maxPeers: 4 } } } as never),
    /^rooms\.chat\.maxPeers: expected no such option; known are maxPlayers/,
  ],
  [
    () => defineServer({ rooms }).stop({ drain: 4 } as never),
    /^drain: expected no such option; known are drainMs, moveTo/,
  ],
  [
    () => defineServer({ rooms }).drain({ timeout: 4 } as never),
    /^timeout: expected no such option; known are timeoutMs/,
  ],
])("an unknown option is refused, with those that there are: %s", async (call, message) => {
  // Some throw at once, some reject.
  await expect((async () => call())()).rejects.toThrow(message);
});

describe.each(["duel", "chat"])("in a room %s", (name) => {
  it("[M6] a player in another room because one was full gets a notice, and the console has one line", async () => {
    const url = await started(defineServer({ rooms, log: silentLog })).listen(0);
    const friends = [await join(url, name), await join(url, name)];
    const third = await join(url, name);
    const fourth = await join(url, name);
    expect([...friends, third, fourth].map(({ fullRooms }) => fullRooms)).toEqual([0, 0, 1, 1]);
    expect(third.roomId).not.toBe(friends[0]!.roomId);
    expect(printed).toEqual([
      `info: paceline: 1 full room(s) of "${name}", so this player came into another one; ${ADVICE}`,
      `info: paceline: 1 full room(s) of "${name}", so this player came into another one; ${ADVICE}`,
    ]);
  });

  it("[WF51] all players, returning ones too, are told that the server drains before their sessions end", async () => {
    const server = started(defineServer({ rooms, log: silentLog }));
    const url = await server.listen(0);
    const room = await join(url, name);
    const news: string[] = [];
    room.onDrain(({ timeoutMs }) =>
      news.push(timeoutMs > 4000 && timeoutMs <= 5000 ? "drains" : String(timeoutMs)),
    );
    room.onDrop(() => news.push("drop"));
    const drained = server.drain({ timeoutMs: 5000 });
    await eventually(() => expect(news).toEqual(["drains"]));
    expect(room.state).toBe("joined");
    const client = new Client(url, { profile: "racing", webSocket: NodeWebSocket });
    const back = await client.reconnect(room.reconnectionToken);
    joined.push(back);
    const again: number[] = [];
    back.onDrain(({ timeoutMs }) => again.push(timeoutMs));
    await eventually(() => expect(again).toHaveLength(1));
    expect(again[0]).toBeLessThanOrEqual(5000);
    back.leave();
    expect(await drained).toBe(0);
  });
});
