import { ConfigError } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { UNSEEN } from "../src/interest/cell-view.js";
import type { Viewer } from "../src/interest/viewer.js";
import { InterestWorld, TICK_HZ, WORLD, seededRandom } from "./interest-world.js";

const FAR = { x: 90, y: 140 };

/** Returns a world and a viewer who looks from its corner. */
function cornered(options = {}): { world: InterestWorld; viewer: Viewer } {
  const world = new InterestWorld({ radiusM: 20, ...options });
  const viewer = world.addViewer(7);
  viewer.look(WORLD.minX, WORLD.minY);
  return { world, viewer };
}

function crowd(world: InterestWorld, count: number, from = 0): void {
  for (let id = from; id < from + count; id++) world.interest.place(id, WORLD.minX + 1, WORLD.minY + 1);
}

describe("what is always relevant", () => {
  test("is seen from everywhere: kinds that say so, and what a viewer is bound to", () => {
    const { world, viewer } = cornered();
    world.interest.place(1, FAR.x, FAR.y, { always: true });
    world.interest.place(2, FAR.x, FAR.y);
    world.interest.place(3, FAR.x, FAR.y);
    viewer.bind(2);
    const other = world.addViewer(8);
    world.update();
    expect(world.view(viewer)).toEqual(
      new Map([
        [2, 0],
        [1, 0],
      ]),
    );
    expect(world.view(other)).toEqual(new Map([[1, 0]]));
    viewer.unbind(2);
    world.update();
    expect(world.view(viewer)).toEqual(new Map([[1, 0]]));
  });

  test("is not another entity that gets the id of a bound one", () => {
    const { world, viewer } = cornered();
    world.interest.place(2, FAR.x, FAR.y);
    viewer.bind(2);
    world.update();
    world.interest.remove(2);
    world.interest.place(2, FAR.x, FAR.y);
    world.update();
    expect(world.view(viewer).size).toBe(0);
  });

  test("has a limit for each viewer, and exists", () => {
    const { world, viewer } = cornered();
    for (let id = 0; id < 65; id++) world.interest.place(id, FAR.x, FAR.y);
    for (let id = 0; id < 64; id++) viewer.bind(id);
    viewer.bind(63);
    expect(() => viewer.bind(64)).toThrow("entity: expected at most 64 entities");
    world.interest.remove(5);
    viewer.bind(64);
    expect(() => viewer.bind(1000)).toThrow("entity: expected the id of an entity that is placed, got 1000");
  });
});

describe("walls", () => {
  test("hide whole cells, and are asked about once for each pair", () => {
    let asked = 0;
    // A wall along x = 0.
    const cellVisible = (from: { maxX: number }, to: { maxX: number }): boolean => {
      asked += 1;
      return from.maxX < 5 === to.maxX < 5;
    };
    const world = new InterestWorld({ radiusM: 40, cellM: 20, cellVisible });
    const viewer = world.addViewer();
    world.interest.place(1, -30, 50);
    world.interest.place(2, 30, 50);
    viewer.look(-10, 50);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([1]);
    const once = asked;
    viewer.look(-14, 50);
    world.update();
    expect(asked).toBe(once);
    viewer.look(10, 50);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([2]);
    expect(asked).toBeGreaterThan(once);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no map");
      },
    ],
    ["answers later", () => Promise.resolve(true) as unknown as boolean],
  ])("whose function %s hide all but the own cell, and are told once", (_, cellVisible) => {
    const { world, viewer } = cornered({ cellVisible });
    world.interest.place(1, WORLD.minX + 1, WORLD.minY + 1);
    world.interest.place(2, WORLD.minX + 15, WORLD.minY + 1);
    world.update(3);
    expect([...world.view(viewer).keys()]).toEqual([1]);
    expect(world.faults.map(({ kind }) => kind)).toEqual(["visibility"]);
  });
});

describe("the exact rule", () => {
  test("hides an entity as soon as it says so, and shows it again", () => {
    let isHidden = false;
    const { world, viewer } = cornered({
      relevant: (viewerId: number, id: number) => viewerId === 7 && !(id === 1 && isHidden),
    });
    crowd(world, 3);
    world.update();
    expect(world.lists.get(viewer)).toEqual(new Set([0, 1, 2]));
    isHidden = true;
    world.update();
    expect(world.lists.get(viewer)).toEqual(new Set([0, 2]));
    isHidden = false;
    world.update();
    expect(world.lists.get(viewer)).toEqual(new Set([0, 1, 2]));
    expect(world.levels.get(viewer)!.size).toBe(0);
  });

  test("is asked about kinds that are always relevant, but not about bound entities", () => {
    const { world, viewer } = cornered({ relevant: () => false });
    world.interest.place(1, FAR.x, FAR.y, { always: true });
    world.interest.place(2, FAR.x, FAR.y);
    viewer.bind(2);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([2]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no such team");
      },
    ],
    ["answers later", () => Promise.resolve(true) as unknown as boolean],
    ["answers nothing", () => undefined as unknown as boolean],
  ])("hides everything if it %s; that is counted, and told once", (_, relevant) => {
    const { world, viewer } = cornered({ relevant });
    crowd(world, 3);
    world.update(2);
    expect(world.view(viewer).size).toBe(0);
    expect(world.interest.faults.rule).toBe(6);
    expect(world.faults).toEqual([
      { kind: "rule", entity: expect.any(Number), viewer: 7, error: expect.any(Error) },
    ]);
  });

  test("that is slow makes viewers wait, each in its turn, and none for ever", () => {
    let nowMs = 0;
    const relevant = (): boolean => {
      nowMs += 2;
      return true;
    };
    const world = new InterestWorld({ radiusM: 20, relevant }, { nowMs: () => nowMs });
    crowd(world, 1);
    const viewers = Array.from({ length: 10 }, (_, id) => world.addViewer(id));
    for (const viewer of viewers) viewer.look(WORLD.minX, WORLD.minY);
    world.update();
    expect(viewers.filter(({ list }) => list!.tick === world.tick)).toHaveLength(3);
    world.update(3);
    expect(viewers.every(({ list }) => list!.count === 1)).toBe(true);
    expect(world.faults.map(({ kind }) => kind)).toEqual(["slow-rule"]);
  });

  test("that shows everyone to everyone keeps to the limit of entities", () => {
    const { world, viewer } = cornered({ relevant: () => true, maxEntities: 20 });
    crowd(world, 500);
    world.update(30);
    expect(viewer.list!.count).toBe(20);
  });
});

describe("a viewpoint", () => {
  test("stays where its entity was removed, also if the id is used again", () => {
    const { world, viewer } = cornered();
    world.interest.place(1, WORLD.minX, WORLD.minY);
    world.interest.place(2, WORLD.minX + 1, WORLD.minY);
    viewer.follow(1);
    world.update();
    world.interest.remove(1);
    world.interest.place(1, FAR.x, FAR.y);
    world.update(2);
    expect([...world.view(viewer).keys()]).toEqual([2]);
    expect(world.faults).toEqual([{ kind: "viewpoint", entity: 1, viewer: 7 }]);
    expect(world.interest.faults.viewpoint).toBe(1);
    expect(() => viewer.follow(9)).toThrow(ConfigError);
  });

  test("that a viewer does not have yet shows what concerns everybody", () => {
    const { world } = cornered();
    const viewer = world.addViewer();
    world.interest.place(1, 0, 0);
    world.interest.place(2, 0, 0, { always: true });
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([2]);
  });

  test("that has moved by a border since it was measured misses no entity that has, too", () => {
    // Cells begin at multiples of 20, borders are 2 m.
    const world = new InterestWorld({ rings: [{ radiusM: 50 }], cellM: 20 });
    const viewer = world.addViewer();
    world.interest.place(1, 41, 10);
    viewer.look(-8.5, 10);
    world.update();
    world.interest.move(1, 38.5, 10);
    viewer.look(-6.6, 10);
    world.changes = 0;
    world.update();
    expect(world.changes).toBe(0);
    // 45 m is 0.9 of the radius.
    world.interest.move(1, 38.3, 10);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([1]);
  });

  test("that has moved by more than a border is measured again", () => {
    const world = new InterestWorld({ rings: [{ radiusM: 50 }], cellM: 20 });
    const viewer = world.addViewer();
    world.interest.place(1, 41, 10);
    viewer.look(-9.5, 10);
    world.update();
    expect(world.view(viewer).size).toBe(0);
    viewer.look(-4, 10);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([1]);
  });

  test("may teleport across the world: nothing of the old place is left", () => {
    const { world, viewer } = cornered();
    world.interest.place(1, WORLD.minX, WORLD.minY);
    world.interest.place(2, FAR.x, FAR.y);
    world.update();
    viewer.look(FAR.x, FAR.y);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([2]);
    expect([...world.reported(viewer).keys()]).toEqual([2]);
  });
});

describe("a place", () => {
  test.each([NaN, Infinity, -Infinity])(
    "that is %s leaves the entity or viewer where it was, and is counted",
    (bad) => {
      const { world, viewer } = cornered();
      crowd(world, 1);
      world.update();
      world.interest.move(0, bad, 0);
      world.interest.move(0, 0, bad);
      viewer.look(bad, 0);
      world.update();
      expect(world.view(viewer).size).toBe(1);
      expect(world.faults).toEqual([{ kind: "position", entity: 0 }]);
      expect(world.interest.faults.position).toBe(3);
      expect(() => world.interest.place(1, bad, 0)).toThrow("x: expected a finite number (m)");
      expect(() => world.interest.place(1, 0, bad)).toThrow("y: expected a finite number (m)");
    },
  );

  test("outside the world counts as on its border", () => {
    const { world, viewer } = cornered();
    world.interest.place(1, -1e9, -1e9);
    world.update();
    expect(world.view(viewer).size).toBe(1);
    world.interest.move(1, 1e300, 1e300);
    world.update();
    expect(world.view(viewer).size).toBe(0);
    viewer.look(1e300, 1e300);
    world.update();
    expect(world.view(viewer).size).toBe(1);
    expect(world.faults).toEqual([{ kind: "outside", entity: 1 }]);
    expect(world.interest.faults.outside).toBe(3);
  });

  test.each([-1, 65_536, 1.5, NaN, "1"])("of an entity with id %s is refused", (id) => {
    const { world } = cornered();
    expect(() => world.interest.place(id as number, 0, 0)).toThrow(
      "id: expected a whole number from 0 to 65535 (an entity's id)",
    );
    world.interest.move(id as number, 0, 0);
    world.interest.remove(id as number);
  });

  test.each([0, -1, NaN, 1001])("of an entity with weight %s is refused", (weight) => {
    const { world } = cornered();
    expect(() => world.interest.place(1, 0, 0, { weight })).toThrow("weight: expected above 0, up to 1000");
  });
});

describe("a budget of bytes", () => {
  /** Sends what a room would: 16 bytes for each turn of each entity in view, for some seconds. */
  function play(world: InterestWorld, viewer: Viewer, seconds: number, bytesPerState = 16): number {
    let sum = 0;
    for (let tick = 0; tick < seconds * TICK_HZ; tick++) {
      world.update();
      let bytes = 0;
      for (const level of world.view(viewer).values())
        bytes += bytesPerState / world.interest.levels[level]!.everyTicks;
      viewer.spent(bytes);
      sum += bytes;
    }
    return sum / seconds;
  }

  /** Places 20 entities near the viewer, and 40 in the farther ring. */
  function populate(world: InterestWorld): void {
    crowd(world, 20);
    for (let id = 100; id < 140; id++) world.interest.place(id, WORLD.minX + 15, WORLD.minY + 1);
  }

  test("that suffices loses nothing", () => {
    const { world, viewer } = cornered({ cellM: 4 });
    populate(world);
    play(world, viewer, 3);
    expect(levelCounts(world, viewer)).toEqual([
      [0, 20],
      [1, 40],
    ]);
    expect(world.faults).toEqual([]);
  });

  test("loses the farthest ring as a whole, and gets it back when there is room", () => {
    const { world, viewer } = cornered({ cellM: 4, bytesPerSecond: 9000 });
    populate(world);
    play(world, viewer, 3);
    expect(levelCounts(world, viewer)).toEqual([[0, 20]]);
    for (let id = 110; id < 140; id++) world.interest.remove(id);
    play(world, viewer, 3);
    expect(levelCounts(world, viewer)).toEqual([
      [0, 20],
      [1, 10],
    ]);
  });

  test("then lowers the rate of the nearest, and no tick", () => {
    const { world, viewer } = cornered({ cellM: 4, bytesPerSecond: 2000 });
    populate(world);
    const bytesPerSecond = play(world, viewer, 5);
    expect(levelCounts(world, viewer)).toEqual([[2, 20]]);
    expect(bytesPerSecond).toBeLessThan(2000);
    expect(world.faults).toEqual([]);
  });

  test("that is too small at the slowest rate is told once", () => {
    const { world, viewer } = cornered({ cellM: 4, bytesPerSecond: 1000, maxEntities: 300 });
    crowd(world, 300);
    play(world, viewer, 1);
    expect(levelCounts(world, viewer)).toEqual([[4, 300]]);
    expect(world.faults).toEqual([{ kind: "budget", viewer: 7 }]);
  });

  test("does not swing while the load does, by a tenth", () => {
    const { world, viewer } = cornered({ cellM: 4, bytesPerSecond: 9000 });
    populate(world);
    play(world, viewer, 3);
    // The whole view costs 20 x 320 + n x 160 bytes per second: 9000 are reached at 16 entities in the ring.
    for (let id = 115; id < 140; id++) world.interest.remove(id);
    world.update();
    expect(levelCounts(world, viewer)).toEqual([[0, 20]]);
    for (let id = 110; id < 115; id++) world.interest.remove(id);
    play(world, viewer, 1);
    expect(levelCounts(world, viewer)).toEqual([
      [0, 20],
      [1, 10],
    ]);
    for (let id = 110; id < 115; id++) world.interest.place(id, WORLD.minX + 15, WORLD.minY + 1);
    world.update();
    expect(levelCounts(world, viewer)).toEqual([
      [0, 20],
      [1, 15],
    ]);
  });

  test("learns how large states are, and does not swing", () => {
    const { world, viewer } = cornered({ cellM: 4, bytesPerSecond: 9000 });
    populate(world);
    // States of 4 bytes: all 60 entities need 3200 bytes per second.
    play(world, viewer, 6, 4);
    expect(levelCounts(world, viewer)).toEqual([
      [0, 20],
      [1, 40],
    ]);
    world.changes = 0;
    play(world, viewer, 6, 4);
    expect(world.changes).toBe(0);
  });
});

describe("a crowd", () => {
  test("above the limit loses the farthest ring first", () => {
    const { world, viewer } = cornered({ cellM: 4, maxEntities: 30 });
    crowd(world, 20);
    for (let id = 100; id < 140; id++) world.interest.place(id, WORLD.minX + 15, WORLD.minY + 1);
    world.update();
    expect(levelCounts(world, viewer)).toEqual([[0, 20]]);
    expect(viewer.list).toBeUndefined();
  });

  test("of 10,000 in one cell leaves the heaviest and nearest, found part by part, and stays so", () => {
    const { world, viewer } = cornered({ maxEntities: 50 });
    const random = seededRandom(1);
    const atM = new Map<number, number>();
    for (let id = 0; id < 10_000; id++) {
      const x = random.next() * 8;
      const isHeavy = id >= 9990;
      world.interest.place(id, WORLD.minX + x, WORLD.minY, isHeavy ? { weight: 10 } : {});
      atM.set(id, isHeavy ? -1 : x);
    }
    world.update(60);
    const best = [...atM].sort(([, a], [, b]) => a - b).map(([id]) => id);
    const seen = world.lists.get(viewer)!;
    expect(seen.size).toBe(50);
    // All heavy ones are in. What is in stays unless another one is better by a tenth, that is 1.1 m nearer.
    expect(best.slice(0, 10).every((id) => seen.has(id))).toBe(true);
    expect(Math.max(...Array.from(seen, (id) => atM.get(id)!))).toBeLessThan(1.2);
    expect(world.faults).toEqual([{ kind: "crowd", viewer: 7 }]);
    world.changes = 0;
    world.update(60);
    expect(world.changes).toBe(0);
  });

  test("that sways changes no list", () => {
    const { world } = cornered({ maxEntities: 50 });
    const random = seededRandom(2);
    const placesM = Array.from({ length: 100 }, () => 0.5 + random.next() * 7);
    for (const [id, x] of placesM.entries()) world.interest.place(id, WORLD.minX + x, WORLD.minY);
    world.update();
    world.changes = 0;
    for (let tick = 0; tick < 50; tick++) {
      for (const [id, x] of placesM.entries())
        world.interest.move(id, WORLD.minX + x + random.next() * 0.4, WORLD.minY);
      world.update();
    }
    expect(world.changes).toBe(0);
  });

  test("loses an entity that leaves the view, also where the rule leaves room for it", () => {
    const { world, viewer } = cornered({ maxEntities: 10, relevant: (_: number, id: number) => id < 3 });
    crowd(world, 100);
    // Each update looks at 40 candidates.
    world.update(3);
    expect(world.lists.get(viewer)).toEqual(new Set([0, 1, 2]));
    world.interest.move(1, FAR.x, FAR.y);
    world.update();
    expect(world.lists.get(viewer)).toEqual(new Set([0, 2]));
  });

  test("that has dissolved gives back whole cells", () => {
    const { world, viewer } = cornered({ maxEntities: 50 });
    crowd(world, 60);
    world.update();
    expect(viewer.list!.count).toBe(50);
    expect(world.levels.get(viewer)!.size).toBe(0);
    for (let id = 0; id < 13; id++) world.interest.remove(id);
    world.update();
    // 47 entities would fit, but not with a tenth to spare.
    expect(viewer.list!.count).toBe(47);
    for (let id = 13; id < 30; id++) world.interest.remove(id);
    world.update();
    expect(viewer.list).toBeUndefined();
    expect(world.reported(viewer).size).toBe(30);
  });

  test("is sent by weight, time waited and nearness within the budget; nobody starves", () => {
    const { world, viewer } = cornered({ maxEntities: 100, bytesPerSecond: 3200 });
    crowd(world, 100);
    world.interest.place(200, WORLD.minX, WORLD.minY, { weight: 5 });
    const sent = new Map<number, number>();
    const due = new Uint16Array(200);
    for (let tick = 0; tick < 20 * TICK_HZ; tick++) {
      world.update();
      const count = viewer.list!.due(world.tick, due);
      expect(count).toBeLessThanOrEqual(52);
      for (const id of due.subarray(0, count)) sent.set(id, (sent.get(id) ?? 0) + 1);
      viewer.spent(count * 16);
    }
    const inList = world.lists.get(viewer)!;
    const counts = Array.from(inList, (id) => sent.get(id) ?? 0);
    // 3200 bytes per second are 200 states of 16 bytes: two per second for each of a hundred.
    expect(Math.min(...counts)).toBeGreaterThan(20);
    expect(sent.get(200)!).toBeGreaterThan(2 * Math.min(...counts));
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(20 * 200 + 50);
  });
});

test("turns of a level come as often as it says, and not for all cells at one tick", () => {
  const { world } = cornered();
  const turns = Array.from({ length: 4 }, (_, tick) =>
    [0, 1, 2, 3].map((cell) => world.interest.isTurn(cell, 2, tick)),
  );
  for (const row of turns) expect(row.filter(Boolean)).toHaveLength(1);
  for (const cell of [0, 1, 2, 3]) expect(turns.filter((row) => row[cell])).toHaveLength(1);
});

test("a removed viewer has seen its cells for the last time, and a second removal does nothing", () => {
  const { world, viewer } = cornered();
  crowd(world, 3);
  world.update();
  expect(world.levels.get(viewer)!.size).toBeGreaterThan(0);
  world.removeViewer(viewer);
  world.interest.removeViewer(viewer);
  world.update();
});

test("an answer that does not fit is cut, and says how long it is", () => {
  const { world, viewer } = cornered();
  crowd(world, 5);
  viewer.bind(1);
  world.update();
  const ids = new Uint32Array(2);
  const levels = new Uint8Array(2).fill(UNSEEN);
  expect(world.interest.query(viewer, ids, levels)).toBe(5);
  expect(ids[0]).toBe(1);
  expect([...levels]).toEqual([0, 0]);
});

/** Returns the number of entities at each level. */
function levelCounts(world: InterestWorld, viewer: Viewer): [level: number, count: number][] {
  const counts = new Map<number, number>();
  for (const level of world.view(viewer).values()) counts.set(level, (counts.get(level) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}
