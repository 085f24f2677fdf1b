/**
 * Side force of a tyre as a share of its grip, -1 to 1, against the slip. It rises with the slip angle to a
 * peak, then falls towards sin(shape * pi / 2). It does not depend on load.
 */
export function tyreSideForce(slipRad: number, peakSlipRad: number, shape: number): number {
  const stiffness = Math.tan(Math.PI / (2 * shape)) / peakSlipRad;
  return -Math.sin(shape * Math.atan(stiffness * slipRad));
}

/** How far the slip is beyond 1.1 times the peak, 0 to 1. */
export function slideBeyondPeak(slipRad: number, peakSlipRad: number): number {
  const beyond = (Math.abs(slipRad) - peakSlipRad * 1.1) / (peakSlipRad * 2.2);
  return Math.max(0, Math.min(1, beyond));
}
