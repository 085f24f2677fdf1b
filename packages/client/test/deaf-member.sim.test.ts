import { NetError, type Peer, type Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import type { Link } from "@paceline/transport";
import type { PeerConnection } from "../src/peers/peer-connection.js";
import { Car } from "./definitions.js";
import { RelayStage } from "./relay-stage.js";

const STEP_MS = 50;
/** Sent to all in every step: 20 kB/s fill the 256 KiB of a pair after 13 s. */
const WORDS = "x".repeat(1000);

const peerOf = (room: Room, other: Room): PeerConnection =>
  room.peers.find(({ number }) => number === other.myNumber) as Peer as PeerConnection;

/**
 * Makes a member receive everything and acknowledge nothing, in the present and all later epochs of its
 * pairs.
 */
function deafen(room: Room): void {
  const mute = <L extends Link>(link: L): L =>
    new Proxy(link, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown =>
          name === "send" || name === "enter" ? undefined : Reflect.apply(value, of, args);
      },
    });
  for (const peer of room.peers as unknown as PeerConnection[]) {
    const link = peer.relayedState!;
    const { send, enter } = mute(link);
    Object.assign(link, { send, enter });
    const relayOver = peer.relayOver.bind(peer);
    peer.relayOver = (uplink) =>
      relayOver({
        linkFor: (trafficClass) => uplink.linkFor(trafficClass),
        queuedBytes: 0,
        outbox: { forward: () => undefined },
      });
  }
}

class Honest {
  readonly room: Room;
  readonly heard: number[] = [];
  readonly spawned: number[] = [];
  readonly despawned: number[] = [];
  readonly resets: [peer: number, unacknowledged: number][] = [];
  readonly left: number[] = [];
  readonly said: number[] = [];
  refused = 0;
  #next = 0;

  constructor(room: Room, other: () => Honest) {
    this.room = room;
    const isHonest = (number: number): boolean => number === other().room.myNumber;
    room.onMessage("n", (message, { number }) => {
      if (isHonest(number)) this.heard.push((message as { n: number }).n);
    });
    room.onSpawn(Car, ({ id, owner }) => owner && isHonest(owner.number) && this.spawned.push(id));
    room.onDespawn(Car, ({ id, owner }) => owner && isHonest(owner.number) && this.despawned.push(id));
    room.onPeerReset(({ number }, { unacknowledged }) => this.resets.push([number, unacknowledged]));
    room.onPeerLeave(({ number }) => this.left.push(number));
  }

  /** Sends a message to all. After a refusal, sends the same one again, as the error advises. */
  say(): void {
    try {
      this.room.send("n", { n: this.#next, words: WORDS });
      this.said.push(this.#next);
      this.#next += 1;
    } catch (error) {
      const isKnown =
        error instanceof NetError && error.code === "limit/queue" && error.peers?.join() === "3";
      if (!isKnown) throw error;
      this.refused += 1;
    }
  }
}

async function threeOfThem(): Promise<{ stage: RelayStage; a: Honest; b: Honest; deaf: Room }> {
  const stage = new RelayStage({ delayMs: 30 });
  const honest: Honest[] = [];
  honest.push(new Honest(await stage.join(), () => honest[1]!));
  honest.push(new Honest(await stage.join(), () => honest[0]!));
  const deaf = await stage.join();
  await stage.advance(1000);
  return { stage, a: honest[0]!, b: honest[1]!, deaf };
}

describe("a member that receives everything and acknowledges nothing", () => {
  test("blocks the others' sends for ten seconds once, and no longer", { timeout: 20_000 }, async () => {
    const { stage, a, b, deaf } = await threeOfThem();
    deafen(deaf);
    const cars: object[] = [];
    const car = a.room.spawn(Car);
    let refusedLate = 0;
    for (let ms = 0; ms < 60_000; ms += STEP_MS) {
      const before = a.refused + b.refused;
      for (const one of [a, b]) one.say();
      if (ms > 25_000) refusedLate += a.refused + b.refused - before;
      if (ms % 1000 === 0) cars.push(a.room.spawn(Car));
      if (ms % 1000 === 500) a.room.despawn(cars.at(-1) as never);
      car.position.set(ms / 100, 1);
      await stage.advance(STEP_MS);
    }
    await stage.advance(1000);
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(one.refused * STEP_MS).toBeLessThan(11_500);
      expect(one.heard).toEqual(other.said);
      // The deaf member has missed the messages that its pair held, and the game learns their number.
      expect(one.resets.filter(([, unacknowledged]) => unacknowledged > 200)).toHaveLength(3);
      expect(new Set(one.resets.map(([number]) => number))).toEqual(new Set([deaf.myNumber]));
      expect(one.left).toEqual([]);
    }
    expect(refusedLate).toBe(0);
    expect(b.spawned).toHaveLength(61);
    expect(b.despawned).toHaveLength(60);
    const [seen] = [...b.room.entities(Car)];
    expect(seen!.position.x).toBeCloseTo(599.5, 0);
  });

  test("is reset once if the game sends little afterwards", { timeout: 20_000 }, async () => {
    const { stage, a, b, deaf } = await threeOfThem();
    deafen(deaf);
    for (let ms = 0; ms < 60_000; ms += STEP_MS) {
      if (ms < 25_000 || ms % 1000 === 0) for (const one of [a, b]) one.say();
      await stage.advance(STEP_MS);
    }
    expect([a.resets.length, b.resets.length]).toEqual([1, 1]);
    await stage.advance(1000);
    expect([a.heard, b.heard]).toEqual([b.said, a.said]);
  });
});

test(
  "a member that receives as much as a game can send stays connected, though its queue is always full",
  { timeout: 20_000 },
  async () => {
    const stage = new RelayStage({ delayMs: 200 });
    const [a, b] = [await stage.join(), await stage.join()];
    await stage.advance(1000);
    const resets: unknown[] = [];
    a.onPeerReset((peer) => resets.push(peer));
    const heard: number[] = [];
    b.onMessage("n", (message) => heard.push((message as { n: number }).n));
    let [sent, refused] = [0, 0];
    for (let ms = 0; ms < 25_000; ms += STEP_MS) {
      // Like a game that sends until a refusal, and tries again later.
      try {
        for (let count = 0; count < 40; count++) {
          a.send("n", { n: sent, words: WORDS });
          sent += 1;
        }
      } catch {
        refused += 1;
      }
      await stage.advance(STEP_MS);
    }
    await stage.advance(20_000);
    expect(refused).toBeGreaterThan(200);
    expect(resets).toEqual([]);
    expect(heard).toEqual(Array.from({ length: sent }, (_, n) => n));
  },
);

test("a member that receives no bulk blocks bulk to all for ten seconds, and the others get every message", async () => {
  const { stage, a, b, deaf } = await threeOfThem();
  deafen(deaf);
  const heard: number[] = [];
  b.room.onMessage("bulk", (message) => heard.push(message as number));
  let [sent, refused] = [0, 0];
  for (let ms = 0; ms < 20_000; ms += STEP_MS) {
    try {
      // The limit of waiting messages is reached within two seconds.
      for (let count = 0; count < 120 && sent < 5000; count++) {
        a.room.send("bulk", sent, { class: "bulk" });
        sent += 1;
      }
    } catch {
      refused += 1;
    }
    await stage.advance(STEP_MS);
  }
  await stage.advance(5000);
  expect(refused * STEP_MS).toBeGreaterThan(9000);
  expect(refused * STEP_MS).toBeLessThan(12_000);
  expect(a.resets).toHaveLength(1);
  expect([sent, heard]).toEqual([5000, Array.from({ length: 5000 }, (_, n) => n)]);
});

test("a member that is cut off for five seconds loses nothing, and its pairs go on", async () => {
  const stage = new RelayStage({ delayMs: 30 });
  const honest: Honest[] = [];
  const player = stage.player();
  honest.push(new Honest(await stage.join(), () => honest[1]!));
  honest.push(new Honest(await stage.join(player), () => honest[0]!));
  const [a, b] = honest as [Honest, Honest];
  await stage.advance(1000);
  for (let ms = 0; ms < 20_000; ms += STEP_MS) {
    if (ms === 3000) player.offline();
    if (ms === 8000) player.online();
    a.say();
    await stage.advance(STEP_MS);
  }
  await stage.advance(3000);
  expect([a.refused, a.resets, b.resets]).toEqual([0, [], []]);
  expect(b.heard).toEqual(a.said);
  expect(peerOf(a.room, b.room).session.commands.length).toBe(0);
});
