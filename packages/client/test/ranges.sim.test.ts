import { angle, defineEntity, scalar, vec2, type Entity, type NetError } from "@paceline/client";
import { asyncProperty, assert, double, oneof, tuple } from "fast-check";
import { expect, onTestFinished, test, vi, type MockInstance } from "vitest";
import { RelayStage } from "./relay-stage.js";

/** Bounds that are no 32-bit floats, and a range that is no multiple of its precision. */
const Probe = defineEntity("probe", {
  level: scalar({ range: [-0.1, 0.7], precision: 0.01 }),
  place: vec2({ range: [0.3, 800.1], precision: 0.25, unit: "px" }),
  turn: angle({ precision: 0.01, unit: "rad" }),
});

function warnings(): MockInstance<typeof console.warn> {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  return warn;
}

async function pair() {
  const stage = new RelayStage({ delayMs: 5 });
  const [a, b] = [await stage.join(), await stage.join()];
  return { stage, a, b };
}

test("whatever is written, owner and receiver have the same value, within the range", async () => {
  warnings();
  const { stage, a, b } = await pair();
  const mine = a.spawn(Probe);
  let seen: Entity<typeof Probe> | undefined;
  b.onSpawn(Probe, (probe) => (seen = probe));
  const any = oneof(double({ noNaN: true }), double({ min: -2, max: 1000, noNaN: true }));
  const direction = double({ min: -100, max: 100, noNaN: true });
  await assert(
    asyncProperty(tuple(any, any, any, direction), async ([level, x, y, turn]) => {
      mine.level = level;
      mine.place.set(x, y);
      mine.turn = turn;
      a.advance(stage.scheduler.nowMs());
      await stage.advance(400);
      expect(mine.level).toBe(Math.fround(Math.min(Math.max(level, -0.1), 0.7)));
      expect(mine.place.x).toBe(Math.fround(Math.min(Math.max(x, 0.3), 800.1)));
      expect(Math.abs(seen!.level - mine.level)).toBeLessThanOrEqual(0.0051);
      expect(Math.abs(seen!.place.x - mine.place.x)).toBeLessThanOrEqual(0.126);
      expect(Math.abs(seen!.place.y - mine.place.y)).toBeLessThanOrEqual(0.126);
      expect(Math.cos(seen!.turn - turn)).toBeGreaterThan(Math.cos(0.0051));
    }),
    { numRuns: 40 },
  );
  expect(b.drops.toRecord()).toEqual({});
});

test("a component that has changed by less than a step arrives, whatever the other components of its field do", async () => {
  const { stage, a, b } = await pair();
  const mine = a.spawn(Probe);
  let seen: Entity<typeof Probe> | undefined;
  b.onSpawn(Probe, (probe) => (seen = probe));
  for (const x of [0.3, 0.4559454692198599]) {
    mine.place.set(x, 0.3);
    a.advance(stage.scheduler.nowMs());
    await stage.advance(400);
  }
  expect(seen!.place.x).toBe(0.5);
});

test("a bullet off the screen stays at its edge; the game goes on and is warned once for each field", async () => {
  const warn = warnings();
  const { a } = await pair();
  const errors: NetError[] = [];
  a.onError((error) => errors.push(error));
  const bullet = a.spawn(Probe, { place: { x: 790, y: 10 } });
  for (let frame = 0; frame < 60; frame++) bullet.place.x += 5;
  expect(bullet.place.x).toBeCloseTo(800.1, 3);
  expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "entity/clamped: probe.place.x: 805 is out of 0.3 to 800.1 px, the nearest bound is written instead [entity/clamped]",
  ]);
  bullet.place.y = -1;
  a.spawn(Probe, { place: { x: 900, y: 10 }, level: 3 });
  expect(errors).toHaveLength(3);
  expect(warn.mock.calls.flat()).toEqual(errors.map(({ message }) => `paceline: ${message}`));
});
