import { assert, double, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { Convergence, DEFAULT_CONVERGENCE, type BodyLayout } from "../src/index.js";
import { RATE_SECONDS } from "../src/convergence/convergence.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, heading: 2 };
const coordinate = double({ min: -4, max: 4, noNaN: true });
const speed = double({ min: -20, max: 20, noNaN: true });

function moving(x: number, y: number, vx: number, vy: number): { now: Float64Array; soon: Float64Array } {
  return {
    now: Float64Array.of(x, y, 0),
    soon: Float64Array.of(x + vx * RATE_SECONDS, y + vy * RATE_SECONDS, 0),
  };
}

describe("convergence", () => {
  test("starts at the shown pose and ends at the corrected pose", () => {
    assert(
      property(coordinate, coordinate, speed, speed, (x, y, vx, vy) => {
        const convergence = new Convergence(LAYOUT, DEFAULT_CONVERGENCE);
        convergence.begin(moving(x, y, vx, vy), moving(0, 0, 0, 0), 10);
        const first = Float64Array.of(0, 0, 0);
        convergence.apply(first, 10);
        expect(first[0]).toBeCloseTo(x, 9);
        expect(first[1]).toBeCloseTo(y, 9);
        const last = Float64Array.of(0, 0, 0);
        convergence.apply(last, 12);
        expect([...last]).toEqual([0, 0, 0]);
        // If the clock runs backwards, the correction must not grow.
        const before = Float64Array.of(0, 0, 0);
        convergence.apply(before, 5);
        expect(Math.abs(before[0]!)).toBeLessThanOrEqual(Math.abs(x) + 1e-9);
      }),
    );
  });

  test("a far correction is a jump", () => {
    const convergence = new Convergence(LAYOUT, DEFAULT_CONVERGENCE);
    convergence.begin(moving(50, 0, 0, 0), moving(0, 0, 0, 0), 0);
    const pose = Float64Array.of(1, 2, 3);
    convergence.apply(pose, 0);
    expect([...pose]).toEqual([1, 2, 3]);
  });

  test("a correction moves less than 0.3 m per frame at any speed", () => {
    const distance = double({ min: 0.01, max: 9.9, noNaN: true });
    const anySpeed = double({ min: -80, max: 80, noNaN: true });
    assert(
      property(distance, anySpeed, (metres, speedMps) => {
        const convergence = new Convergence(LAYOUT, DEFAULT_CONVERGENCE);
        convergence.begin(moving(metres, 0, speedMps, 0), moving(0, 0, 0, 0), 0);
        let last = metres;
        for (let frame = 1; frame <= 120; frame++) {
          const pose = Float64Array.of(0, 0, 0);
          convergence.apply(pose, frame / 60);
          expect(Math.abs(last - pose[0]!)).toBeLessThan(0.3);
          last = pose[0]!;
        }
        expect(last).toBe(0);
      }),
    );
  });

  test("frequent corrections reach the corrected pose", () => {
    const convergence = new Convergence(LAYOUT, DEFAULT_CONVERGENCE);
    let shown = 8;
    convergence.begin(moving(8, 0, 0, 0), moving(0, 0, 0, 0), 0);
    for (let frame = 1; frame <= 240; frame++) {
      const seconds = frame / 60;
      const pose = Float64Array.of(0, 0, 0);
      convergence.apply(pose, seconds);
      shown = pose[0]!;
      const soon = Float64Array.of(0, 0, 0);
      convergence.apply(soon, seconds + RATE_SECONDS);
      if (frame % 4 === 0) convergence.begin({ now: pose, soon }, moving(0, 0, 0, 0), seconds);
    }
    expect(Math.abs(shown)).toBeLessThan(0.02);
  });
});
