import { describe, expect, test } from "vitest";
import { worldBounds, worldRow } from "../src/world/rows.js";
import { SightCheck } from "../src/world/sight-check.js";
import { goalCases, schemeCases, type WorldCase } from "../src/world/world-cases.js";
import { geometryOf, meanInView, walkOf, type WorldShape } from "../src/world/world-shape.js";

const shape: WorldShape = {
  ...{ distribution: "uniform", entities: 1000, receivers: 1000 },
  ...{ tickHz: 10, aimedInView: 20, bytesPerSecond: 131_072 },
} as const;

describe("a walking world", () => {
  test.each([
    ["uniform", 17, 20],
    ["hot-spot", 60, 110],
    ["three-hubs", 332, 333],
    ["all-in-view", 999, 999],
  ] as const)("of the distribution %s has %i to %i others in view", (distribution, least, most) => {
    const own = { ...shape, distribution };
    const inView = meanInView(own, walkOf(own).places);
    expect(inView).toBeGreaterThanOrEqual(least);
    expect(inView).toBeLessThanOrEqual(most);
  });

  test("walks 5 m in a second, within its world, and the same way each time", () => {
    const own = { ...shape, distribution: "three-hubs" } as const;
    const [walk, again] = [walkOf(own), walkOf(own)];
    const { edgeM } = geometryOf(own);
    let farthestM = 0;
    for (let tick = 0; tick < 300; tick++) {
      const before = walk.places.slice();
      walk.walk();
      again.walk();
      for (let at = 0; at < before.length; at += 2) {
        const movedM = Math.hypot(walk.places[at]! - before[at]!, walk.places[at + 1]! - before[at + 1]!);
        farthestM = Math.max(farthestM, movedM);
      }
    }
    expect(farthestM).toBeCloseTo(0.5, 9);
    expect(Math.min(...walk.places)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...walk.places)).toBeLessThanOrEqual(edgeM);
    expect(again.places).toEqual(walk.places);
    expect(walk.places).not.toEqual(walkOf(own).places);
  });
});

describe("the check of what a client sees", () => {
  const near = { ...shape, entities: 40, receivers: 40 };
  const TICK = 30;

  interface Seen {
    readonly index: number;
    readonly position: { readonly x: number; readonly y: number };
    readonly lastTick: number;
  }

  /** Returns the figures of a client that sees all walkers up to a distance, after a change. */
  function checked(radiusM: number, change: (seen: Seen[]) => Seen[] = (seen) => seen) {
    const walk = walkOf(near);
    for (let tick = 0; tick < TICK; tick++) walk.walk();
    const [ownX, ownY] = walk.places;
    const seen = Array.from({ length: near.entities }, (_, index): Seen => {
      const position = { x: walk.places[2 * index]!, y: walk.places[2 * index + 1]! };
      return { index, position, lastTick: TICK };
    }).filter(({ position: { x, y } }) => Math.hypot(x - ownX!, y - ownY!) <= radiusM);
    const check = new SightCheck(near);
    check.begin();
    check.take({ entities: () => change(seen) }, 0, TICK);
    return check.end();
  }

  test("finds no fault in a view with a margin", () => {
    const { radiusM } = geometryOf(near);
    expect(checked(radiusM)).toMatchObject({ states: 1, wrong: 0, far: 0, missing: 0 });
  });

  test("finds a wrong place, and one that is missing", () => {
    const moved = checked(50, (seen) =>
      seen.map((each) =>
        each.index === 0 ? { ...each, position: { ...each.position, x: each.position.x + 0.1 } } : each,
      ),
    );
    expect(moved).toMatchObject({ wrong: 1, far: 0, missing: 0 });
    expect(checked(50, (seen) => seen.slice(1))).toMatchObject({ wrong: 0, missing: 1 });
  });

  test("finds walkers that are too far away", () => {
    const wide = { ...near, aimedInView: 1 };
    const check = new SightCheck(wide);
    const walk = walkOf(wide);
    for (let tick = 0; tick < TICK; tick++) walk.walk();
    const all = Array.from({ length: wide.entities }, (_, index): Seen => {
      return {
        index,
        position: { x: walk.places[2 * index]!, y: walk.places[2 * index + 1]! },
        lastTick: TICK,
      };
    });
    check.begin();
    check.take({ entities: () => all }, 0, TICK);
    expect(check.end()).toMatchObject({ wrong: 0, missing: 0 });
    expect(check.end().far).toBeGreaterThan(10);
  });
});

describe("the goals of a world", () => {
  const own: WorldCase = { scheme: "memory", shape, goals: { tickMsP99: 30 } };
  const runs = [20, 40, 25].map((lastMs) => ({
    tickMs: [...Array.from({ length: 98 }, () => 10), lastMs, lastMs],
    ...{ bytesPerReceiverPerSecond: 2000, inView: 20, rssMB: 300 },
  }));

  test("are held by the medians of the runs", () => {
    const row = worldRow(own, runs);
    expect(row).toMatchObject({ tickMsP50: 10, tickMsP99: 25, goal: "tick p99, ms <= 30" });
    expect(worldBounds(own, row)).toMatchObject([{ value: 25, limit: 30, holds: true }]);
    expect(worldBounds(own, worldRow(own, runs.slice(1, 2)))).toMatchObject([{ value: 40, holds: false }]);
  });

  test("are missed if nothing was measured", () => {
    expect(worldBounds(own, undefined)).toMatchObject([{ holds: false }]);
  });

  test("are none of the schemes of interest, which are measured beside each other in the same worlds", () => {
    const cases = schemeCases(1);
    expect(cases.map(({ shape: { interest, distribution } }) => `${distribution} ${interest}`)).toEqual([
      ...["uniform squares", "uniform hexagons", "uniform quadtree", "uniform aura"],
      ...["hot-spot squares", "hot-spot hexagons", "hot-spot quadtree", "hot-spot aura"],
    ]);
    expect(cases.every(({ goals }) => Object.keys(goals).length === 0)).toBe(true);
    expect(worldRow(cases[1]!, runs).scheme).toBe("hexagons");
  });

  test("belong to a thousand players", () => {
    const cases = goalCases(1).filter(({ scheme }) => scheme === "memory");
    expect(cases.map(({ shape: { receivers, distribution } }) => [receivers, distribution])).toEqual([
      [1000, "uniform"],
      [1000, "hot-spot"],
    ]);
  });
});
