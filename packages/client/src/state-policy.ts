import { MAX_EVERY_TICKS, MAX_HEARTBEAT_MS, type ViewTerms } from "@paceline/protocol";
import { REPEAT_AFTER_MS, type PublicationPolicy } from "@paceline/netcode";
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
}: Plan): Omit<PublicationPolicy, "horizonMs"> & { readonly bytesPerSecond: number } {
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

/** How the plan wants an authority of so many steps per second to tell this participant of its entities. */
export function viewTermsOf(plan: Plan, tickHz: number): Required<ViewTerms> {
  const { numbers, channels, style, repeats } = plan;
  const { event, command } = channels;
  return {
    isInterpolated: style === "interpolation",
    everyTicks: everyTicksOf(plan, tickHz),
    thresholdM: numbers.thresholdM,
    headingRad: numbers.headingRad,
    heartbeatMs: Math.min(numbers.heartbeatMs, MAX_HEARTBEAT_MS),
    movingHeartbeatMs: movingHeartbeatMs(numbers),
    repeats,
    bytesPerSecond: numbers.stateBytesPerSecond,
    eventLifetimeMs: event.delivery === "lifetime" ? event.lifetimeMs : 0,
    messagePeriodMs: command.periodMs,
  };
}

/** An authority tells in one of so many of its steps: as often as the plan wants, not more often than it makes them. */
export function everyTicksOf(plan: Plan, tickHz: number): number {
  const ticks = Math.round((stateIntervalMs(plan) * tickHz) / 1000);
  return Math.min(MAX_EVERY_TICKS, Math.max(1, ticks));
}

function movingHeartbeatMs({ extrapolationLimitMs }: Plan["numbers"]): number {
  return Math.min(extrapolationLimitMs * NEWS_SHARE, MOVING_HEARTBEAT_MS);
}
