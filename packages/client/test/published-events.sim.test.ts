import type { Room } from "@paceline/client";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const PLAYERS = 24;
const HZ = 30;
const SECONDS = 3;

test("24 players who send 30 events a second each to all are served under the default limits", async () => {
  const stage = new RelayStage({ delayMs: 20, rooms: { race: { maxPlayers: PLAYERS } } });
  const rooms: Room[] = [];
  const heard = new Map<string, number[]>();
  while (rooms.length < PLAYERS) {
    const room = await stage.join();
    rooms.push(room);
    room.onMessage("hit", (n, { number }) => {
      const key = `${number} to ${room.myNumber}`;
      heard.set(key, [...(heard.get(key) ?? []), n as number]);
    });
  }
  await stage.advance(1000);
  const before = stage.packetsReceived;
  const limited = stage.relay.health().drops["rate-limit"] ?? 0;
  for (let frame = 0; frame < HZ * SECONDS; frame++) {
    for (const room of rooms) room.sendEvent("hit", frame);
    await stage.advance(1000 / HZ);
  }
  const perSecond = (stage.packetsReceived - before) / PLAYERS / SECONDS;
  await stage.advance(200);
  expect(rooms.map(({ state }) => state)).toEqual(rooms.map(() => "joined"));
  expect(stage.relay.health().drops["rate-limit"] ?? 0).toBe(limited);
  expect(heard.size).toBe(PLAYERS * (PLAYERS - 1));
  const all = Array.from({ length: HZ * SECONDS }, (_, frame) => frame);
  expect([...heard.values()].every((frames) => frames.length === all.length)).toBe(true);
  expect(heard.get(`${rooms[0]!.myNumber} to ${rooms[1]!.myNumber}`)).toEqual(all);
  // One for each event; the rest are pings of pairs and their answers.
  expect(perSecond).toBeLessThan(HZ + 2.5 * PLAYERS);
});

test("an event to all goes to the server once, and one to a single peer goes to it alone", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const [a, b, c] = [await stage.join(), await stage.join(), await stage.join()];
  const heard: string[] = [];
  for (const [name, room] of Object.entries({ b, c })) {
    room.onMessage("x", (x) => heard.push(`${name} ${String(x)}`));
  }
  await stage.advance(500);
  const before = stage.packetsReceived;
  for (let count = 0; count < 10; count++) a.sendEvent("x", count);
  a.sendEvent("x", "y".repeat(1100));
  await stage.advance(45);
  // Of events 11, and what the sessions say by themselves; one to each of both would be 22.
  expect(stage.packetsReceived - before).toBeLessThan(18);
  expect(heard.filter((line) => line.length < 9)).toHaveLength(20);
  expect(heard).toHaveLength(22);
  a.sendEvent("x", "alone", a.peers[1]);
  await stage.advance(50);
  expect(heard.slice(22)).toEqual(["c alone"]);
});
