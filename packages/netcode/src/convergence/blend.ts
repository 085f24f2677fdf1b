/**
 * The fading of a correction, as weights over the time of convergence `u` (0 to 1): of the difference in
 * position, and of the difference in velocity times that time.
 */
export interface Blend {
  position(u: number): number;
  velocity(u: number): number;
  /** Share of the difference between old and new predicted velocity that the correction begins with. */
  readonly keptVelocity: number;
  /** Share of the speed of a correction that is still going on: with 0 each correction starts at rest. */
  readonly keptCorrection: number;
}

/** Exponential smoothing ends where this share of the correction is left: e to the minus this. */
const TIME_CONSTANTS = 5;
/** All of it would be smoothest, and would carry on for a while in a direction that is known to be wrong. */
const CUBIC_KEPT_VELOCITY = 0.3;

/**
 * - `none`: corrections are shown at once.
 * - `exponential`: exponential smoothing; begins with a kink.
 * - `projective`: projective velocity blending (Murphy, "Believable dead reckoning for networked games", Game Engine
 *   Gems 2, 2011): both paths are projected on, velocities are blended, and the entity goes over from one to the other.
 * - `cubic`: the difference eases out along a cubic (Hermite) that begins with the speed of a correction still going on.
 */
export type BlendName = "none" | "exponential" | "projective" | "cubic";

const velocityOfBoth = (u: number): number => u * (1 - u) * (1 - u);

export const blends: Readonly<Record<BlendName, Blend>> = {
  none: { position: () => 0, velocity: () => 0, keptVelocity: 0, keptCorrection: 0 },
  exponential: {
    position: (u) => (u >= 1 ? 0 : Math.exp(-TIME_CONSTANTS * u)),
    velocity: () => 0,
    keptVelocity: 0,
    keptCorrection: 0,
  },
  // The projected paths are P = P0 + V_b T + A' T²/2 and P' = P0' + V' T + A' T²/2, where V_b goes from V to V'. The shown
  // P + (P' - P) u differs from P' by ((P0 - P0') + (V - V') (1 - u) T) (1 - u).
  projective: { position: (u) => 1 - u, velocity: velocityOfBoth, keptVelocity: 1, keptCorrection: 0 },
  cubic: {
    position: (u) => (1 + 2 * u) * (1 - u) * (1 - u),
    velocity: velocityOfBoth,
    keptVelocity: CUBIC_KEPT_VELOCITY,
    keptCorrection: 1,
  },
};
