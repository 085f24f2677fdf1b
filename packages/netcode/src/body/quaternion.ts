import type { Components } from "./body-layout.js";

/** Returns the angle between two orientations, rad, 0 to pi. */
export function orientationErrorRad(a: Components, b: Components, at: number): number {
  const dot = a[at]! * b[at]! + a[at + 1]! * b[at + 1]! + a[at + 2]! * b[at + 2]! + a[at + 3]! * b[at + 3]!;
  return 2 * Math.acos(Math.min(1, Math.abs(dot)));
}
