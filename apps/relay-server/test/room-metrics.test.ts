import { type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { Room, defineServer } from "@paceline/server";
import { afterEach, expect, test, vi } from "vitest";
import { AdminServer } from "../src/admin-server.js";
import { ServerMetrics } from "../src/server-metrics.js";

const TOKEN = "let me in, I run this";

class Shaky extends Room {
  override readonly messageLimits = { perSecond: 1, burst: 2 };
  override onCreate(): void {
    this.onMessage("ping", () => undefined);
  }
  override onTick(): void {
    throw new Error("every time");
  }
}

const server = defineServer({ rooms: { shaky: Shaky } });
const metrics = new ServerMetrics(server, () => server.classReports());
const options = { metrics, token: TOKEN, onDrain: () => undefined };
const admin = new AdminServer({ relay: server, ...options, roomClasses: () => server.classReports() });

afterEach(async () => {
  admin.stop();
  await server.stop({ drainMs: 200 });
});

async function addressOf(http: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

test("rooms with an authority are measured by class, and go on counting when a room is over", async () => {
  const url = await server.listen(0);
  const page = await addressOf(admin.server);
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
  expect(await valueOf('room_events_total{room="shaky",event="joins"}')).toBe(1);
});
