import { expect, test } from "vitest";
import { FailOvers, SETTLE_MS, type FailOver, type SeenRival } from "../src/game/fail-over.js";

const FRAME_MS = 16;
const SPEED_M_PER_MS = 0.03;

interface Drive {
  readonly path: (atMs: number) => SeenRival["path"];
  /** Offset from a straight line driven at constant speed, m. */
  readonly offM?: (atMs: number) => number;
  /** Moments at which new states come in. */
  readonly isNews: (atMs: number) => boolean;
  readonly killedAtMs?: number;
  readonly isInPicture?: (atMs: number) => boolean;
}

/** Returns what was told of the path to one rival in 6 s. */
function watch({ path, offM = () => 0, isNews, killedAtMs, isInPicture = () => true }: Drive): FailOver[] {
  const told: FailOver[] = [];
  const failOvers = new FailOvers((failOver) => told.push(failOver));
  let newsMs = 0;
  for (let atMs = 0; atMs < 6000; atMs += FRAME_MS) {
    if (killedAtMs !== undefined && atMs - FRAME_MS < killedAtMs && killedAtMs <= atMs) {
      failOvers.killed("a", killedAtMs);
    }
    if (isNews(atMs)) newsMs = atMs;
    failOvers.frame(atMs, [
      {
        id: "a",
        name: "Vela",
        isComputer: true,
        path: path(atMs),
        x: atMs * SPEED_M_PER_MS,
        y: offM(atMs),
        isInPicture: isInPicture(atMs),
        ageMs: atMs - newsMs,
      },
    ]);
  }
  return told;
}

test("a killed path is reported at once, then with the measured time, the largest step, and its return", () => {
  const told = watch({
    killedAtMs: 2993,
    path: (atMs) => (atMs < 3000 || atMs > 5500 ? "direct" : "relay"),
    isNews: (atMs) => atMs < 2900 || atMs >= 3200,
    // A jump of 30 cm in the frame at 3200 ms, one of 10 cm long before.
    offM: (atMs) => (atMs >= 3200 ? 0.4 : atMs >= 1600 ? 0.1 : 0),
  });
  expect(told.map(({ tookMs, steps }) => [tookMs !== undefined, steps !== undefined])).toEqual([
    [false, false],
    [true, false],
    [true, true],
    [true, true],
  ]);
  const last = told[3]!;
  expect(last).toMatchObject({ lost: "direct", took: "relay", rival: { name: "Vela" } });
  expect(last.tookMs).toBeCloseTo(3200 - 2993, 6);
  expect(last.steps!.largestM).toBeCloseTo(0.3, 6);
  expect(last.steps!.usualM).toBeCloseTo(0.1, 6);
  expect(told.map(({ back }) => back?.path)).toEqual([undefined, undefined, undefined, "direct"]);
  expect(last.back!.afterMs).toBeGreaterThan(2500);
});

test("a path that is back before the car was measured is told once, and the largest step follows", () => {
  const told = watch({
    killedAtMs: 2993,
    path: (atMs) => (atMs < 3000 || atMs > 3500 ? "direct" : "relay"),
    isNews: () => true,
  });
  expect(told.map(({ back, steps }) => [back !== undefined, steps !== undefined])).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, true],
  ]);
});

test("only steps in the picture count as seen; a car outside of it has steps that nobody saw", () => {
  const jump = {
    path: (atMs: number) => (atMs < 3000 ? ("direct" as const) : ("relay" as const)),
    isNews: () => true,
    offM: (atMs: number) => (atMs >= 3200 ? 0.4 : 0),
  };
  const steps = (isInPicture: (atMs: number) => boolean) => watch({ ...jump, isInPicture }).at(-1)!.steps!;
  expect(steps(() => true)).toMatchObject({ wasSeen: true, largestM: expect.closeTo(0.4, 6) });
  // The car leaves the picture before it jumps.
  expect(steps((atMs) => atMs < 3100)).toMatchObject({ wasSeen: true, largestM: expect.closeTo(0, 6) });
  expect(steps(() => false)).toMatchObject({ wasSeen: false, largestM: expect.closeTo(0.4, 6) });
});

test("a jump after the car has settled does not count for the path", () => {
  const settledMs = 3200 + SETTLE_MS;
  const told = watch({
    path: (atMs) => (atMs < 3000 ? "direct" : "relay"),
    isNews: () => true,
    offM: (atMs) => (atMs >= settledMs + 100 ? 5 : 0),
  });
  expect(told.at(-1)!.steps!.largestM).toBeCloseTo(0, 6);
});

test("a car that was put on the grid has not jumped", () => {
  const told: FailOver[] = [];
  const failOvers = new FailOvers((failOver) => told.push(failOver));
  const rival = { id: "a", name: "Vela", isComputer: true, y: 0, ageMs: 0, isInPicture: true } as const;
  for (let atMs = 0; atMs < 4000; atMs += FRAME_MS) {
    if (atMs === 62 * FRAME_MS) failOvers.forgetSteps();
    const path = atMs < 2000 ? "direct" : "relay";
    failOvers.frame(atMs, [{ ...rival, path, x: atMs < 50 * FRAME_MS ? 0 : 10 }]);
  }
  expect(told.at(-1)!.steps!.usualM).toBe(0);
});

test("a better path and a rival that leaves are no fail-over", () => {
  const told: FailOver[] = [];
  const failOvers = new FailOvers((failOver) => told.push(failOver));
  const rival = {
    id: "a",
    name: "Vela",
    isComputer: false,
    x: 0,
    y: 0,
    ageMs: 10,
    isInPicture: true,
  } as const;
  failOvers.frame(0, [{ ...rival, path: "relay" }]);
  failOvers.frame(16, [{ ...rival, path: "direct" }]);
  failOvers.frame(32, []);
  failOvers.frame(48, [{ ...rival, path: "relay" }]);
  expect(told).toEqual([]);
});
