import { ConfigError } from "@paceline/protocol";

export interface AdaptiveThresholdOptions {
  /** Distance to a receiver up to which the definition's threshold applies, m. */
  readonly nearM: number;
  /**
   * Largest factor by distance. The factor grows with distance, like the smallest visible error: 2 at twice
   * `nearM`.
   */
  readonly maxDistanceFactor: number;
  /** Factor when no budget is left. */
  readonly maxPressureFactor: number;
}

export const DEFAULT_ADAPTIVE_THRESHOLD: AdaptiveThresholdOptions = Object.freeze({
  nearM: 50,
  maxDistanceFactor: 8,
  maxPressureFactor: 4,
});

/**
 * Returns the factor on an entity's thresholds. It is larger for distant receivers, and if the budget runs
 * out.
 *
 * @param distanceM distance to the nearest receiver that sees the entity, m; 0 if unknown
 * @param pressure used share of the byte budget, 0 to 1; the factor grows above one half
 */
export function thresholdFactor(
  distanceM: number,
  pressure: number,
  options: AdaptiveThresholdOptions = DEFAULT_ADAPTIVE_THRESHOLD,
): number {
  const { nearM, maxDistanceFactor, maxPressureFactor } = options;
  if (!(nearM > 0)) throw new ConfigError("nearM", nearM, "more than 0 m");
  const byDistance = Math.min(Math.max(1, distanceM / nearM), maxDistanceFactor);
  const overHalf = Math.min(Math.max(0, pressure * 2 - 1), 1);
  const byPressure = maxPressureFactor ** overHalf;
  // If a game's distance is NaN, its entity counts as near and is still sent.
  return Number.isNaN(byDistance) ? byPressure : byDistance * byPressure;
}
