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

/**
 * The difference fades along a cubic (Hermite) that starts with the speed of an unfinished correction. Keeping
 * all of the velocity would be smoothest, but would continue for a while in a wrong direction.
 */
export const cubicBlend: Blend = {
  position: (u) => (1 + 2 * u) * (1 - u) * (1 - u),
  velocity: (u) => u * (1 - u) * (1 - u),
  keptVelocity: 0.3,
  keptCorrection: 1,
};
