import { MAX_EVERY_TICKS, limits } from "@paceline/protocol";
import { REPEAT_AFTER_MS, type SendDecisionPolicy } from "@paceline/netcode";
import { stateIntervalMs, type Plan } from "@paceline/transport";

/** Longest time between states of a moving entity, ms, so that a new state soon replaces a lost one. */
const MOVING_HEARTBEAT_MS = 300;
/** Share of the extrapolation limit after which a moving entity is sent again. */
const NEWS_SHARE = 0.6;

/** Share of the states that a receiver reads which are due ones. The others are repairs. */
const DUE_SHARE = 0.5;

/** Limits of the states of own entities that are sent in a second. */
export interface StateRates {
  readonly bytesPerSecond: number;
  readonly statesPerSecond: number;
}

/**
 * Returns the rules by which the plan wants own entities sent. The sender adds the time for which it
 * extrapolates them (`horizonMs`).
 */
export function policyOf({
  numbers,
  style,
  repeats,
}: Plan): Omit<SendDecisionPolicy, "horizonMs"> & StateRates {
  return {
    minIntervalMs: 1000 / numbers.stateHz,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: movingHeartbeatMs(numbers),
    positionThresholdM: numbers.thresholdM,
    headingThresholdRad: numbers.headingRad,
    bytesPerSecond: numbers.stateBytesPerSecond,
    statesPerSecond: limits.statesPerSecond * DUE_SHARE,
    isInterpolated: style === "interpolation",
    repeatAfterMs: repeats ? REPEAT_AFTER_MS : 0,
  };
}

/** Returns the steps from one send of an authority to the next, by the plan's rate; at least 1. */
export function everyTicksOf(plan: Plan, tickHz: number): number {
  const ticks = Math.round((stateIntervalMs(plan) * tickHz) / 1000);
  return Math.min(MAX_EVERY_TICKS, Math.max(1, ticks));
}

/** Returns the time after which a moving entity is sent again, ms: before receivers stop extrapolating it. */
export function movingHeartbeatMs({ extrapolationLimitMs }: Plan["numbers"]): number {
  return Math.min(extrapolationLimitMs * NEWS_SHARE, MOVING_HEARTBEAT_MS);
}
