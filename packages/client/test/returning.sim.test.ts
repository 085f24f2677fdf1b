import { describe, expect, test } from "vitest";
import type { Peer, Room } from "@paceline/client";
import { RelayStage } from "./relay-stage.js";

const DELAY_MS = 50;
/** Delay from one player to the other, through the relay. */
const WAY_MS = 2 * DELAY_MS;

async function meeting() {
  const stage = new RelayStage({ delayMs: DELAY_MS });
  const away = stage.player();
  const a = await stage.join();
  const b = await stage.join(away);
  await stage.advance(500);
  return { stage, a, b, away };
}

const peerOf = (room: Room, other: Room): Peer => room.peers.find(({ number }) => number === other.myNumber)!;

describe("after a cut", () => {
  test.each([300, 1000, 2500])(
    "[WF38] [WF46] of %i ms, peers' messages arrive in order, a round trip after the link is back",
    async (cutMs) => {
      const { stage, a, b, away } = await meeting();
      const heard: [lap: unknown, atMs: number][] = [];
      b.onMessage("lap", (lap) => heard.push([lap, stage.scheduler.nowMs()]));
      let backAtMs = 0;
      b.onReconnect(() => (backAtMs = stage.scheduler.nowMs()));
      away.offline();
      for (let lap = 0; lap < 10; lap++) {
        a.send("lap", lap, peerOf(a, b));
        await stage.advance(cutMs / 10);
      }
      away.online();
      for (let step = 0; step < 1000 && backAtMs === 0; step++) await stage.advance(5);
      a.send("lap", "after", peerOf(a, b));
      await stage.advance(4000);
      expect(heard.map(([lap]) => lap)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "after"]);
      // The client learns of its return half a round trip after the relay has told the others.
      expect(heard.at(-1)![1] - backAtMs).toBeLessThanOrEqual(2 * WAY_MS);
    },
  );

  test("of 5 s, all of 1200 messages a second arrive, once and in order, and nobody is removed", async () => {
    const { stage, a, b, away } = await meeting();
    const heard: unknown[] = [];
    b.onMessage("n", (n) => heard.push(Number(n)));
    let sent = 0;
    const send = async (ms: number): Promise<void> => {
      for (let elapsed = 0; elapsed < ms; elapsed += 5) {
        for (let count = 0; count < 6; count++) a.send("n", String(sent++).padEnd(24));
        await stage.advance(5);
      }
    };
    await send(1000);
    away.offline();
    await send(5000);
    away.online();
    await send(2000);
    await stage.advance(4000);
    expect(sent).toBe(9600);
    expect(stage.relay.health().drops["rate-limit"] ?? 0).toBe(0);
    expect(heard.length).toBe(sent);
    expect(heard.every((n, index) => n === index)).toBe(true);
    expect([a.peers.length, b.peers.length]).toEqual([1, 1]);
  });
});

test("1200 messages a second may continue without end, within the limits of the relay", async () => {
  const { stage, a, b } = await meeting();
  const heard: unknown[] = [];
  b.onMessage("n", (n) => heard.push(n));
  let sent = 0;
  for (let elapsed = 0; elapsed < 10_000; elapsed += 5) {
    for (let count = 0; count < 6; count++) a.send("n", sent++);
    await stage.advance(5);
  }
  await stage.advance(500);
  expect(stage.relay.health().drops["rate-limit"] ?? 0).toBe(0);
  expect(heard).toEqual(Array.from({ length: 12_000 }, (_, n) => n));
});

describe("in one turn", () => {
  test("1500 messages of 40 bytes all arrive, once and in order, and nobody is removed", async () => {
    const { stage, a, b } = await meeting();
    const heard: unknown[] = [];
    b.onMessage("n", (n) => heard.push((n as string).trim()));
    for (let count = 0; count < 1500; count++) a.send("n", String(count).padEnd(40));
    await stage.advance(5000);
    expect(heard).toEqual(Array.from({ length: 1500 }, (_, count) => String(count)));
    expect([a.peers.length, b.peers.length]).toEqual([1, 1]);
  });

  test("messages over the limit of one receiver reach the others, and the error names it", async () => {
    const { stage, a, b, away } = await meeting();
    const c = await stage.join();
    await stage.advance(500);
    const heard: unknown[] = [];
    c.onMessage("n", (n) => heard.push(n));
    const skipped: unknown[] = [];
    a.onError(({ code, peers }) => skipped.push({ code, peers }));
    away.offline();
    for (let sent = 0; sent < 40; sent++) {
      a.send("n", new Uint8Array(8000));
      await stage.advance(50);
    }
    await stage.advance(500);
    expect(heard).toHaveLength(40);
    // 32 of these messages fill the queue.
    expect(skipped).toEqual(Array.from({ length: 8 }, () => ({ code: "limit/queue", peers: [b.myNumber] })));
    expect(a.peers).toHaveLength(2);
  });
});
