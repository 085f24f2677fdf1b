import { ConfigError } from "@paceline/protocol";

export interface AdaptiveThresholdOptions {
  /** Within this distance of a receiver the threshold is the definition's own. */
  readonly nearM: number;
  /** Beyond, it grows with distance, as what the eye can tell does: doubled at twice `nearM`, up to this factor. */
  readonly maxDistanceFactor: number;
  /** With no budget left it is this much wider. */
  readonly maxPressureFactor: number;
}

export const DEFAULT_ADAPTIVE_THRESHOLD: AdaptiveThresholdOptions = Object.freeze({
  nearM: 50,
  maxDistanceFactor: 8,
  maxPressureFactor: 4,
});

/**
 * Factor on an entity's thresholds: wider for receivers that are far away and when the budget runs out.
 *
 * @param distanceM to the nearest receiver that sees the entity; 0 where nobody knows
 * @param pressure share of the byte budget that is used up, 0 to 1: what is above a half widens
 */
export function thresholdFactor(
  distanceM: number,
  pressure: number,
  options: AdaptiveThresholdOptions = DEFAULT_ADAPTIVE_THRESHOLD,
): number {
  const { nearM, maxDistanceFactor, maxPressureFactor } = options;
  if (!(nearM > 0)) throw new ConfigError({ field: "nearM", value: nearM, expected: "more than 0 m" });
  const byDistance = Math.min(Math.max(1, distanceM / nearM), maxDistanceFactor);
  const overHalf = Math.min(Math.max(0, pressure * 2 - 1), 1);
  const byPressure = maxPressureFactor ** overHalf;
  // NaN of a game's distance must not stop its entity: it counts as near.
  return Number.isNaN(byDistance) ? byPressure : byDistance * byPressure;
}
