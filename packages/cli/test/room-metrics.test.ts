import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { Room } from "@paceline/server";
import { afterEach, expect, test, vi } from "vitest";
import { RelayHost } from "../src/server/relay-host.js";
import { serverOptions } from "../src/server/server-options.js";

const TOKEN = "let me in, I run this";
/** A step takes this long at least. */
const STEP_MS = 2;

class Shaky extends Room {
  override readonly messageLimits = { perSecond: 1, burst: 2 };
  override onCreate(): void {
    this.onMessage("ping", () => undefined);
  }
  override onTick(): void {
    const untilMs = performance.now() + STEP_MS;
    while (performance.now() < untilMs);
    throw new Error("every time");
  }
}

/** The server as its binary makes it: the class comes from the game, the admin server stands beside. */
const flags = ["--port", "0", "--webrtc", "off", "--admin-port", "0", "--admin-token", TOKEN];
const host = new RelayHost(serverOptions(flags, {})!, silentLog, { rooms: { shaky: Shaky }, queues: {} });

afterEach(() => host.stop());

test("metrics of rooms with an authority are sums for each class, including rooms that have ended", async () => {
  const { game: url, admin: page } = await host.listen();
  const lines = async (name: string): Promise<string[]> => {
    const text = await (await fetch(`${page}/metrics`)).text();
    return text.split("\n").filter((line) => line.startsWith(`paceline_${name}`));
  };
  const valueOf = async (name: string): Promise<number> => Number((await lines(name))[0]?.split(" ").at(-1));
  const client = new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"] });
  const room = await client.joinOrCreate("shaky");
  for (let sent = 0; sent < 12; sent++) room.send("ping", sent);
  await vi.waitFor(async () => {
    expect(await valueOf('hook_errors_total{room="shaky",hook="onTick"}')).toBeGreaterThan(3);
    expect(await valueOf('room_events_total{room="shaky",event="messagesLimited"}')).toBe(10);
  });
  expect(await lines("authority_")).toEqual([
    'paceline_authority_rooms{room="shaky"} 1',
    'paceline_authority_players{room="shaky"} 1',
    'paceline_authority_entities{room="shaky"} 0',
  ]);
  expect(await lines("limited_total")).toContain('paceline_limited_total{limit="roomsPerAddress"} 0');
  expect(await lines("back_pressure_total")).toEqual([
    'paceline_back_pressure_total{effect="statesReplaced"} 0',
    'paceline_back_pressure_total{effect="pauses"} 0',
    'paceline_back_pressure_total{effect="pausedMs"} 0',
  ]);
  const state = await fetch(`${page}/api/state`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  expect(await state.json()).toMatchObject({
    limited: { joinsPerRoom: 0 },
    classes: [{ roomName: "shaky", rooms: 1, players: 1, messagesLimited: 10 }],
  });
  const before = await valueOf('ticks_total{room="shaky"}');
  room.leave();
  await vi.waitFor(async () => expect(await valueOf("authority_rooms")).toBe(0));
  const ticks = await valueOf('ticks_total{room="shaky"}');
  expect(ticks).toBeGreaterThanOrEqual(before);
  for (const name of ["tick_seconds", "tick_lateness_seconds"]) {
    const histogram = await lines(name);
    const counts = histogram
      .filter((line) => line.includes("_bucket"))
      .map((line) => Number(line.split(" ").at(-1)));
    expect(counts).toEqual([...counts].sort((one, two) => one - two));
    expect(histogram).toContain(`paceline_${name}_bucket{le="+Inf",room="shaky"} ${ticks}`);
    expect(histogram).toContain(`paceline_${name}_count{room="shaky"} ${ticks}`);
  }
  expect(await valueOf('tick_seconds_sum{room="shaky"}')).toBeGreaterThanOrEqual((ticks * STEP_MS) / 1000);
  expect(await valueOf('tick_lateness_seconds_sum{room="shaky"}')).toBeGreaterThan(0);
  expect(await valueOf('room_events_total{room="shaky",event="joins"}')).toBe(1);
});
