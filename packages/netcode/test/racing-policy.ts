import type { SendDecisionPolicy } from "@paceline/netcode";

export const TICK_SECONDS = 1 / 60;

/** Send policy of a racing game, for receivers without delay or loss. */
export const policy: SendDecisionPolicy = {
  minIntervalMs: 1000 / 30,
  heartbeatMs: 1000,
  movingHeartbeatMs: 300,
  positionThresholdM: 0.1,
  headingThresholdRad: 0.03,
  horizonMs: 0,
  repeatAfterMs: 0,
};
