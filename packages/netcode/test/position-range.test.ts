import { describe, expect, test } from "vitest";
import { DEFAULT_CONVERGENCE, InterpolatedBody, RemoteBody, type BodyLayout } from "../src/index.js";
import { type ReckoningModel, newReckoner } from "../src/reckoning/reckoning-model.js";

// What a game reads is clamped once more. Here each part keeps to the range alone, since corrections and the
// sender's decisions begin where these parts end.

const RANGE = 100;
const LAYOUT: BodyLayout = {
  ...{ position: 0, dimensions: 2, velocity: 2, acceleration: 4, heading: 6, turnRate: 7 },
  positionRange: [-RANGE, RANGE],
};
const WIDTH = 8;
const TICK = 1 / 60;

/** A row at a place, with the same velocity and acceleration along both axes. */
const rowAt = (x: number, y: number, v = 0, a = 0): Float64Array => Float64Array.of(x, y, v, v, a, a, 0.7, 2);
const runaway: ReckoningModel = (row, seconds) => {
  row[0]! += 1000 * seconds;
  row[1]! -= 1000 * seconds;
};
const options = { layout: LAYOUT, convergence: DEFAULT_CONVERGENCE, extrapolationLimitMs: 500 };

/** The farthest coordinate of the positions that `show` writes in a second from `fromSeconds` on. */
function farthest(fromSeconds: number, show: (seconds: number, into: Float64Array) => unknown): number {
  const shown = new Float64Array(WIDTH);
  let most = 0;
  for (let tick = 0; tick < 60; tick++) {
    show(fromSeconds + tick * TICK, shown);
    most = Math.max(most, Math.abs(shown[0]!), Math.abs(shown[1]!));
  }
  return most;
}

describe("the position stays in the range of its field", () => {
  test.each(["velocity", "acceleration", "turn", "history"] as const)("in a prediction: %s", (model) => {
    const reckoner = newReckoner(LAYOUT, model);
    for (let tick = 0; tick < 4; tick++)
      reckoner.take(rowAt(92 + 2 * tick, 98, 120, 40), tick === 0 ? 0 : TICK);
    expect(farthest(0, (seconds, into) => reckoner.predict(seconds, into))).toBe(RANGE);
  });

  test("of a remote body whose model leaves it, and the next correction begins at the range", () => {
    const body = new RemoteBody({ ...options, reckoner: newReckoner(LAYOUT, runaway) }, WIDTH);
    body.receive(rowAt(99, -99), 1, 1);
    expect(farthest(1, (seconds, into) => body.show(seconds, into))).toBe(RANGE);
    // From where the model alone would be, it would jump: that is farther than a correction may be.
    body.receive(rowAt(95, -95), 2, 2);
    const shown = new Float64Array(WIDTH);
    body.show(2, shown);
    expect([shown[0], shown[1]]).toEqual([RANGE, -RANGE]);
  });

  test("of an interpolated body, whose cubic swings beyond its ends", () => {
    const body = new InterpolatedBody({ ...options, extrapolationLimitMs: 250 }, WIDTH);
    body.receive(rowAt(99, 99, 200), 1);
    body.receive(rowAt(99, 99, -200), 1.2);
    expect(farthest(1, (seconds, into) => body.show(Math.min(seconds, 1.2), into))).toBe(RANGE);
  });
});
