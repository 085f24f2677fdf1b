import { cubicBlend, type Blend } from "@paceline/netcode";

/** Length of exponential smoothing in time constants: it ends when e^-5 of the correction is left. */
const TIME_CONSTANTS = 5;

/**
 * Curves to compare with the one in use.
 *
 * - `none`: corrections are shown at once.
 * - `exponential`: exponential smoothing; starts with a kink.
 * - `projective`: projective velocity blending (Murphy, "Believable dead reckoning for networked games", Game
 * Engine Gems 2, 2011): continues the old and the new path, blends their velocities, and moves the entity
 * from one path to the other.
 */
export const blends = {
  none: { position: () => 0, velocity: () => 0, keptVelocity: 0, keptCorrection: 0 },
  exponential: {
    position: (u) => (u >= 1 ? 0 : Math.exp(-TIME_CONSTANTS * u)),
    velocity: () => 0,
    keptVelocity: 0,
    keptCorrection: 0,
  },
  // The continued paths are P = P0 + V_b T + A' T²/2 and P' = P0' + V' T + A' T²/2, where V_b goes from V to
  // V'. The shown P + (P' - P) u differs from P' by ((P0 - P0') + (V - V') (1 - u) T) (1 - u).
  projective: {
    position: (u) => 1 - u,
    velocity: (u) => cubicBlend.velocity(u),
    keptVelocity: 1,
    keptCorrection: 0,
  },
} as const satisfies Readonly<Record<string, Blend>>;
