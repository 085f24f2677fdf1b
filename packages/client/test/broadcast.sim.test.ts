import type { Room } from "@paceline/client";
import { expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const PLAYERS = 24;
const HZ = 10;
const SECONDS = 6;

test("24 players who send 10 commands a second each to all are served under the default limits", async () => {
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
  // Each at its own moment.
  for (let turn = 0; turn < HZ * SECONDS; turn++) {
    for (const room of rooms) {
      room.send("hit", turn);
      await stage.advance(1000 / HZ / PLAYERS);
    }
  }
  const perSecond = (stage.packetsReceived - before) / PLAYERS / SECONDS;
  await stage.advance(300);
  expect(rooms.map(({ state }) => state)).toEqual(rooms.map(() => "joined"));
  expect(stage.relay.health().drops["rate-limit"] ?? 0).toBe(limited);
  const all = Array.from({ length: HZ * SECONDS }, (_, turn) => turn);
  expect(heard.size).toBe(PLAYERS * (PLAYERS - 1));
  expect([...heard.values()].every((turns) => turns.length === all.length)).toBe(true);
  expect(heard.get(`${rooms[0]!.myNumber} to ${rooms[1]!.myNumber}`)).toEqual(all);
  expect(perSecond).toBeLessThan(330);
});
