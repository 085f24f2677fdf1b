/**
 * Side force of a tyre as a share of its grip, -1 to 1: rises with the slip angle to a peak, then falls
 * to the sliding value, sin(shape * pi / 2). Does not depend on load. Opposes the slip.
 */
export function tyreSideForce(slipRad: number, peakSlipRad: number, shape: number): number {
  const stiffness = Math.tan(Math.PI / (2 * shape)) / peakSlipRad;
  return -Math.sin(shape * Math.atan(stiffness * slipRad));
}

/** Slide beyond the peak, 0 to 1. */
export function slideBeyondPeak(slipRad: number, peakSlipRad: number): number {
  const beyond = (Math.abs(slipRad) - peakSlipRad * 1.1) / (peakSlipRad * 2.2);
  return Math.max(0, Math.min(1, beyond));
}
