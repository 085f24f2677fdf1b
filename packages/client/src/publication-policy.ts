import type { PublicationPolicy } from "@paceline/netcode";
import type { Plan } from "@paceline/transport";

/** So that a lost update is soon made good. */
const MOVING_HEARTBEAT_MS = 300;

/** When owned entities are sent: by the plan, and by what the paths to the others are like. */
export function publicationPolicy(
  { numbers, style }: Plan,
  paths: Pick<PublicationPolicy, "horizonMs" | "repeatAfterMs">,
): PublicationPolicy {
  return {
    minIntervalMs: 1000 / numbers.stateHz,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: Math.min(numbers.extrapolationLimitMs * 0.6, MOVING_HEARTBEAT_MS),
    positionThresholdM: numbers.thresholdM,
    headingThresholdRad: numbers.headingRad,
    isInterpolated: style === "interpolation",
    ...paths,
  };
}
