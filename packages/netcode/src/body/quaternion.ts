import type { Components } from "./body-layout.js";

/** Below this angle (rad) the linear form is exact enough, and the exact form would divide by nearly zero. */
const SMALL_RAD = 1e-6;

/**
 * Turns the unit quaternion at `at` (x, y, z, w) by a rotation vector. Its direction is the axis (world
 * axes), its length the angle. `into` may be `from`.
 */
export function rotate(
  from: Components,
  at: number,
  rotation: readonly [x: number, y: number, z: number],
  into: Components,
): void {
  const [rx, ry, rz] = rotation;
  const angle = Math.sqrt(rx * rx + ry * ry + rz * rz);
  const scale = angle < SMALL_RAD ? 0.5 : Math.sin(angle / 2) / angle;
  const ax = rx * scale;
  const ay = ry * scale;
  const az = rz * scale;
  const aw = Math.cos(angle / 2);
  const x = from[at]!;
  const y = from[at + 1]!;
  const z = from[at + 2]!;
  const w = from[at + 3]!;
  into[at] = aw * x + ax * w + ay * z - az * y;
  into[at + 1] = aw * y - ax * z + ay * w + az * x;
  into[at + 2] = aw * z + ax * y - ay * x + az * w;
  into[at + 3] = aw * w - ax * x - ay * y - az * z;
  normalize(into, at);
}

/** Computes the shortest rotation vector from `b`'s quaternion to `a`'s, and writes it to `into[0..2]`. */
export function rotationBetween(a: Components, b: Components, at: number, into: Components): void {
  // The difference is a times the conjugate of b.
  const bx = -b[at]!;
  const by = -b[at + 1]!;
  const bz = -b[at + 2]!;
  const bw = b[at + 3]!;
  const ax = a[at]!;
  const ay = a[at + 1]!;
  const az = a[at + 2]!;
  const aw = a[at + 3]!;
  const x = aw * bx + ax * bw + ay * bz - az * by;
  const y = aw * by - ax * bz + ay * bw + az * bx;
  const z = aw * bz + ax * by - ay * bx + az * bw;
  const w = aw * bw - ax * bx - ay * by - az * bz;
  // q and -q are one orientation. The sign with w >= 0 is the short way.
  const sign = w < 0 ? -1 : 1;
  const sine = Math.sqrt(x * x + y * y + z * z);
  const scale = sine < SMALL_RAD ? 2 * sign : (sign * 2 * Math.atan2(sine, w * sign)) / sine;
  into[0] = x * scale;
  into[1] = y * scale;
  into[2] = z * scale;
}

/** Returns the angle between two orientations, rad, 0 to pi. */
export function orientationErrorRad(a: Components, b: Components, at: number): number {
  const dot = a[at]! * b[at]! + a[at + 1]! * b[at + 1]! + a[at + 2]! * b[at + 2]! + a[at + 3]! * b[at + 3]!;
  return 2 * Math.acos(Math.min(1, Math.abs(dot)));
}

/** Interpolates spherically (Shoemake 1985), the short way; `share` from 0 (`a`) to 1 (`b`). */
export function slerp(a: Components, b: Components, at: number, share: number, into: Components): void {
  let dot = 0;
  for (let index = at; index < at + 4; index++) dot += a[index]! * b[index]!;
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  const ofA = sine < SMALL_RAD ? 1 - share : Math.sin((1 - share) * angle) / sine;
  const ofB = (sine < SMALL_RAD ? share : Math.sin(share * angle) / sine) * sign;
  for (let index = at; index < at + 4; index++) into[index] = ofA * a[index]! + ofB * b[index]!;
  normalize(into, at);
}

/** Scales the quaternion to length 1. One without a length becomes no rotation. */
function normalize(row: Components, at: number): void {
  let square = 0;
  for (let index = at; index < at + 4; index++) square += row[index]! * row[index]!;
  const length = Math.sqrt(square);
  for (let index = at; index < at + 4; index++) {
    row[index] = length > 0 ? row[index]! / length : index === at + 3 ? 1 : 0;
  }
}
