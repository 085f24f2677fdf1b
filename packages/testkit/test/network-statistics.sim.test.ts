import { expect, test } from "vitest";
import { simulate } from "./simulated-run.js";
import { mean } from "./statistics.js";

/** Returns the lengths of runs of consecutive packets that did not arrive. */
function lossBursts(arrived: ReadonlySet<number>, packets: number): number[] {
  const bursts: number[] = [];
  let burst = 0;
  for (let index = 0; index < packets; index += 1) {
    if (!arrived.has(index)) burst += 1;
    else if (burst > 0) {
      bursts.push(burst);
      burst = 0;
    }
  }
  return bursts;
}

test("Gilbert-Elliott loss has its stationary ratio and its mean burst length", () => {
  const packets = 200_000;
  const { arrivals } = simulate({
    seed: 11,
    packets,
    intervalMs: 1,
    settings: {
      loss: { kind: "gilbert-elliott", pGoodToBad: 0.01, pBadToGood: 0.25, lossInGood: 0, lossInBad: 1 },
    },
  });
  const bursts = lossBursts(new Set(arrivals.map((arrival) => arrival.index)), packets);
  // The bad state holds for 0.01 / (0.01 + 0.25) of all packets, 1 / 0.25 in a row.
  expect((packets - arrivals.length) / packets).toBeCloseTo(0.01 / 0.26, 2);
  expect(mean(bursts)).toBeGreaterThan(3.8);
  expect(mean(bursts)).toBeLessThan(4.2);
});

test("uniform loss of the same ratio comes in bursts of hardly more than one", () => {
  const packets = 100_000;
  const p = 0.01 / 0.26;
  const { arrivals } = simulate({
    seed: 12,
    packets,
    intervalMs: 1,
    settings: { loss: { kind: "uniform", ratio: p } },
  });
  const bursts = lossBursts(new Set(arrivals.map((arrival) => arrival.index)), packets);
  expect(mean(bursts)).toBeCloseTo(1 / (1 - p), 1);
});

test("Gilbert-Elliott with partial loss in both states has the weighted mean of both", () => {
  const packets = 200_000;
  const { path } = simulate({
    seed: 13,
    packets,
    intervalMs: 1,
    settings: {
      loss: { kind: "gilbert-elliott", pGoodToBad: 0.02, pBadToGood: 0.08, lossInGood: 0.01, lossInBad: 0.4 },
    },
  });
  expect(path.counters.lost / packets).toBeCloseTo(0.8 * 0.01 + 0.2 * 0.4, 2);
});

test("an overloaded bottleneck delivers at its rate and not a bit faster", () => {
  const rateBps = 256_000;
  const { path, arrivals } = simulate({
    packets: 5000,
    intervalMs: 10,
    packetBytes: 500,
    settings: { rateBps, queueBytes: 10_000, delayMs: 20 },
  });
  const [first, last] = [arrivals[0]?.atMs ?? 0, arrivals.at(-1)?.atMs ?? 0];
  const goodputBps = ((arrivals.length - 1) * 500 * 8000) / (last - first);
  expect(goodputBps).toBeCloseTo(rateBps, 0);
  // The offered rate is 400 kbit/s: the queue drops the rest.
  expect(path.counters.droppedQueue / 5000).toBeCloseTo(1 - 256 / 400, 1);
  // A packet waits at most for a full queue.
  const longestMs = Math.max(...arrivals.map((arrival) => arrival.atMs - arrival.sentAtMs));
  expect(longestMs).toBeLessThanOrEqual(20 + (10_000 * 8000) / rateBps + 1e-6);
});

test("on a stream about two messages are late per loss at ten per second, as Linux does with 50 ms RTT", () => {
  const packets = 100_000;
  const late = (ratio: number): number => {
    const { arrivals } = simulate({
      seed: 14,
      packets,
      intervalMs: 100,
      ordered: true,
      reliable: true,
      retransmitMs: 100,
      settings: { delayMs: 25, loss: { kind: "uniform", ratio } },
    });
    return arrivals.filter((arrival) => arrival.atMs - arrival.sentAtMs > 25 + 40).length / packets;
  };
  // 1 - (1 - p)^L, L = ceil((D - 40 ms) / 100 ms), D = 150 ms: the closed form without second losses.
  expect(late(0.01)).toBeGreaterThan(0.018);
  expect(late(0.01)).toBeLessThan(0.023);
  expect(late(0.05)).toBeGreaterThan(0.09);
  expect(late(0.05)).toBeLessThan(0.12);
});

test("an ordered path keeps its order even where rounding would make a packet a hair early", () => {
  // Early in a run the delay is large compared with the time, so that time + (arrival - time) is not always
  // the arrival.
  const swapped = Array.from({ length: 400 }, (_, seed) => seed).filter((seed) => {
    const settings = { delayMs: 100, jitterMs: 40 };
    const { arrivals } = simulate({ seed, packets: 100, intervalMs: 1 / 3, ordered: true, settings });
    return arrivals.some((arrival, at) => arrival.index !== at);
  });
  expect(swapped).toEqual([]);
});
