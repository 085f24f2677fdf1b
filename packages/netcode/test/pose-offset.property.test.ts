import { assert, double, property, tuple } from "fast-check";
import { expect, test } from "vitest";
import { addToPose, orientationErrorRad, subtractPose } from "../src/body/pose.js";
import { wrapAngle, type BodyLayout } from "../src/index.js";

const component = double({ min: -3, max: 3, noNaN: true });
const pose = tuple(component, component, component, component);

test("the difference of two poses, added to one, gives the other", () => {
  const layout: BodyLayout = { position: 0, dimensions: 3, heading: 3 };
  assert(
    property(pose, pose, (first, second) => {
      const a = Float64Array.from(first);
      const b = Float64Array.from(second);
      const offset = new Float64Array(4);
      subtractPose(layout, a, b, offset);
      addToPose(layout, b, offset);
      for (let axis = 0; axis < 3; axis++) expect(b[axis]).toBeCloseTo(a[axis]!, 9);
      expect(wrapAngle(b[3]! - a[3]!)).toBeCloseTo(0, 9);
    }),
  );
});

test("the angle between two orientations is the same whatever the signs of their quaternions", () => {
  const half = Math.sin(Math.PI / 8);
  const turned = Float64Array.of(0, 0, half, Math.cos(Math.PI / 8));
  const opposite = turned.map((part) => -part);
  for (const one of [turned, opposite])
    expect(orientationErrorRad(one, Float64Array.of(0, 0, 0, 1), 0)).toBeCloseTo(Math.PI / 4, 9);
});
