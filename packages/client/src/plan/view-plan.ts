import type { DEFAULT_INTERPOLATION_DELAY, DelayedBody, InterpolationDelay } from "@paceline/netcode";
import type { Plan } from "@paceline/transport";
import type { RoomClock } from "../time/room-clock.js";

/** The code that shows entities between their states. */
export interface Interpolation {
  readonly DEFAULT_INTERPOLATION_DELAY: typeof DEFAULT_INTERPOLATION_DELAY;
  readonly DelayedBody: typeof DelayedBody;
  readonly InterpolationDelay: typeof InterpolationDelay;
}

/** The settings and clock values, read at each use, that decide how entities of others are shown. */
export interface ViewPlan {
  /** Between their states, unless an entity's definition says otherwise. */
  readonly isInterpolated: boolean;
  /** No further than this is an entity moved on without news, ms. */
  readonly extrapolationLimitMs: number;
  /** Delay of what is interpolated before anything was measured, ms. */
  readonly interpolationDelayMs: number;
  /** Time between the states of a moving entity that is interpolated, ms. */
  readonly intervalMs: number;
  /** Interpolation delay, ms. */
  readonly lagMs: number;
  /** Fetches the code of interpolation, when the first entity is to be shown so. */
  loadInterpolation(this: void): Promise<Interpolation>;
}

/** The least time between two states of an entity, ms: its rate, and the period of the packets that bring them. */
export function stateIntervalMs({ numbers, channels }: Plan): number {
  return Math.max(1000 / numbers.stateHz, channels.state.periodMs);
}

/** The view of a room that may be under construction: nothing is asked of it before it is needed. */
export function viewPlanOf(
  room: { readonly transport: { readonly plan: Plan }; readonly clock: RoomClock },
  loadInterpolation: ViewPlan["loadInterpolation"],
): ViewPlan {
  return {
    loadInterpolation,
    get isInterpolated() {
      return room.transport.plan.style === "interpolation";
    },
    get extrapolationLimitMs() {
      return room.transport.plan.numbers.extrapolationLimitMs;
    },
    get interpolationDelayMs() {
      return room.transport.plan.numbers.interpolationDelayMs;
    },
    get intervalMs() {
      return stateIntervalMs(room.transport.plan);
    },
    get lagMs() {
      return room.clock.serverNow() - room.clock.renderNow();
    },
  };
}

/** Interpolation delay before the first measurement; zero if entities are extrapolated to now. */
export function delayByProfileMs({ plan }: { readonly plan: Plan }): number {
  return plan.style === "interpolation" ? plan.numbers.interpolationDelayMs : 0;
}
