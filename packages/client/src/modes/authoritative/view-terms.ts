import type { ViewTerms } from "@paceline/protocol";
import type { Plan } from "@paceline/transport";
import { everyTicksOf, movingHeartbeatMs } from "../../policy/state-policy.js";

/** Computes the rates and thresholds that this client requests from an authority with that step rate. */
export function viewTermsOf(plan: Plan, tickHz: number): Required<ViewTerms> {
  const { numbers, channels, style, repeats } = plan;
  const { event, command } = channels;
  return {
    isInterpolated: style === "interpolation",
    everyTicks: everyTicksOf(plan, tickHz),
    thresholdM: numbers.thresholdM,
    headingRad: numbers.headingRad,
    heartbeatMs: numbers.heartbeatMs,
    movingHeartbeatMs: movingHeartbeatMs(numbers),
    repeats,
    bytesPerSecond: numbers.stateBytesPerSecond,
    eventLifetimeMs: event.delivery === "lifetime" ? event.lifetimeMs : 0,
    messagePeriodMs: command.periodMs,
  };
}
