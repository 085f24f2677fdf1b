/** Wraps to [-pi, pi). */
export function wrapAngle(angleRad: number): number {
  const turns = (angleRad + Math.PI) / (2 * Math.PI);
  return (turns - Math.floor(turns)) * 2 * Math.PI - Math.PI;
}

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
