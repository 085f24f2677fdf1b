/**
 * The car, in SI units. Forces are per kilogram of car (m/s2), so the mass never appears. Tuned for two keys:
 * the tail steps out on the throttle, and comes back.
 */
export const carParameters = {
  lengthM: 4.3,
  widthM: 1.9,
  /** Distances from the centre of mass to the axles. */
  frontAxleM: 1.2,
  rearAxleM: 1.3,
  halfTrackM: 0.8,
  /** Yaw inertia divided by the mass. */
  yawInertiaM2: 1.75,

  /** Grip of a tyre on the road, as a multiple of gravity. */
  grip: 1.5,
  /** Slip angle at which a tyre grips most. Beyond it the grip falls; `tyreShape` sets how far. */
  frontPeakSlipRad: 0.15,
  rearPeakSlipRad: 0.125,
  tyreShape: 1.42,

  enginePowerWPerKg: 235,
  engineLimitMps2: 9.6,
  reverseMps2: 4.5,
  reverseTopMps: 9,
  brakeMps2: 12.5,
  engineBrakingMps2: 1.1,
  airDragPerM: 0.00165,
  rollingMps2: 0.18,

  /** Share of the rear tyres' side grip that full drive takes away: throttle oversteer. */
  driveSideGripLoss: 0.35,
  /** With the handbrake on: share of the rear side grip that is left, and deceleration. */
  handbrakeSideGrip: 0.32,
  handbrakeMps2: 5.5,

  steerLimitRad: 0.62,
  /** Speed of the steering wheel, full locks per second: standing, and at 40 m/s or faster. */
  steerPerSecond: 5,
  steerPerSecondFast: 2.6,
  steerReturnPerSecond: 7,
  /** The front wheels turn into a slide by this share of its angle, without the driver (caster). */
  casterShare: 0.7,
  yawDampingPerSecond: 1.1,
  /**
   * Turns the nose towards the direction of travel, rad/s2 per radian of drift. No tyre does this: with two
   * keys a driver cannot balance a slide on the throttle, so the car helps, less with the handbrake on.
   */
  driftHelpPerS2: 4.2,
  driftHelpOnHandbrake: 0.25,
} as const;

/**
 * Angle of the front wheels at full lock, rad: the tightest bend that the grip allows at this speed, plus
 * nearly the slip angle at which the front tyres grip most.
 */
export function steerLockRad(speedMps: number): number {
  const p = carParameters;
  const wheelbaseM = p.frontAxleM + p.rearAxleM;
  const kinematic = Math.atan((wheelbaseM * p.grip * 9.81) / Math.max(16, speedMps * speedMps));
  return Math.min(p.steerLimitRad, kinematic + p.frontPeakSlipRad * 0.95);
}
