import type { SendDecisionPolicy } from "@paceline/netcode";

export const TICK_SECONDS = 1 / 60;

/** When a racing game sends, to receivers that are no time away and lose nothing. */
export const policy: SendDecisionPolicy = {
  minIntervalMs: 1000 / 30,
  heartbeatMs: 1000,
  movingHeartbeatMs: 300,
  positionThresholdM: 0.1,
  headingThresholdRad: 0.03,
  horizonMs: 0,
  repeatAfterMs: 0,
};
