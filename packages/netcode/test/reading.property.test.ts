import { seededRandom } from "@paceline/testkit";
import { array, assert, constantFrom, integer, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_CONVERGENCE, RemoteBody, type BodyLayout, type MotionFault } from "../src/index.js";
import { newReckoner, type ReckoningModel } from "../src/reckoning/reckoning-model.js";
import { carPath } from "./car-path.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2, heading: 4, turnRate: 5 };
const WIDTH = 6;
const TICK_HZ = 60;
const SECONDS = 11;
const DRIFT: ReckoningModel = (state, seconds) => {
  state[0]! += state[2]! * seconds;
  state[1]! += state[3]! * seconds;
};
const MODELS: readonly ReckoningModel[] = ["hold", "velocity", "acceleration", "turn", "history", DRIFT];

interface Arrival {
  readonly atSeconds: number;
  readonly stateSeconds: number;
  readonly row: Float64Array;
}

function newBody(model: ReckoningModel, onFault?: (fault: MotionFault) => void): RemoteBody {
  const reckoner = newReckoner(LAYOUT, model);
  const options = { layout: LAYOUT, reckoner, convergence: DEFAULT_CONVERGENCE, extrapolationLimitMs: 500 };
  return new RemoteBody(onFault ? { ...options, onFault } : options, WIDTH);
}

/**
 * Returns 20 states per second of a winding drive. A fifth is lost; the rest arrives 30 to 90 ms late, not in
 * order.
 */
function arrivalsOf(seed: number): Arrival[] {
  const random = seededRandom(seed);
  const path = carPath(random, SECONDS * TICK_HZ);
  const arrivals: Arrival[] = [];
  for (let tick = 0; tick < path.length; tick += 3) {
    if (tick > 0 && random.next() < 0.2) continue;
    const { x, y, vx, vy, headingRad } = path[tick]!;
    const stateSeconds = tick / TICK_HZ;
    const atSeconds = stateSeconds + 0.03 + random.next() * 0.06;
    arrivals.push({ atSeconds, stateSeconds, row: Float64Array.of(x, y, vx, vy, headingRad, 0) });
  }
  return arrivals.sort((a, b) => a.atSeconds - b.atSeconds);
}

/** Returns the shown poses by frame, if the body is read only in these frames. */
function shownIn(frames: ReadonlySet<number>, model: ReckoningModel, seed: number): Map<number, number[]> {
  const body = newBody(model);
  const arrivals = arrivalsOf(seed);
  const into = new Float64Array(WIDTH);
  const shown = new Map<number, number[]>();
  let next = 0;
  for (let frame = 0; frame < SECONDS * TICK_HZ; frame++) {
    const nowSeconds = frame / TICK_HZ;
    for (; arrivals[next] && arrivals[next]!.atSeconds <= nowSeconds; next++) {
      const { row, stateSeconds, atSeconds } = arrivals[next]!;
      body.receive(row, stateSeconds, atSeconds);
    }
    if (frames.has(frame) && body.show(nowSeconds, into)) shown.set(frame, [...into]);
  }
  return shown;
}

function everyFrame(from: number, step: number): Set<number> {
  const frames = new Set<number>();
  for (let frame = from; frame < SECONDS * TICK_HZ; frame += step) frames.add(frame);
  return frames;
}

describe("the shown pose of a remote body does not depend on the number of reads", () => {
  const anyModel = constantFrom(...MODELS);
  const anySeed = integer({ min: 1, max: 1 << 30 });

  test("if it is read in every third frame, or with pauses of up to 16 states", () => {
    const pauses = array(integer({ min: 1, max: 40 }), { minLength: 40, maxLength: 60 });
    const check = property(anyModel, anySeed, pauses, (model, seed, waits) => {
      const all = shownIn(everyFrame(0, 1), model, seed);
      const some = new Set<number>();
      waits.reduce((frame, wait) => some.add(frame + wait) && frame + wait, 0);
      for (const frames of [some, everyFrame(0, 3)]) {
        for (const [frame, pose] of shownIn(frames, model, seed)) expect(pose).toEqual(all.get(frame));
      }
    });
    assert(check, { numRuns: 30 });
  });

  // With `hold`, each state of a moving entity is a correction, and a body that is read often lags behind by
  // many of them.
  const anyMovingModel = constantFrom(...MODELS.filter((model) => model !== "hold"));

  test("if it is first read after 10 s: to a millimetre", () => {
    const check = property(anyMovingModel, anySeed, (model, seed) => {
      const all = shownIn(everyFrame(0, 1), model, seed);
      const late = shownIn(everyFrame(10 * TICK_HZ, 1), model, seed);
      expect(late.size).toBe((SECONDS - 10) * TICK_HZ);
      for (const [frame, [x, y]] of late) {
        const [expectedX, expectedY] = all.get(frame)!;
        expect(Math.hypot(x! - expectedX!, y! - expectedY!)).toBeLessThan(0.001);
      }
    });
    assert(check, { numRuns: 30 });
  });

  test("and a correction after a jump is blended, even if the jump was never shown", () => {
    const [watched, unseen] = [newBody("velocity"), newBody("velocity")];
    const into = new Float64Array(WIDTH);
    const states = [
      [0, 0],
      [500, 0.1],
      [501, 0.2],
    ] as const;
    for (const [x, seconds] of states) {
      for (const body of [watched, unseen]) {
        const row = Float64Array.of(x, 0, 5, 0, 0, 0);
        body.receive(row, seconds, seconds, x === 500);
      }
      watched.show(seconds, into);
    }
    const late = new Float64Array(WIDTH);
    for (const seconds of [0.21, 0.25, 0.4]) {
      watched.show(seconds, into);
      unseen.show(seconds, late);
      expect([...late]).toEqual([...into]);
    }
  });
});
