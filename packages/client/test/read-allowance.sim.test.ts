import type { Room } from "@paceline/client";
import { limits } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { DIRECT, PeerFlood, costOf, floodedPair, floods } from "./peer-flood.js";
import { VirtualHub } from "./virtual-hub.js";

const SECONDS = 1;
/** Messages of one packet of a flood: the last packet that is read may exceed the allowance. */
const PACKET_MESSAGES = 900;

const refusedBy = (room: Room): number => room.peers[0]!.drops["rate-limit"] ?? 0;

describe("a peer that sends more messages than its allowance", () => {
  test.each(Object.entries(floods))(
    "has so many read in a second, and the packets beyond are counted: %s",
    async (_, flood) => {
      const { hub, rooms } = await floodedPair();
      const hostile = new PeerFlood(hub, rooms, flood, DIRECT);
      hostile.send(SECONDS, () => 0);
      const cost = costOf(flood);
      const sent = cost * hostile.sent;
      const read = cost * hostile.taken;
      const allowed = limits.messagesBurst + limits.messagesPerSecond * SECONDS;
      expect(read).toBeGreaterThan(0.9 * Math.min(sent, allowed));
      expect(read).toBeLessThan(1.01 * allowed + PACKET_MESSAGES);
      expect(refusedBy(rooms[1])).toBeGreaterThanOrEqual(hostile.packetsRefused);
      expect(hostile.packetsRefused > 0).toBe(sent > 1.1 * allowed);
    },
  );

  test("is heard again a moment after it stops, over the same path", async () => {
    const { hub, rooms } = await floodedPair();
    const [, victim] = rooms;
    const heard: unknown[] = [];
    victim.onMessage("a", (said) => heard.push(said));
    const hostile = new PeerFlood(hub, rooms, floods["messages of no kind"]!, DIRECT);
    hostile.send(SECONDS, () => 0);
    hub.scheduler.advance((1000 * limits.messagesBurst) / limits.messagesPerSecond);
    const { state, path } = victim.peers[0]!;
    expect({ state, path }).toEqual({ state: "connected", path: "relay" });
    new PeerFlood(hub, rooms, floods.commands!, { perSecond: 1, bytes: 1 }).send(1, () => 0);
    expect(heard).toEqual([0]);
  });
});

test("more reliable messages at once than the allowance all arrive once, in order, at one and at several", async () => {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const [sender, one, other] = (await hub.meet(3)) as [Room, Room, Room];
  const heard = [one, other].map((room) => {
    const numbers: unknown[] = [];
    room.onMessage("to all", (number) => numbers.push(number));
    room.onMessage("to one", (number) => numbers.push(number));
    return numbers;
  });
  const [toOne, toAll] = [10_000, 6000];
  const peer = sender.peers.find(({ id }) => id === sender.peers[0]!.id)!;
  for (let number = 0; number < toOne; number++) sender.send("to one", number, { to: peer });
  for (let number = 0; number < toAll; number++) sender.send("to all", toOne + number);
  await hub.advance(20_000);
  const all = Array.from({ length: toOne + toAll }, (_, number) => number);
  expect(heard.map((numbers) => numbers.length).toSorted((a, b) => a - b)).toEqual([toAll, toOne + toAll]);
  for (const numbers of heard) expect(numbers).toEqual(all.slice(-numbers.length));
  expect([one, other].map((room) => room.state)).toEqual(["joined", "joined"]);
});

test("no ordinary game reaches it: 16 players in lockstep at 60 Hz, 1000 events a second and a chat", async () => {
  const hub = new VirtualHub({ delayMs: 30 }, { startMs: 5000 });
  const rooms = await hub.meet(16);
  const heard = { step: 0, shot: 0, said: 0 };
  for (const room of rooms)
    for (const type of ["step", "shot", "said"] as const) room.onMessage(type, () => (heard[type] += 1));
  for (let tick = 0; tick < 60 * SECONDS; tick++) {
    for (const room of rooms) room.send("step", { tick, input: [1, 0, 1] });
    for (let shot = 0; shot < 1000 / 60; shot++) rooms[0]!.sendEvent("shot", { at: [1, 2, 3] });
    if (tick % 30 === 0) rooms[1]!.send("said", "hello");
    await hub.advance(1000 / 60);
  }
  await hub.advance(1000);
  const others = rooms.length - 1;
  const ticks = 60 * SECONDS;
  expect(heard).toEqual({
    step: ticks * rooms.length * others,
    shot: ticks * Math.ceil(1000 / 60) * others,
    said: (ticks / 30) * others,
  });
  const drops = rooms.flatMap(({ peers }) =>
    peers.map((peer) => (peer as PeerConnection).drops["rate-limit"]),
  );
  expect(drops.filter(Boolean)).toEqual([]);
});
