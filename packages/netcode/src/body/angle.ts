const TURN = 2 * Math.PI;

/** Returns the angle of the same direction within [-pi, pi). */
export function wrapAngle(angleRad: number): number {
  if (angleRad >= -Math.PI && angleRad < Math.PI) return angleRad;
  const wrapped = angleRad - TURN * Math.floor((angleRad + Math.PI) / TURN);
  // The subtraction may round up to pi itself.
  return wrapped >= Math.PI ? -Math.PI : wrapped;
}

/** Returns the shortest turn from `b` to `a`, within [-pi, pi). */
export function angleDifference(a: number, b: number): number {
  return wrapAngle(a - b);
}
