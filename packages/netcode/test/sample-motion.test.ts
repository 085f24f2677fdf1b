import { angle, defineEntity, flag, vec2 } from "@paceline/protocol";
import { expect, test } from "vitest";
import { noteWritten, sampleMotion, type WrittenBefore } from "../src/replica/sample-motion.js";

const fields = {
  position: vec2({ range: [-100, 100], precision: 0.01 }),
  heading: angle({ precision: 0.001, unit: "rad" }),
  isLit: flag(),
};
const Car = defineEntity("car", fields, { motion: "velocity" });
const Sign = defineEntity("sign", fields, { motion: "hold" });
const width = Car.components.length;
const at = { x: 0, y: 1, heading: Car.motionLayout!.heading!, isLit: Car.offsets.isLit! };

function row(x: number, y: number, heading = 0, isLit = 0): Float32Array {
  const values = new Float32Array(width);
  values[at.x] = x;
  values[at.y] = y;
  values[at.heading] = heading;
  values[at.isLit] = isLit;
  return values;
}

/** Samples after writes at 0, 10, 20 ms and so on. The last row is the current write. */
function sampled(rows: readonly Float32Array[], share: number, definition = Car): Float32Array {
  const before: WrittenBefore = { row: rows[0]!.slice(), rates: new Float64Array(width) };
  for (const each of rows.slice(1, -1)) noteWritten(definition, before, each, 10);
  const into = new Float32Array(width);
  sampleMotion(definition, before, rows.at(-1)!, { share, sinceMs: 10 }, into);
  return into;
}

test("interpolates between two writes, angles the short way", () => {
  const into = sampled([row(0, 0, 3), row(2, -4, -3)], 0.25);
  expect([into[at.x], into[at.y]]).toEqual([0.5, -1]);
  expect(into[at.heading]).toBeCloseTo(3 + (2 * Math.PI - 6) / 4, 5);
});

test("continues straight ahead of the last write", () => {
  const into = sampled([row(0, 0, 0), row(1, 2, 0.1), row(2, 4, 0.2)], 1.5);
  expect([into[at.x], into[at.y]]).toEqual([2.5, 5]);
  expect(into[at.heading]).toBeCloseTo(0.25, 5);
});

test.each([
  ["a jump", [row(0, 0), row(1, 0), row(90, 0)], 90.5],
  ["a stop", [row(0, 0), row(1, 0), row(1, 0)], 1],
  ["an impact", [row(0, 0), row(1, 0), row(0, 0)], 0],
  ["a first movement, of which nobody knows whether it goes on", [row(0, 0), row(1, 0)], 1],
])("does not continue %s", (_what, rows, expected) => {
  expect(sampled(rows, 1.5)[at.x]).toBeCloseTo(expected, 5);
});

test("clamps to the range of the field", () => {
  expect(sampled([row(80, 0), row(90, 0), row(99, 0)], 2)[at.x]).toBe(100);
});

test("takes other fields, and all fields of a kind with motion hold, from the current write", () => {
  expect(sampled([row(0, 0, 0, 0), row(1, 0, 0, 1)], 0.1)[at.isLit]).toBe(1);
  expect(Array.from(sampled([row(0, 0), row(1, 1, 1, 1)], 0.5, Sign).slice(0, 4))).toEqual(
    Array.from(row(1, 1, 1, 1).slice(0, 4)),
  );
});
