/** Distance to a receiver up to which the definition's threshold applies, m. */
const NEAR_M = 50;
/** Largest factor by distance. The factor grows with distance, like the smallest visible error. */
const MAX_DISTANCE_FACTOR = 8;
/** Factor when no budget is left. */
const MAX_PRESSURE_FACTOR = 4;

/**
 * Returns the factor on an entity's thresholds. It is larger for distant receivers, and if the budget runs
 * out.
 *
 * @param distanceM distance to the nearest receiver that sees the entity, m; 0 if unknown
 * @param pressure used share of the byte budget, 0 to 1; the factor grows above one half
 */
export function thresholdFactor(distanceM: number, pressure: number): number {
  const byDistance = Math.min(Math.max(1, distanceM / NEAR_M), MAX_DISTANCE_FACTOR);
  const overHalf = Math.min(Math.max(0, pressure * 2 - 1), 1);
  const byPressure = MAX_PRESSURE_FACTOR ** overHalf;
  // If a game's distance is NaN, its entity counts as near and is still sent.
  return Number.isNaN(byDistance) ? byPressure : byDistance * byPressure;
}
