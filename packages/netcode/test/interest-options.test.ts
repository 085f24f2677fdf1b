import { ConfigError } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { interestPlan, type InterestOptions, type Rectangle } from "../src/interest/interest-options.js";

const WORLD: Rectangle = { minX: -4096, minY: -4096, maxX: 4096, maxY: 4096 };

describe("the view distance alone", () => {
  const plan = interestPlan({ radiusM: 80 }, WORLD);

  test("stands for two rings, the farther one at half the rate, and rarer levels for crowds", () => {
    expect(plan.radiiM).toEqual([40, 80]);
    expect(plan.levels.map(({ everyTicks }) => everyTicks)).toEqual([1, 2, 4, 8, 16]);
  });

  test("makes cells of half of it, and a margin of at most all of it", () => {
    expect(plan).toMatchObject({ cellM: 40, borderM: 4, cols: 205, rows: 205, reach: 3 });
    expect(plan.marginM).toBeCloseTo(Math.SQRT2 * 48 + 8);
    expect(plan.marginM).toBeLessThan(80);
  });
});

test("a large world gets larger cells, as long as they are no larger than the radius", () => {
  const wide = { minX: 0, minY: 0, maxX: 40_000, maxY: 40_000 };
  const { cellM, cols, rows } = interestPlan({ radiusM: 100 }, wide);
  expect(cellM).toBeGreaterThan(50);
  expect(cols * rows).toBeLessThanOrEqual(512 * 512);
  expect(() => interestPlan({ radiusM: 20 }, wide)).toThrow(ConfigError);
});

test("levels for crowds are half as frequent and half as exact as the last ring's", () => {
  const { levels } = interestPlan({ rings: [{ radiusM: 30, everyTicks: 3, thresholdM: 0.5 }] }, WORLD);
  expect(levels).toEqual([
    { everyTicks: 3, thresholdM: 0.5 },
    { everyTicks: 6, thresholdM: 1 },
    { everyTicks: 12, thresholdM: 2 },
  ]);
});

const rings = [{ radiusM: 30 }, { radiusM: 80, everyTicks: 4 }];
const mistakes: [options: unknown, message: string][] = [
  [{}, "interest.radiusM: expected 1 to 100000 m, got undefined"],
  [{ radiusM: NaN }, "interest.radiusM: expected 1 to 100000 m, got NaN"],
  [{ radiusM: "80" }, 'interest.radiusM: expected 1 to 100000 m, got "80"'],
  [{ radius: 80 }, "interest.radius: expected no such option; known are radiusM, rings, cellM, maxEntities,"],
  [null, "interest: expected an object of radiusM"],
  [{ radiusM: 80, rings }, "interest.radiusM: expected nothing beside rings, got 80"],
  [{ rings: [] }, "interest.rings: expected a list of 1 to 4 rings"],
  [{ rings: [{ radiusM: 0 }] }, "interest.rings[0].radiusM: expected 1 to 100000 m, got 0"],
  [{ rings: [rings[1], rings[0]] }, "interest.rings[1].radiusM: expected more than 80 m, the ring before it"],
  [
    { rings: [rings[1], { radiusM: 90 }] },
    "interest.rings[1].everyTicks: expected a whole number from 4 to 64 (ticks), got 1",
  ],
  [
    { rings: [{ radiusM: 9, everyTicks: 0 }] },
    "interest.rings[0].everyTicks: expected a whole number from 1",
  ],
  [
    { rings: [{ radiusM: 9, thresholdM: 0 }] },
    "interest.rings[0].thresholdM: expected 0.001 to 1000 m, got 0",
  ],
  [{ rings: [{ radiusM: 9, hz: 5 }] }, "interest.rings[0].hz: expected no such option"],
  [
    { radiusM: 80, cellM: 0 },
    "interest.cellM: expected 5.48 to 100000 m, for an outer radius of 80 m, got 0",
  ],
  [
    { radiusM: 80, cellM: 10 },
    "interest.cellM: expected at least 16.000 m in a world of 8192 x 8192 m, got 10",
  ],
  [
    { radiusM: 80, maxEntities: 0 },
    "interest.maxEntities: expected a whole number from 1 to 4096 (entities)",
  ],
  [
    { radiusM: 80, bytesPerSecond: 10 },
    "interest.bytesPerSecond: expected 1000 to 100000000 bytes per second",
  ],
  [{ radiusM: 80, relevant: true }, "interest.relevant: expected a function, got true"],
  [{ radiusM: 80, cellVisible: 1 }, "interest.cellVisible: expected a function, got 1"],
  [{ radiusM: 80, world: 5 }, "interest.world: expected an object, got 5"],
  [
    { radiusM: 80, world: { ...WORLD, minX: -Infinity } },
    "interest.world.minX: expected a finite number (m), got -Infinity",
  ],
  [
    { radiusM: 80, world: { ...WORLD, maxY: -4096 } },
    "interest.world.maxY: expected a finite number above -4096 (m), got -4096",
  ],
  [
    { radiusM: 1, world: { ...WORLD, maxX: 1e9 } },
    "interest.world: expected a world of at most 262144 cells of 1 m, the outer radius",
  ],
];

test.each(mistakes)("%j is refused with the field's name, value, range and unit", (options, message) => {
  let thrown: unknown;
  try {
    interestPlan(options as InterestOptions, WORLD);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigError);
  expect((thrown as Error).message).toContain(message);
});
