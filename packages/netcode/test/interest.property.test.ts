import { assert, constantFrom, double, integer, option, property, record, type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { aura } from "../src/interest/aura.js";
import { hexagons } from "../src/interest/hexagons.js";
import { interestPlan, type InterestOptions } from "../src/interest/interest-options.js";
import type { InterestScheme } from "../src/interest/interest-scheme.js";
import { quadtree } from "../src/interest/quadtree.js";
import type { Viewer } from "../src/interest/viewer.js";
import { InterestWorld, WORLD, distanceM, drawnPlace, seededRandom, type Point } from "./interest-world.js";

const IDS = [
  0,
  1,
  2,
  255,
  256,
  4095,
  32_767,
  65_534,
  65_535,
  ...Array.from({ length: 30 }, (_, id) => 10 + id),
];

/** All schemes keep the same contract. `leastCellShare`: the smallest `cellM` of an outer radius. */
const schemes: readonly { name: string; scheme?: InterestScheme; leastCellShare: number }[] = [
  { name: "squares", leastCellShare: 0.07 },
  { name: "hexagons", scheme: hexagons(), leastCellShare: 0.07 },
  { name: "a quadtree", scheme: quadtree({ splitAt: 3 }), leastCellShare: 0.28 },
  { name: "an aura", scheme: aura({ media: { sight: {} } }), leastCellShare: 0.07 },
];

function optionsOf({ scheme, leastCellShare }: (typeof schemes)[number]): Arbitrary<InterestOptions> {
  return record({
    outerM: double({ min: 7, max: 150, noNaN: true }),
    innerShare: double({ min: 0.2, max: 0.9, noNaN: true }),
    cellShare: option(double({ min: leastCellShare, max: 3, noNaN: true }), { nil: undefined }),
  }).map(({ outerM, innerShare, cellShare }): InterestOptions => {
    const rings = [{ radiusM: Math.max(1, outerM * innerShare) }, { radiusM: outerM, everyTicks: 3 }];
    return { rings, scheme, ...(cellShare !== undefined && { cellM: outerM * cellShare }) };
  });
}

interface Watcher {
  readonly viewer: Viewer;
  /** The followed entity, or a point. */
  target: number | Point;
  place: Point | undefined;
}

/** A world in which anything may happen between two updates, and where everything in it truly is. */
class RandomWorld {
  readonly tested: InterestWorld;
  readonly places = new Map<number, Point>();
  readonly always = new Set<number>();
  readonly watchers: Watcher[] = [];
  readonly #random;

  constructor(options: InterestOptions, seed: number) {
    this.tested = new InterestWorld(options);
    this.#random = seededRandom(seed);
    for (let each = 0; each < 3; each++) this.#watch();
  }

  step(): void {
    const random = this.#random;
    for (let act = random.int(0, 40); act > 0; act--) this.#act(IDS[random.int(0, IDS.length - 1)]!);
    if (random.bool(0.1)) this.#watch();
    if (random.bool(0.1) && this.watchers.length > 1) this.tested.removeViewer(this.watchers.pop()!.viewer);
    for (const watcher of this.watchers) this.#look(watcher);
    this.tested.update();
    for (const watcher of this.watchers) {
      const { target } = watcher;
      watcher.place = typeof target === "number" ? (this.places.get(target) ?? watcher.place) : target;
    }
  }

  #act(id: number): void {
    const random = this.#random;
    const { interest } = this.tested;
    const place = this.places.get(id);
    if (!place) {
      const isAlways = random.bool(0.1);
      const at = drawnPlace(random);
      interest.place(id, at.x, at.y, { always: isAlways });
      this.places.set(id, at);
      if (isAlways) this.always.add(id);
    } else if (random.bool(0.15)) {
      interest.remove(id);
      this.places.delete(id);
      this.always.delete(id);
      this.#unfollow(id);
    } else {
      const isTeleport = random.bool(0.05);
      const at = isTeleport ? drawnPlace(random) : this.#near(place);
      interest.move(id, at.x, at.y);
      this.places.set(id, at);
    }
  }

  /** The viewpoint stays where the removed entity was at the last update. */
  #unfollow(id: number): void {
    for (const watcher of this.watchers) if (watcher.target === id) watcher.target = watcher.place ?? id;
  }

  #near({ x, y }: Point): Point {
    const at = { x: x + this.#random.normal(0, 5), y: y + this.#random.normal(0, 5) };
    return {
      x: Math.min(Math.max(at.x, WORLD.minX), WORLD.maxX),
      y: Math.min(Math.max(at.y, WORLD.minY), WORLD.maxY),
    };
  }

  #look(watcher: Watcher): void {
    const random = this.#random;
    if (random.bool(0.05)) {
      const target = drawnPlace(random);
      watcher.viewer.look(target.x, target.y);
      watcher.target = target;
    }
    const ids = [...this.places.keys()];
    if (ids.length === 0) return;
    if (random.bool(0.05)) {
      const target = ids[random.int(0, ids.length - 1)]!;
      watcher.viewer.follow(target);
      watcher.target = target;
    }
    if (random.bool(0.05)) watcher.viewer.bind(ids[random.int(0, ids.length - 1)]!);
  }

  #watch(): void {
    const target = drawnPlace(this.#random);
    const viewer = this.tested.addViewer(this.watchers.length);
    viewer.look(target.x, target.y);
    this.watchers.push({ viewer, target, place: undefined });
  }
}

describe.each(schemes)("$name against the distances of all pairs", (each) => {
  const optionsArbitrary = optionsOf(each);
  const isSquares = each.scheme === undefined;

  test("a view has all that is near, nothing that is far, and nothing twice, at every update", () => {
    let seen = 0;
    assert(
      property(optionsArbitrary, integer(), (options, seed) => {
        const world = new RandomWorld(options, seed);
        for (let step = 0; step < 30; step++) {
          world.step();
          for (const watcher of world.watchers) {
            const view = world.tested.view(watcher.viewer);
            seen += view.size;
            const wrong = [...world.places.keys()].filter(
              (id) => !isRight(world, options, watcher, id, view),
            );
            expect(wrong).toEqual([]);
            expect([...view.keys()].filter((id) => !world.places.has(id))).toEqual([]);
          }
        }
      }),
      { numRuns: isSquares ? 100 : 25 },
    );
    expect(seen).toBeGreaterThan(1000);
  });

  test("the reported changes alone make the same view", () => {
    assert(
      property(optionsArbitrary, integer(), (options, seed) => {
        const world = new RandomWorld(options, seed);
        for (let step = 0; step < 30; step++) {
          world.step();
          for (const { viewer } of world.watchers) {
            expect(sorted(world.tested.reported(viewer))).toEqual(sorted(world.tested.view(viewer)));
          }
        }
      }),
      { numRuns: isSquares ? 60 : 20 },
    );
  });

  test("a list of its own has all that is near and that the rule shows, and nothing else", () => {
    let hidden = 0;
    const relevant = (viewer: number, entity: number) => (viewer + entity) % 3 !== 0;
    assert(
      property(optionsArbitrary, integer(), (drawn, seed) => {
        const options = { ...drawn, relevant };
        const world = new RandomWorld(options, seed);
        for (let step = 0; step < 30; step++) {
          world.step();
          for (const watcher of world.watchers) {
            const { viewer } = watcher;
            const view = world.tested.view(viewer);
            const wrong = [...world.places.keys()].filter(
              (id) => !isRight(world, options, watcher, id, view),
            );
            expect(wrong).toEqual([]);
            expect(sorted(world.tested.reported(viewer))).toEqual(sorted(view));
            hidden += world.places.size - view.size;
          }
        }
      }),
      { numRuns: isSquares ? 60 : 10 },
    );
    expect(hidden).toBeGreaterThan(1000);
  });
});

/** Returns true if an entity has to be in a view at that level, or may be, by its distance and the game's word. */
function isRight(
  { places, always, tested }: RandomWorld,
  options: InterestOptions,
  { viewer, place }: Watcher,
  id: number,
  view: ReadonlyMap<number, number>,
): boolean {
  const { rings, relevant } = options;
  const level = view.get(id);
  if (viewer.bound.has(id)) return level === 0;
  if (relevant && !relevant(viewer.id, id)) return level === undefined;
  if (always.has(id)) return level === 0;
  const distance = distanceM(places.get(id)!, place!);
  const due = rings!.findIndex(({ radiusM }) => distance <= 0.9 * radiusM);
  if (level === undefined) return due < 0;
  const { marginM } = tested.interest;
  // The rings of an aura are those of its cells; what is in view at all is exact.
  const ringMarginM = marginM > 0 ? marginM : interestPlan(options, WORLD).marginM;
  const mayBe =
    distance <= rings![level]!.radiusM + ringMarginM + 1e-9 &&
    distance <= rings!.at(-1)!.radiusM + marginM + 1e-9;
  return mayBe && (due < 0 || level <= due);
}

describe("a quadtree", () => {
  test("splits in a crowd, so that little comes from beyond the radius, and merges when the crowd has gone", () => {
    const world = new InterestWorld({ radiusM: 40, scheme: quadtree({ splitAt: 20 }) });
    const viewer = world.addViewer();
    viewer.look(-60, -10);
    // A crowd in the four largest cells around (-20, 30), of which the nearest place is in view.
    for (let id = 0; id < 200; id++)
      world.interest.place(id, -58 + (id % 20) * 3.9, -8 + Math.floor(id / 20) * 7.9);
    world.update();
    const atOnce = world.view(viewer).size;
    const cells = new Set(world.cellOf.values()).size;
    world.update(3);
    expect(new Set(world.cellOf.values()).size).toBeGreaterThan(2 * cells);
    expect(world.view(viewer).size).toBeLessThan(0.8 * atOnce);
    expect(sorted(world.reported(viewer))).toEqual(sorted(world.view(viewer)));
    for (let id = 5; id < 200; id++) world.interest.remove(id);
    world.update(5);
    expect(new Set(world.cellOf.values()).size).toBeLessThanOrEqual(2);
    expect(sorted(world.reported(viewer))).toEqual(sorted(world.view(viewer)));
  });
});

describe("an aura", () => {
  const DIRECTION_STEPS = 16;

  interface Sense {
    readonly radiusM: number;
    readonly angleDeg: number;
  }

  const senseArbitrary = record({
    radiusM: double({ min: 5, max: 100, noNaN: true }),
    angleDeg: double({ min: 1, max: 360, noNaN: true }),
  });

  test("shows what is in the focus of a medium and whose nimbus reaches the viewer, and nothing else", () => {
    let seen = 0;
    let hidden = 0;
    assert(
      property(senseArbitrary, senseArbitrary, integer(), (sight, hearing, seed) => {
        const random = seededRandom(seed);
        let facing = 0;
        const media = { sight, hearing };
        const scheme = aura({ media, facing: () => facing });
        const world = new InterestWorld({ radiusM: 100, scheme });
        const nimbi = Array.from({ length: 40 }, () => {
          return { sight: random.next() * 120, hearing: random.next() * 120 };
        });
        const places = nimbi.map(() => drawnPlace(random));
        for (const [id, { x, y }] of places.entries())
          world.interest.place(id, x, y, { nimbusM: nimbi[id]! });
        const viewer = world.addViewer();
        for (let step = 0; step < 20; step++) {
          facing = (random.int(0, DIRECTION_STEPS) / DIRECTION_STEPS) * 20 - 10;
          const from = drawnPlace(random);
          viewer.look(from.x, from.y);
          world.update();
          const view = world.view(viewer);
          expect(sorted(world.reported(viewer))).toEqual(sorted(view));
          const wrong: number[] = [];
          for (const [id, place] of places.entries()) {
            const reaches = (share: number): boolean =>
              senses(media.sight, nimbi[id]!.sight, from, place, [facing, share]) ||
              senses(media.hearing, nimbi[id]!.hearing, from, place, [facing, share]);
            if (view.has(id) ? !reaches(1 + 1e-6) : reaches(0.9 - 1e-6)) wrong.push(id);
          }
          expect(wrong).toEqual([]);
          seen += view.size;
          hidden += places.length - view.size;
        }
      }),
      { numRuns: 30 },
    );
    expect(Math.min(seen, hidden)).toBeGreaterThan(150);
  });

  /** The definition, by the cosine of the angle. */
  function senses(
    { radiusM, angleDeg }: Sense,
    nimbusM: number,
    from: Point,
    to: Point,
    [facing, share]: readonly [number, number],
  ): boolean {
    const distance = distanceM(from, to);
    if (distance > radiusM * share || distance > nimbusM * share) return false;
    const halfAngle = (angleDeg / 360) * Math.PI * share;
    const ahead = (to.x - from.x) * Math.cos(facing) + (to.y - from.y) * Math.sin(facing);
    return halfAngle >= Math.PI || ahead >= distance * Math.cos(halfAngle) - 1e-9;
  }

  test("is not perceived by a viewer whose direction is not known, and that is counted", () => {
    const scheme = aura({ media: { sight: { angleDeg: 90 }, hearing: { radiusM: 20 } }, facing: () => NaN });
    const world = new InterestWorld({ radiusM: 100, scheme });
    world.interest.place(1, 30, 0);
    world.interest.place(2, 10, 0);
    const viewer = world.addViewer(3);
    viewer.look(0, 0);
    world.update();
    expect([...world.view(viewer).keys()]).toEqual([2]);
    expect(world.interest.faults.rule).toBe(1);
    expect(world.faults[0]).toMatchObject({ kind: "rule", viewer: 3 });
    expect(String(world.faults[0]!.error)).toContain("aura.facing: expected a finite number (rad), got NaN");
  });
});

describe("nothing flickers", () => {
  const CELLS = constantFrom(undefined, 10, 25);

  test.each(schemes)("while entities and viewers sway by less than a border: $name", ({ scheme }) => {
    assert(
      property(CELLS, integer(), (drawnCellM, seed) => {
        const cellM = scheme?.name === "quadtree" ? 30 : (drawnCellM ?? 25);
        const world = new InterestWorld({ radiusM: 50, cellM, scheme });
        const borderM = (cellM / 10) * (scheme?.parts.finestShare ?? 1);
        // An aura is exact: its border is the tenth between both radii.
        const swayM = scheme?.name === "aura" ? 0 : borderM * 0.49;
        expect(changesOfSwaying(world, seed, swayM)).toBe(0);
      }),
      { numRuns: scheme ? 10 : 50 },
    );
  });

  test("while viewers sway by less than the distance between both radii", () => {
    assert(
      property(CELLS, integer(), (cellM, seed) => {
        // The inner ring is 25 m: its radii are 2.5 m apart.
        const world = new InterestWorld({ radiusM: 50, ...(cellM && { cellM }) });
        const random = seededRandom(seed);
        const changes = new Map<string, number>();
        const viewer = world.addViewer();
        const centre = drawnPlace(random);
        for (let step = 0; step < 200; step++) {
          const angle = random.next() * 2 * Math.PI;
          viewer.look(centre.x + 1.2 * Math.cos(angle), centre.y + 1.2 * Math.sin(angle));
          const before = new Map(world.levels.get(viewer));
          world.update();
          const after = world.levels.get(viewer)!;
          for (const cell of new Set([...before.keys(), ...after.keys()])) {
            if (step === 0 || before.get(cell) === after.get(cell)) continue;
            const key = String(cell);
            changes.set(key, (changes.get(key) ?? 0) + 1);
          }
        }
        for (const count of changes.values()) expect(count).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });
});

/** Returns the changes after the first update, while all sway by up to `swayM` around where they began. */
function changesOfSwaying(world: InterestWorld, seed: number, swayM: number): number {
  const random = seededRandom(seed);
  const centres = Array.from({ length: 40 }, () => drawnPlace(random));
  const viewers = centres.slice(0, 5).map((_, id) => world.addViewer(id));
  for (const [id, { x, y }] of centres.entries()) world.interest.place(id, x, y);
  for (const [id, viewer] of viewers.entries()) viewer.follow(id);
  // A quadtree splits by one level at a time.
  world.update(4);
  world.changes = 0;
  for (let step = 0; step < 50; step++) {
    for (const [id, { x, y }] of centres.entries()) {
      const angle = random.next() * 2 * Math.PI;
      world.interest.move(id, x + swayM * Math.cos(angle), y + swayM * Math.sin(angle));
    }
    world.update();
  }
  return world.changes;
}

function sorted(view: ReadonlyMap<number, number>): [number, number][] {
  return [...view].sort(([a], [b]) => a - b);
}
