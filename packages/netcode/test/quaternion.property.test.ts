import { assert, double, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addToPose,
  orientationErrorRad,
  rotate,
  rotationBetween,
  slerp,
  subtractPose,
  type BodyLayout,
} from "../src/index.js";

const component = double({ min: -3, max: 3, noNaN: true });
const rotation = tuple(component, component, component);
const IDENTITY = Float64Array.of(0, 0, 0, 1);

function turned(by: readonly [number, number, number]): Float64Array {
  const q = Float64Array.from(IDENTITY);
  rotate(q, 0, by, q);
  return q;
}

describe("quaternions", () => {
  test("the rotation between two orientations turns one into the other, the short way", () => {
    assert(
      property(rotation, rotation, (first, second) => {
        const a = turned(first);
        const b = turned(second);
        const between = new Float64Array(3);
        rotationBetween(a, b, 0, between);
        expect(Math.hypot(...between)).toBeLessThanOrEqual(Math.PI + 1e-9);
        const [x, y, z] = between as unknown as [number, number, number];
        const back = new Float64Array(4);
        rotate(b, 0, [x, y, z], back);
        expect(orientationErrorRad(back, a, 0)).toBeLessThan(1e-6);
      }),
    );
  });

  test("slerp turns at a constant rate from the first orientation to the second", () => {
    assert(
      property(rotation, rotation, double({ min: 0, max: 1, noNaN: true }), (first, second, share) => {
        const a = turned(first);
        const b = turned(second);
        const whole = orientationErrorRad(a, b, 0);
        const between = new Float64Array(4);
        slerp(a, b, 0, share, between);
        expect(Math.hypot(...between)).toBeCloseTo(1, 9);
        expect(orientationErrorRad(a, between, 0)).toBeCloseTo(whole * share, 5);
      }),
    );
  });

  test("the difference of two poses, added to one, gives the other", () => {
    const layout: BodyLayout = { position: 0, dimensions: 3, orientation: 3 };
    assert(
      property(rotation, rotation, rotation, rotation, (p1, r1, p2, r2) => {
        const a = Float64Array.of(...p1, ...turned(r1));
        const b = Float64Array.of(...p2, ...turned(r2));
        const offset = new Float64Array(6);
        subtractPose(layout, a, b, offset);
        addToPose(layout, b, offset);
        for (let axis = 0; axis < 3; axis++) expect(b[axis]).toBeCloseTo(a[axis]!, 9);
        expect(orientationErrorRad(a, b, 3)).toBeLessThan(1e-6);
      }),
    );
  });

  test("a quaternion of length 0 becomes the identity", () => {
    const nothing = new Float64Array(4);
    rotate(nothing, 0, [0, 0, 0], nothing);
    expect([...nothing]).toEqual([0, 0, 0, 1]);
  });
});
