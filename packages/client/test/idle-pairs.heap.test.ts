import type { Room } from "@paceline/client";
import { Outbox } from "@paceline/transport";
import { queryObjects } from "node:v8";
import { expect, test, vi } from "vitest";
import { RelayStage } from "./relay-stage.js";

const PLAYERS = 50;
const SECONDS = 4;

test("an idle room of 50 relayed players measures each pair, has one queue per player, and does little", async () => {
  const stage = new RelayStage({ delayMs: 20, rooms: { race: { maxPlayers: PLAYERS } } });
  const rooms: Room[] = [];
  while (rooms.length < PLAYERS) rooms.push(await stage.join());
  await stage.advance(4000);
  // One at the client and one at the relay: each player has one link.
  expect(queryObjects(Outbox, { format: "count" })).toBe(2 * PLAYERS);
  const before = stage.packetsReceived;
  const armed = vi.spyOn(stage.scheduler, "after");
  await stage.advance(1000 * SECONDS);
  // Counts the timers of both sides and of the wire between them. One timer per pair would add 1,000 at 20 a
  // second.
  expect(armed.mock.calls.length / PLAYERS / SECONDS).toBeLessThan(70);
  armed.mockRestore();
  const sent = (stage.packetsReceived - before) / PLAYERS / SECONDS;
  // Each second, a player pings one of the others.
  expect(sent).toBeLessThan(6);
  const rtts = rooms.flatMap(({ peers }) => peers.map(({ rttMs }) => rttMs ?? Number.NaN));
  expect(rtts.filter((rttMs) => rttMs >= 78 && rttMs < 120)).toHaveLength(PLAYERS * (PLAYERS - 1));
  // Sleeping pairs wake when a message needs them.
  const heard: number[] = [];
  for (const room of rooms.slice(1)) room.onMessage("n", () => heard.push(room.myNumber));
  rooms[0]!.send("n", 1);
  await stage.advance(300);
  expect(heard).toHaveLength(PLAYERS - 1);
  expect(rooms[0]!.peers).toHaveLength(PLAYERS - 1);
});
