import { expect, test } from "vitest";
import { seededRandom, simulatedPair, VirtualScheduler } from "../src/index.js";

function echoPair(options: Omit<Parameters<typeof simulatedPair>[0], "scheduler" | "random">) {
  const scheduler = new VirtualScheduler();
  const pair = simulatedPair({ ...options, scheduler, random: seededRandom(5) });
  const echoesAtMs: number[] = [];
  pair.b.onPacket((packet) => pair.b.send(packet));
  pair.a.onPacket(() => echoesAtMs.push(scheduler.nowMs()));
  return { scheduler, pair, echoesAtMs };
}

test("each end receives what the other sends, over the delay of its own direction", () => {
  const { scheduler, pair, echoesAtMs } = echoPair({ aToB: { delayMs: 10 }, bToA: { delayMs: 30 } });
  pair.a.send(Uint8Array.of(1));
  scheduler.advance(100);
  expect(echoesAtMs).toEqual([40]);
  expect(pair.a.outgoing.counters.sent).toBe(1);
  expect(pair.b.outgoing.counters.sent).toBe(1);
});

test("the two directions lose independently of each other", () => {
  const { scheduler, pair } = echoPair({
    settings: { delayMs: 50, jitterMs: 5, loss: { kind: "uniform", ratio: 0.01 } },
  });
  for (let i = 0; i < 5000; i += 1) {
    pair.a.send(Uint8Array.of(1));
    scheduler.advance(10);
  }
  scheduler.advance(1000);
  const { lost } = pair.a.outgoing.counters;
  expect(lost).toBeGreaterThan(25);
  expect(pair.b.outgoing.counters.sent).toBe(5000 - lost);
  expect(pair.b.outgoing.counters.lost).toBeGreaterThan(25);
});

test("a loss on a reliable pair costs the round trip of both directions", () => {
  const { scheduler, pair, echoesAtMs } = echoPair({
    aToB: { delayMs: 10, loss: { kind: "uniform", ratio: 1 } },
    bToA: { delayMs: 30 },
    reliable: true,
    retransmitMs: 50,
  });
  pair.a.send(Uint8Array.of(1));
  pair.change({ loss: { kind: "none" } });
  scheduler.advance(1000);
  expect(echoesAtMs).toEqual([40 + 50 + 10 + 30]);
});

test("a cut pair is silent in both directions, and an end without a receiver discards", () => {
  const { scheduler, pair, echoesAtMs } = echoPair({ settings: { delayMs: 10 } });
  pair.a.send(Uint8Array.of(1));
  scheduler.advance(15);
  pair.close();
  pair.b.send(Uint8Array.of(2));
  scheduler.advance(100);
  expect(echoesAtMs).toEqual([]);

  const deaf = simulatedPair({ scheduler, random: seededRandom(6) });
  deaf.a.send(Uint8Array.of(1));
  scheduler.advance(1);
  expect(deaf.a.outgoing.counters.delivered).toBe(1);
});
