import type { DEFAULT_CONVERGENCE, DelayedBody, InterpolationDelay } from "@paceline/netcode";
import { stateIntervalMs, type Plan } from "@paceline/transport";
import type { RoomClock } from "../time/room-clock.js";

/** The code that interpolates entities between their states. */
export interface Interpolation {
  readonly DEFAULT_CONVERGENCE: typeof DEFAULT_CONVERGENCE;
  readonly DelayedBody: typeof DelayedBody;
  readonly InterpolationDelay: typeof InterpolationDelay;
}

/** Settings and clock values that decide how entities of others are shown. They are read at each use. */
export interface ViewPolicy {
  /** True if entities are interpolated, unless their definition says otherwise. */
  readonly isInterpolated: boolean;
  /** Longest extrapolation of an entity without news, ms. */
  readonly extrapolationLimitMs: number;
  /** Interpolation delay before the first measurement, ms. */
  readonly interpolationDelayMs: number;
  /** Time between the states of a moving, interpolated entity, ms. */
  readonly intervalMs: number;
  /** Present interpolation delay, ms. */
  readonly lagMs: number;
  loadInterpolation(this: void): Promise<Interpolation>;
}

/** Returns the view settings of a room. */
export function viewPolicyOf(
  inForce: { readonly plan: Plan },
  clock: RoomClock,
  loadInterpolation: ViewPolicy["loadInterpolation"],
): ViewPolicy {
  return {
    loadInterpolation,
    get isInterpolated() {
      return inForce.plan.style === "interpolation";
    },
    get extrapolationLimitMs() {
      return inForce.plan.numbers.extrapolationLimitMs;
    },
    get interpolationDelayMs() {
      return inForce.plan.numbers.interpolationDelayMs;
    },
    get intervalMs() {
      return stateIntervalMs(inForce.plan);
    },
    get lagMs() {
      return clock.serverNow() - clock.renderNow();
    },
  };
}

/** Returns the interpolation delay before the first measurement; 0 if entities are extrapolated to now. */
export function delayByProfileMs({ plan }: { readonly plan: Plan }): number {
  return plan.style === "interpolation" ? plan.numbers.interpolationDelayMs : 0;
}
