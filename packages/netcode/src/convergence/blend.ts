/**
 * A curve for fading out a correction, as weights over the convergence time `u` (0 to 1): one for the
 * difference in position, one for the difference in velocity times the duration.
 */
export interface Blend {
  position(u: number): number;
  velocity(u: number): number;
  /** Share of the difference between old and new predicted velocity that the correction starts with. */
  readonly keptVelocity: number;
  /** Share of the speed of an unfinished correction that is kept. With 0 each correction starts at rest. */
  readonly keptCorrection: number;
}

/** Length of exponential smoothing in time constants: it ends when e^-5 of the correction is left. */
const TIME_CONSTANTS = 5;
/** Keeping all of the velocity would be smoothest, but would continue for a while in a wrong direction. */
const CUBIC_KEPT_VELOCITY = 0.3;

/**
 * Curves for fading out a correction.
 *
 * - `none`: corrections are shown at once.
 * - `exponential`: exponential smoothing; starts with a kink.
 * - `projective`: projective velocity blending (Murphy, "Believable dead reckoning for networked games", Game
 * Engine Gems 2, 2011): continues the old and the new path, blends their velocities, and moves the entity
 * from one path to the other.
 * - `cubic`: the difference fades along a cubic (Hermite) that starts with the speed of an unfinished
 * correction.
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
  // The continued paths are P = P0 + V_b T + A' T²/2 and P' = P0' + V' T + A' T²/2, where V_b goes from V to
  // V'. The shown P + (P' - P) u differs from P' by ((P0 - P0') + (V - V') (1 - u) T) (1 - u).
  projective: { position: (u) => 1 - u, velocity: velocityOfBoth, keptVelocity: 1, keptCorrection: 0 },
  cubic: {
    position: (u) => (1 + 2 * u) * (1 - u) * (1 - u),
    velocity: velocityOfBoth,
    keptVelocity: CUBIC_KEPT_VELOCITY,
    keptCorrection: 1,
  },
};
