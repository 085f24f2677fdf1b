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
  /** Messages that the deaf member did not get, and messages that nobody got. */
  skipped = 0;
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
    room.onError(({ code, peers }) => {
      if (code === "limit/queue" && peers.join() === "3") this.skipped += 1;
    });
  }

  /** Sends a message to all. */
  say(): void {
    try {
      this.room.send("n", { n: this.#next, words: WORDS });
      this.said.push(this.#next);
      this.#next += 1;
    } catch (error) {
      if (!(error instanceof NetError) || error.code !== "limit/queue") throw error;
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
  test(
    "delays nobody: the others get every message, and the sender learns what the deaf one misses",
    { timeout: 600_000 },
    async () => {
      const { stage, a, b, deaf } = await threeOfThem();
      deafen(deaf);
      const cars: object[] = [];
      const car = a.room.spawn(Car);
      let skippedLate = 0;
      for (let ms = 0; ms < 60_000; ms += STEP_MS) {
        const before = a.skipped + b.skipped;
        for (const one of [a, b]) one.say();
        if (ms > 25_000) skippedLate += a.skipped + b.skipped - before;
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
        expect(one.refused).toBe(0);
        expect(one.said).toHaveLength(60_000 / STEP_MS);
        expect(one.skipped * STEP_MS).toBeGreaterThan(9000);
        expect(one.skipped * STEP_MS).toBeLessThan(11_500);
        expect(one.heard).toEqual(other.said);
        // The deaf member has missed the messages that its pair held, and the game learns their number.
        expect(one.resets.filter(([, unacknowledged]) => unacknowledged > 200)).toHaveLength(3);
        expect(new Set(one.resets.map(([number]) => number))).toEqual(new Set([deaf.myNumber]));
        expect(one.left).toEqual([]);
      }
      expect(skippedLate).toBe(0);
      expect(b.spawned).toHaveLength(61);
      expect(b.despawned).toHaveLength(60);
      const [seen] = [...b.room.entities(Car)];
      expect(seen!.position.x).toBeCloseTo(599.5, 0);
    },
  );

  test("is reset once if the game sends little afterwards", { timeout: 600_000 }, async () => {
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
  { timeout: 600_000 },
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

test(
  "a member that receives no bulk delays nobody's bulk, and starts again after ten seconds",
  { timeout: 600_000 },
  async () => {
    const { stage, a, b, deaf } = await threeOfThem();
    deafen(deaf);
    const heard: number[] = [];
    b.room.onMessage("bulk", (message) => heard.push(message as number));
    let sent = 0;
    for (let ms = 0; ms < 45_000; ms += STEP_MS) {
      // The limit of messages that wait for the deaf member is reached after half a minute.
      for (let count = 0; count < 7; count++) a.room.send("bulk", sent++, { class: "bulk" });
      await stage.advance(STEP_MS);
    }
    await stage.advance(5000);
    expect(a.skipped).toBeGreaterThan(1000);
    expect(a.resets).toHaveLength(1);
    expect(heard).toEqual(Array.from({ length: sent }, (_, n) => n));
  },
);

test("a message to one full member, or to full members only, is refused to the caller", async () => {
  const { stage, a, deaf } = await threeOfThem();
  deafen(deaf);
  const to = peerOf(a.room, deaf);
  const fill = (): unknown => {
    try {
      for (;;) a.room.send("n", { n: -1, words: WORDS }, to);
    } catch (error) {
      return error;
    }
  };
  expect(fill()).toMatchObject({ code: "limit/queue", retryable: true, peers: [deaf.myNumber] });
  expect(a.skipped).toBe(0);
  a.say();
  await stage.advance(200);
  expect([a.skipped, a.refused, a.said.length]).toEqual([1, 0, 1]);
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
