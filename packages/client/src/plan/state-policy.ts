import { MAX_EVERY_TICKS } from "@paceline/protocol";
import { REPEAT_AFTER_MS, type SendDecisionPolicy } from "@paceline/netcode";
import type { Plan } from "@paceline/transport";
import { stateIntervalMs } from "./view-plan.js";

/** So that a lost update is soon made good. */
const MOVING_HEARTBEAT_MS = 300;
/** Share of the time without news until others stop, after which they get some. */
const NEWS_SHARE = 0.6;

/** When states of own entities are sent, as the plan says it; how far ahead their errors are judged is the sender's. */
export function policyOf({
  numbers,
  style,
  repeats,
}: Plan): Omit<SendDecisionPolicy, "horizonMs"> & { readonly bytesPerSecond: number } {
  return {
    minIntervalMs: 1000 / numbers.stateHz,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: movingHeartbeatMs(numbers),
    positionThresholdM: numbers.thresholdM,
    headingThresholdRad: numbers.headingRad,
    bytesPerSecond: numbers.stateBytesPerSecond,
    isInterpolated: style === "interpolation",
    repeatAfterMs: repeats ? REPEAT_AFTER_MS : 0,
  };
}

/** An authority tells in one of so many of its steps: as often as the plan wants, not more often than it makes them. */
export function everyTicksOf(plan: Plan, tickHz: number): number {
  const ticks = Math.round((stateIntervalMs(plan) * tickHz) / 1000);
  return Math.min(MAX_EVERY_TICKS, Math.max(1, ticks));
}

/** An entity that moves is sent again after this time, ms: before others would stop. */
export function movingHeartbeatMs({ extrapolationLimitMs }: Plan["numbers"]): number {
  return Math.min(extrapolationLimitMs * NEWS_SHARE, MOVING_HEARTBEAT_MS);
}
