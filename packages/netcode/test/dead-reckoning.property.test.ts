import { extrapolate, fieldError, wrapAngle } from "@paceline/netcode";
import { assert, double, property, record } from "fast-check";
import { expect, test } from "vitest";
import { Car, Drone, Ship, Sign } from "./definitions.js";

const within = (max: number) => double({ min: -max, max, noNaN: true });
const motion = record({
  x: within(500),
  y: within(500),
  vx: within(100),
  vy: within(100),
  heading: within(3),
  turnRate: within(10),
  seconds: double({ min: 0, max: 4, noNaN: true }),
});

test("constant velocity and constant turn are continued exactly (to Float32)", () => {
  assert(
    property(motion, ({ x, y, vx, vy, heading, turnRate, seconds }) => {
      const from = Float32Array.of(x, y, heading, vx, vy, turnRate);
      const into = new Float32Array(6);
      extrapolate(Ship, from, seconds, into);
      expect(Math.abs(into[0]! - (x + vx * seconds))).toBeLessThan(1e-3);
      expect(Math.abs(into[1]! - (y + vy * seconds))).toBeLessThan(1e-3);
      const turned = Math.abs(wrapAngle(into[2]! - (heading + turnRate * seconds)));
      expect(turned).toBeLessThan(1e-4);
      // Nothing else moves.
      expect([...into.slice(3)]).toEqual([...from.slice(3)]);
    }),
  );
});

test("a position never leaves its range, and going in steps ends where one step does", () => {
  assert(
    property(motion, within(1e6), ({ x, y, seconds }, speed) => {
      const from = Float32Array.of(x, y, 0, speed, -speed, 0);
      const once = new Float32Array(6);
      extrapolate(Ship, from, seconds, once);
      for (const axis of [once[0]!, once[1]!]) expect(Math.abs(axis)).toBeLessThanOrEqual(1000);
      // In place.
      extrapolate(Ship, from, seconds / 2, from);
      extrapolate(Ship, from, seconds / 2, from);
      expect(from[0]).toBeCloseTo(once[0]!, 1);
    }),
  );
});

test("three dimensions move alike; a game's own velocity is used; what does not move holds", () => {
  const drone = new Float32Array(6);
  extrapolate(Drone, Float32Array.of(1, 2, 3, 10, 20, 30), 0.5, drone);
  expect([...drone.slice(0, 3)]).toEqual([6, 12, 18]);
  const car = new Float32Array(9);
  extrapolate(Car, Float32Array.of(1, 2, 10, -10, 0, 0.5, 3, 1, 2), 0.25, car);
  expect([...car]).toEqual([3.5, -0.5, 10, -10, 0.5, 0.5, 3, 1, 2]);
  const sign = Float32Array.of(1, 2, 3, 4, 1);
  const held = new Float32Array(5);
  extrapolate(Sign, sign, 100, held);
  expect(held).toEqual(sign);
});

test("an error is measured along the diagonal of a vector and around an angle", () => {
  const a = Float32Array.of(0, 0, 0, 0, 3.1, 0.5, 2, 1, 0);
  const b = Float32Array.of(3, 4, 0, 5, -3.1, -0.25, 5, 0, 0);
  expect(fieldError(Car, "position", a, b)).toBe(5);
  expect(fieldError(Car, "velocity", a, b)).toBe(5);
  expect(fieldError(Car, "heading", a, b)).toBeCloseTo(2 * Math.PI - 6.2, 5);
  expect(fieldError(Car, "steering", a, b)).toBe(0.75);
  expect(fieldError(Car, "gear", a, b)).toBe(3);
  expect(fieldError(Car, "braking", a, b)).toBe(1);
  expect(fieldError(Drone, "position", Float32Array.of(1, 2, 2), new Float32Array(3))).toBe(3);
});
