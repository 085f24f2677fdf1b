import { describe, expect, test } from "vitest";
import { Kinematics, newReckoner, type BodyLayout, type Reckoner } from "../src/index.js";
import { thresholdFactor } from "../src/replica/receiver-replication.js";
import type { ReckoningModel } from "../src/reckoning/reckoning-model.js";

const LAYOUT: BodyLayout = {
  position: 0,
  dimensions: 2,
  velocity: 2,
  acceleration: 4,
  heading: 6,
  turnRate: 7,
};

function predicted(reckoner: Reckoner, seconds: number, width = 8): number[] {
  const row = new Float64Array(width);
  reckoner.predict(seconds, row);
  return [...row];
}

function reckonerAt(model: ReckoningModel, state: readonly number[]): Reckoner {
  const reckoner = newReckoner(LAYOUT, model);
  reckoner.take(Float64Array.from(state), 0);
  return reckoner;
}

describe("dead reckoning models", () => {
  const state = [1, 2, 10, 0, 0, 4, 0.5, 0.2];

  test("hold stays (DIS 1)", () => {
    expect(predicted(reckonerAt("hold", state), 0.5)).toEqual(state);
  });

  test("velocity goes straight on and turns (DIS 3)", () => {
    const [x, y, , , , , heading] = predicted(reckonerAt("velocity", state), 0.5);
    expect([x, y, heading]).toEqual([6, 2, 0.6]);
  });

  test("acceleration follows a parabola (DIS 4)", () => {
    const [x, y, vx, vy] = predicted(reckonerAt("acceleration", state), 0.5);
    expect([x, y, vx, vy]).toEqual([6, 2.5, 10, 2]);
  });

  test("turn drives a circle when the acceleration is across (DIS 8)", () => {
    const radius = 100 / 4;
    for (const seconds of [0.1, 0.5, 1, 2]) {
      const [x, y, vx, vy] = predicted(reckonerAt("turn", state), seconds);
      expect(Math.hypot(x! - 1, y! - (2 + radius))).toBeCloseTo(radius, 6);
      expect(Math.hypot(vx!, vy!)).toBeCloseTo(10, 6);
    }
  });

  test("turn without an acceleration bends the path by the heading's turn rate", () => {
    const { acceleration: _, ...layout } = LAYOUT;
    for (const turnRate of [0.5, -0.5]) {
      const reckoner = newReckoner(layout, "turn");
      reckoner.take(Float64Array.of(0, 0, 10, 0, 0, 0, 0, turnRate), 0);
      const [x, y, vx, vy, , , heading] = predicted(reckoner, 1);
      expect(Math.hypot(x!, y! - 10 / turnRate)).toBeCloseTo(20, 6);
      expect(Math.atan2(vy!, vx!)).toBeCloseTo(heading!, 9);
    }
  });

  test("turn fades a change of speed, and never drives backwards", () => {
    const braking = [0, 0, 10, 0, -50, 0, 0, 0];
    const [x, , vx] = predicted(reckonerAt("turn", braking), 5);
    expect(vx).toBe(0);
    expect(x).toBeGreaterThanOrEqual(0);
  });

  test("history finds velocity and curve from positions alone", () => {
    const reckoner = newReckoner(LAYOUT, "history");
    const at = (t: number): Float64Array => Float64Array.of(10 * t, 2 * t * t, 0, 0, 0, 0, 0.3 * t, 0);
    reckoner.take(at(0), 0);
    reckoner.take(at(0.1), 0.1);
    reckoner.take(at(0.25), 0.15);
    const [x, y, , , , , heading] = predicted(reckoner, 0.2);
    expect(x).toBeCloseTo(4.5, 9);
    expect(y).toBeCloseTo(2 * 0.45 ** 2, 9);
    expect(heading).toBeCloseTo(0.3 * 0.45, 9);
  });

  test("a model of the game takes whole steps and a rest, for any order of times", () => {
    let steps = 0;
    const model = (row: Float64Array | Float32Array, seconds: number): void => {
      steps += 1;
      row[2]! += row[4]! * seconds;
      row[0]! += row[2]! * seconds;
    };
    const reckoner = reckonerAt(model, [0, 0, 0, 0, 10, 0, 0, 0]);
    const [first, later] = [predicted(reckoner, 2.5 / 60), predicted(reckoner, 5.5 / 60)];
    // The speeds are 10, 20 and 25 sixtieths.
    expect(first[0]).toBeCloseTo((10 + 20 + 25 / 2) / 3600, 9);
    expect(later[0]).toBeGreaterThan(first[0]!);
    const stepsSoFar = steps;
    expect(predicted(reckoner, 5.5 / 60)).toEqual(later);
    // The reckoner keeps the state after whole steps.
    expect(steps - stepsSoFar).toBe(1);
    expect(predicted(reckoner, 2.5 / 60)).toEqual(first);
    // After sixty steps it holds.
    expect(predicted(reckoner, 2)).toEqual(predicted(reckoner, 1));
  });

  test("positions stay in their range", () => {
    const reckoner = newReckoner({ ...LAYOUT, positionRange: [-5, 5] }, "velocity");
    reckoner.take(Float64Array.from(state), 0);
    expect(predicted(reckoner, 2)[0]).toBe(5);
  });
});

describe("kinematics", () => {
  test("know nothing of the motion after a gap, so that what has stopped meanwhile stays where it is", () => {
    const kinematics = new Kinematics(LAYOUT, { isVelocityGiven: false });
    const row = Float64Array.from([0, 0, 0, 0, 0, 0, 0, 0]);
    kinematics.derive(row, 0, 1 / 60);
    row.set([1, 0.5], 0);
    row[6] = 1;
    kinematics.derive(row, 30, 1 / 60);
    expect([...row.slice(2, 4), row[7]]).toEqual([3, 1.5, 2]);
    // The next state comes after more than a second, from the same place.
    kinematics.derive(row, 100, 1 / 60);
    expect([...row.slice(2, 4), row[7]]).toEqual([0, 0, 0]);
    expect(predicted(reckonerAt("velocity", [...row]), 0.5).slice(0, 2)).toEqual([1, 0.5]);
  });

  test("derives velocity, acceleration and turn rate from poses", () => {
    const kinematics = new Kinematics(LAYOUT, { isVelocityGiven: false });
    const row = new Float64Array(8);
    for (let tick = 0; tick <= 10; tick++) {
      const t = tick / 60;
      row[0] = 3 * t + 4 * t * t;
      row[6] = 2 * t;
      kinematics.derive(row, tick, 1 / 60);
    }
    const t = 10 / 60;
    expect(row[2]).toBeCloseTo(3 + 8 * t, 6);
    expect(row[4]).toBeCloseTo(8, 6);
    expect(row[7]).toBeCloseTo(2, 6);
  });

  test("keeps a given velocity, and does not continue an impact", () => {
    const kinematics = new Kinematics(LAYOUT, { isVelocityGiven: true });
    const row = Float64Array.of(0, 0, 10, 0, 0, 0, 0, 0);
    kinematics.derive(row, 0, 1 / 60);
    row[2] = -10;
    kinematics.derive(row, 1, 1 / 60);
    expect(row[2]).toBe(-10);
    expect(row[4]).toBeCloseTo(-48, 6);
  });

  test("handles wrapped ticks, and restarts when time jumps", () => {
    const kinematics = new Kinematics(LAYOUT, { isVelocityGiven: false });
    const row = new Float64Array(8);
    for (const [index, tick] of [0xfffffffe, 0xffffffff, 0, 1].entries()) {
      row[0] = index;
      kinematics.derive(row, tick, 1 / 60);
    }
    expect(row[2]).toBeCloseTo(60, 6);
    row[0] = 500;
    kinematics.derive(row, 100_000, 1 / 60);
    expect(Number.isFinite(row[2])).toBe(true);
    expect(row[4]).toBe(0);
  });
});

describe("adaptive threshold", () => {
  test("grows with distance and with pressure, within limits", () => {
    expect(thresholdFactor(10, 0)).toBe(1);
    expect(thresholdFactor(100, 0)).toBe(2);
    expect(thresholdFactor(1e9, 0)).toBe(8);
    expect(thresholdFactor(10, 0.5)).toBe(1);
    expect(thresholdFactor(10, 1)).toBe(4);
    expect(thresholdFactor(NaN, 0)).toBe(1);
  });
});
