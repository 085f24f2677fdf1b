import { angleDifference } from "../src/body/pose.js";
import { wrapAngle } from "@paceline/netcode";
import { assert, double, integer, property } from "fast-check";
import { expect, test } from "vitest";

const direction = double({ min: -1e4, max: 1e4, noNaN: true });
const TURN = 2 * Math.PI;

test("any angle is wrapped into [-pi, pi) and keeps its direction", () => {
  assert(
    property(direction, (angleRad) => {
      const wrapped = wrapAngle(angleRad);
      expect(wrapped).toBeGreaterThanOrEqual(-Math.PI);
      expect(wrapped).toBeLessThan(Math.PI);
      expect(Math.cos(wrapped)).toBeCloseTo(Math.cos(angleRad), 9);
      expect(Math.sin(wrapped)).toBeCloseTo(Math.sin(angleRad), 9);
    }),
  );
});

test("an angle in the range is unchanged, whole turns change nothing, pi itself becomes -pi", () => {
  expect(wrapAngle(1.25)).toBe(1.25);
  expect(wrapAngle(-Math.PI)).toBe(-Math.PI);
  expect(wrapAngle(Math.PI)).toBe(-Math.PI);
  // Just below -pi, the sum would round up to pi.
  expect(wrapAngle(-Math.PI - Number.EPSILON * 2)).toBeLessThan(Math.PI);
  assert(
    property(
      double({ min: -3, max: 3, noNaN: true }),
      integer({ min: -100, max: 100 }),
      (angleRad, turns) => {
        expect(wrapAngle(angleRad + turns * TURN)).toBeCloseTo(angleRad, 9);
      },
    ),
  );
});

test("a difference is the shortest turn from one angle to the other", () => {
  expect(angleDifference(-3, 3)).toBeCloseTo(TURN - 6, 12);
  expect(angleDifference(3, -3)).toBeCloseTo(6 - TURN, 12);
  assert(
    property(direction, direction, (a, b) => {
      const difference = angleDifference(a, b);
      expect(Math.abs(difference)).toBeLessThanOrEqual(Math.PI);
      expect(Math.cos(b + difference)).toBeCloseTo(Math.cos(a), 8);
      expect(Math.sin(b + difference)).toBeCloseTo(Math.sin(a), 8);
    }),
  );
});
