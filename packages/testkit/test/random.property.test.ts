import { assert, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../src/index.js";
import { mean, standardDeviation } from "./statistics.js";

const SAMPLES = 4000;
// Five standard errors give one false alarm in about two million tries. The seeds come from a fixed one.
const SIGMAS = 5;
const RUNS = { seed: 20_240, numRuns: 40 };
const anySeed = integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

test("for any seed uniform values lie in [0, 1) with the mean and spread of a uniform distribution", () => {
  assert(
    property(anySeed, (seed) => {
      const random = seededRandom(seed);
      const values = Array.from({ length: SAMPLES }, () => random.next());
      expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
      expect(Math.abs(mean(values) - 0.5)).toBeLessThan(SIGMAS * Math.sqrt(1 / 12 / SAMPLES));
      expect(standardDeviation(values)).toBeCloseTo(Math.sqrt(1 / 12), 1);
    }),
    RUNS,
  );
});

test("for any seed normal values have the mean and standard deviation asked for, 68 % within one of it", () => {
  assert(
    property(anySeed, (seed) => {
      const random = seededRandom(seed);
      const values = Array.from({ length: SAMPLES }, () => random.normal(50, 5));
      expect(Math.abs(mean(values) - 50)).toBeLessThan((SIGMAS * 5) / Math.sqrt(SAMPLES));
      expect(Math.abs(standardDeviation(values) - 5)).toBeLessThan((SIGMAS * 5) / Math.sqrt(2 * SAMPLES));
      const within = values.filter((value) => Math.abs(value - 50) < 5).length / SAMPLES;
      expect(Math.abs(within - 0.6827)).toBeLessThan(SIGMAS * Math.sqrt((0.6827 * 0.3173) / SAMPLES));
    }),
    RUNS,
  );
});

test("for any seed and range each whole number is as likely as another", () => {
  assert(
    property(anySeed, integer({ min: -50, max: 50 }), integer({ min: 1, max: 12 }), (seed, min, count) => {
      const random = seededRandom(seed);
      const counts = Array.from({ length: count }, () => 0);
      for (let i = 0; i < SAMPLES; i += 1) {
        const at = random.int(min, min + count - 1) - min;
        counts[at] = (counts[at] ?? 0) + 1;
      }
      const p = 1 / count;
      const limit = SIGMAS * Math.sqrt(p * (1 - p) * SAMPLES);
      for (const seen of counts) expect(Math.abs(seen - p * SAMPLES)).toBeLessThanOrEqual(limit);
    }),
    RUNS,
  );
});
