import type { Room } from "@paceline/client";
import { ByteWriter, readEnvelope, writeEnvelope } from "@paceline/protocol";
import { expect, test } from "vitest";
import { packetsOfCrowd } from "./crowd.js";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

test("24 players who send 10 commands a second each to all are served under the default limits", async () => {
  const say = (room: Room, n: number): void => room.send("hit", n);
  expect(await packetsOfCrowd({ hz: 10, isInUnison: false, say })).toBeLessThan(330);
});

function hearing(rooms: readonly Room[]): (to: Room, from: Room) => unknown[] {
  const heard = new Map<string, unknown[]>();
  for (const room of rooms) {
    room.onMessage("n", (n, { number }) => {
      const key = `${number} to ${room.myNumber}`;
      heard.set(key, [...(heard.get(key) ?? []), n]);
    });
  }
  return (to, from) => heard.get(`${from.myNumber} to ${to.myNumber}`) ?? [];
}

test("[WF25] a command of 200 bytes to seven relayed players is uploaded once", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const rooms: Room[] = [];
  while (rooms.length < 8) rooms.push(await stage.join());
  const heard = hearing(rooms);
  await stage.advance(2000);
  const [sender, ...others] = rooms as [Room, ...Room[]];
  const text = "x".repeat(200 - '["n","'.length);
  const uploads: number[] = [];
  for (let time = 0; time < 5; time++) {
    await stage.advance(300);
    const before = stage.bytesReceived(0);
    sender.send("n", text);
    await stage.advance(25);
    uploads.push(stage.bytesReceived(0) - before);
  }
  await stage.advance(300);
  expect(others.map((room) => heard(room, sender))).toEqual(others.map(() => Array(5).fill(text)));
  // A ping may fall into the measured time.
  expect(Math.min(...uploads)).toBeGreaterThan(200);
  expect(Math.min(...uploads)).toBeLessThan(200 + 7 * 3 + 15);
});

test("bulk to several relayed players costs one upload for each of them, and 5 % for headers and all other packets", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const rooms: Room[] = [];
  while (rooms.length < 5) rooms.push(await stage.join());
  const [sender, ...others] = rooms as [Room, ...Room[]];
  const heard = hearing(others);
  await stage.advance(1000);
  const map = "x".repeat(30_000);
  const before = stage.bytesReceived(0);
  sender.send("n", map, { class: "bulk" });
  await stage.advance(4000);
  expect(others.map((room) => heard(room, sender))).toEqual(others.map(() => [map]));
  const uploads = (stage.bytesReceived(0) - before) / map.length;
  expect(uploads).toBeGreaterThan(others.length);
  expect(uploads).toBeLessThan(others.length * 1.05);
});

test("[WF25] a message to all arrives once, and in order with messages to one player, across cuts of sender and receiver", async () => {
  const stage = new RelayStage({ delayMs: 40 });
  const [sending, receiving] = [stage.player(), stage.player()];
  const a = await stage.join(sending);
  const b = await stage.join(receiving);
  const [c, d] = [await stage.join(), await stage.join()];
  const rooms = [a, b, c, d];
  const heard = hearing(rooms);
  await stage.advance(500);
  const toB = a.peers.find(({ number }) => number === b.myNumber)!;
  const sent = { all: [] as number[], b: [] as number[] };
  let n = 0;
  const talk = async (turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) {
      a.send("n", n);
      sent.all.push(n);
      sent.b.push(n++);
      if (turn % 3 === 0) {
        a.send("n", n, toB);
        sent.b.push(n++);
      }
      // Some messages share an envelope with others, some go alone.
      await stage.advance(turn % 5);
    }
  };
  await talk(40);
  receiving.offline();
  await talk(40);
  receiving.online();
  await talk(200);
  sending.offline();
  await talk(40);
  sending.online();
  await talk(200);
  d.leave();
  await talk(40);
  await stage.advance(8000);
  expect(heard(b, a)).toEqual(sent.b);
  expect(heard(c, a)).toEqual(sent.all);
  // A player who leaves has received a beginning of the sequence.
  expect(heard(d, a)).toEqual(sent.all.slice(0, heard(d, a).length));
  expect(rooms.map(({ state }) => state)).toEqual(["joined", "joined", "joined", "left"]);
  await talk(5);
  await stage.advance(500);
  expect(heard(c, a)).toEqual(sent.all);
});

test("[WF25] a message to all is sent again to those who lack it, if the relay has dropped it", async () => {
  // The room's low limit on forwarded bytes makes the relay drop some reliable envelopes.
  const limits = { egressBytesPerSecondPerRoom: 20_000, egressBurstPerRoom: 20_000 };
  const stage = new RelayStage({ delayMs: 20, limits });
  const rooms: Room[] = [];
  while (rooms.length < 4) rooms.push(await stage.join());
  const heard = hearing(rooms);
  await stage.advance(500);
  const [sender, ...others] = rooms as [Room, ...Room[]];
  const sent = Array.from({ length: 8 }, (_, n) => n + "x".repeat(3000));
  for (const text of sent) {
    sender.send("n", text);
    await stage.advance(10);
  }
  expect(stage.relay.counts.limited.egressPerRoom).toBeGreaterThan(0);
  await stage.advance(15_000);
  expect(others.map((room) => heard(room, sender))).toEqual(others.map(() => sent));
});

test("[WF25] malformed messages to several are dropped and counted, and a peer that continues is reset", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const [victim, liar] = [await stage.join(), await stage.join()];
  const heard = hearing([victim]);
  await stage.advance(1000);
  const peer = (): Room["peers"][number] => victim.peers[0]!;
  const lie = (packet: number[], firstId: number): void => {
    const head = { trafficClass: "command", key: 0, peers: [peer().number], firstIds: [firstId] } as const;
    const writer = new ByteWriter();
    writeEnvelope(writer, { ...head, packet: Uint8Array.from(packet) });
    stage.sendTo(0, writer.take());
  };
  const malformed = {
    "a length beyond the end": [9, 1, 2],
    "a length without an end": [0x80, 0x80],
    "a second half": [1, 7, 5],
  };
  const before = peer().drops.length ?? 0;
  for (const packet of Object.values(malformed)) lie(packet, 0);
  await stage.advance(100);
  expect(peer().drops.length).toBe(before + 3);
  // None of them was accepted: the numbering of the pair's messages is unchanged.
  liar.send("n", 1);
  await stage.advance(300);
  expect(heard(victim, liar)).toEqual([1]);
  const resets: number[] = [];
  victim.onPeerReset(({ number }) => resets.push(number));
  for (let time = 0; time < 60; time++) lie(malformed["a second half"], 1);
  await stage.advance(100);
  expect(resets).toEqual([liar.myNumber]);
});

test("[WF24] commands and events of a player ask the relay to write them at once; its states may wait", async () => {
  const stage = new RelayStage({ delayMs: 20 });
  const [room] = [await stage.join(), await stage.join(), await stage.join()] as [Room, Room, Room];
  const car = room.spawn(Car);
  await stage.advance(1000);
  const prompt = new Map<string, Set<boolean>>();
  stage.watch(0, (packet) => {
    const envelope = readEnvelope(packet);
    if (typeof envelope === "string") return;
    const { trafficClass, isPrompt = false, peers } = envelope;
    const kind = `${trafficClass} to ${peers.length}`;
    prompt.set(kind, (prompt.get(kind) ?? new Set()).add(isPrompt));
  });
  for (let step = 0; step < 40; step++) {
    car.position.set(step % 2 === 0 ? step : -step, 0);
    room.advance();
    room.send("all", step);
    room.send("one", step, { to: room.peers[0]! });
    room.sendEvent("all", step);
    room.sendEvent("one", step, room.peers[0]);
    await stage.advance(50);
  }
  const always = new Set([true]);
  expect(prompt.get("command to 2")).toEqual(always);
  expect(prompt.get("command to 1")).toEqual(always);
  expect(prompt.get("event to 2")).toEqual(always);
  expect(prompt.get("state to 2")).toEqual(new Set([false]));
  // Pings are events of the pair.
  expect(prompt.get("event to 1")).toContain(true);
});
