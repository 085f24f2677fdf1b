import { assert, boolean, constant, double, integer, oneof, property, record } from "fast-check";
import { expect, test } from "vitest";
import { simulate } from "./simulated-run.js";
import { mean, standardDeviation } from "./statistics.js";

const RUNS = { numRuns: 60 };
const ratio = double({ min: 0, max: 0.9, noNaN: true });
const loss = oneof(
  constant({ kind: "none" } as const),
  record({ kind: constant("uniform" as const), ratio }),
  record({
    kind: constant("gilbert-elliott" as const),
    pGoodToBad: ratio,
    pBadToGood: double({ min: 0.05, max: 1, noNaN: true }),
    lossInGood: ratio,
    lossInBad: ratio,
  }),
);
const settings = record({
  delayMs: integer({ min: 0, max: 200 }),
  jitterMs: integer({ min: 0, max: 50 }),
  loss,
  duplicateRatio: ratio,
  reorderRatio: ratio,
  reorderHoldMs: integer({ min: 0, max: 100 }),
  rateBps: oneof(constant(Infinity), integer({ min: 50_000, max: 1_000_000 })),
  queueBytes: oneof(constant(Infinity), integer({ min: 1, max: 5000 })),
  mtuBytes: oneof(constant(Infinity), integer({ min: 50, max: 1500 })),
});
const run = record({
  seed: integer(),
  packets: integer({ min: 0, max: 150 }),
  intervalMs: integer({ min: 0, max: 40 }),
});

test("whatever the path, every packet sent is delivered, lost or dropped, and no packet is invented", () => {
  assert(
    property(settings, run, boolean(), (path, plan, ordered) => {
      const { path: simulator, arrivals } = simulate({ ...plan, ordered, settings: path });
      const { sent, delivered, duplicated, lost, droppedMtu, droppedQueue, retransmitted } =
        simulator.counters;
      expect(delivered - duplicated + lost + droppedMtu + droppedQueue).toBe(sent);
      expect(retransmitted).toBe(0);
      expect(arrivals).toHaveLength(delivered);
      for (const { index, sentAtMs, atMs } of arrivals) {
        expect(index).toBeLessThan(plan.packets);
        expect(atMs).toBeGreaterThanOrEqual(sentAtMs - 1e-9);
      }
    }),
    RUNS,
  );
});

test("the same seed gives the same trace, to the last digit of every time", () => {
  assert(
    property(settings, run, boolean(), boolean(), (path, plan, ordered, reliable) => {
      const once = simulate({ ...plan, ordered, reliable, settings: path });
      const again = simulate({ ...plan, ordered, reliable, settings: path });
      expect(again.arrivals).toEqual(once.arrivals);
      expect(again.path.counters).toEqual(once.path.counters);
    }),
    RUNS,
  );
});

test("an ordered path never swaps two packets, whatever its jitter", () => {
  assert(
    property(settings, run, (path, plan) => {
      const { arrivals, path: simulator } = simulate({ ...plan, ordered: true, settings: path });
      const order = arrivals.map((arrival) => arrival.index);
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(simulator.counters.reordered).toBe(0);
    }),
    RUNS,
  );
});

test("a reliable path delivers everything exactly once, and in order if it is ordered", () => {
  assert(
    property(settings, run, boolean(), (path, plan, ordered) => {
      const { arrivals, path: simulator } = simulate({
        ...plan,
        ordered,
        reliable: true,
        settings: path,
        settleMs: 1e9,
      });
      const order = arrivals.map((arrival) => arrival.index);
      const sorted = [...order].sort((a, b) => a - b);
      expect(sorted).toEqual(Array.from({ length: plan.packets }, (_, index) => index));
      expect(ordered ? order : sorted).toEqual(sorted);
      expect(simulator.counters).toMatchObject({ lost: 0, duplicated: 0, droppedMtu: 0, droppedQueue: 0 });
    }),
    RUNS,
  );
});

test("another jitter does not change which packets are lost", () => {
  assert(
    property(integer(), double({ min: 0.05, max: 0.5, noNaN: true }), (seed, lossRatio) => {
      const arrived = (jitterMs: number): Set<number> => {
        const path = { delayMs: 100, jitterMs, loss: { kind: "uniform", ratio: lossRatio } } as const;
        const { arrivals } = simulate({ seed, packets: 100, intervalMs: 10, settings: path });
        return new Set(arrivals.map((arrival) => arrival.index));
      };
      expect(arrived(30)).toEqual(arrived(0));
    }),
    RUNS,
  );
});

test("uniform loss loses its share within five standard errors", () => {
  const packets = 2000;
  assert(
    property(integer(), double({ min: 0.01, max: 0.5, noNaN: true }), (seed, p) => {
      const { path } = simulate({
        seed,
        packets,
        intervalMs: 1,
        settings: { loss: { kind: "uniform", ratio: p } },
      });
      expect(Math.abs(path.counters.lost / packets - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / packets));
    }),
    { ...RUNS, seed: 1 },
  );
});

test("the delay is normally distributed with the mean and deviation set", () => {
  const packets = 3000;
  assert(
    property(integer(), integer({ min: 1, max: 10 }), (seed, jitterMs) => {
      const { arrivals } = simulate({ seed, packets, intervalMs: 5, settings: { delayMs: 80, jitterMs } });
      const delaysMs = arrivals.map((arrival) => arrival.atMs - arrival.sentAtMs);
      expect(Math.abs(mean(delaysMs) - 80)).toBeLessThan((5 * jitterMs) / Math.sqrt(packets));
      expect(Math.abs(standardDeviation(delaysMs) - jitterMs)).toBeLessThan(
        (5 * jitterMs) / Math.sqrt(2 * packets),
      );
    }),
    { ...RUNS, numRuns: 20, seed: 1 },
  );
});
