import type { PublicationPolicy } from "@paceline/netcode";
import type { Plan } from "@paceline/transport";

/** When owned entities are sent: by the plan, and by what the paths to the others are like. */
export function publicationPolicy(
  { numbers, style }: Plan,
  paths: Pick<PublicationPolicy, "horizonMs" | "repeatAfterMs">,
): PublicationPolicy {
  return {
    minIntervalMs: 1000 / numbers.stateHz,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: numbers.extrapolationLimitMs * 0.6,
    positionThresholdM: numbers.thresholdM,
    headingThresholdRad: numbers.headingRad,
    isInterpolated: style === "interpolation",
    ...paths,
  };
}
