import type { Components } from "../body/body-layout.js";

/**
 * Continues the newest state that both sides know. There is one per entity. The owner and every receiver run
 * the same one, so that the owner knows what receivers show.
 */
export interface Reckoner {
  /** Takes a copy of a newer state, `secondsSinceLast` after the one before. */
  take(state: Components, secondsSinceLast: number): void;
  /**
   * Writes the newest state, continued by `seconds` (0 or more), to `into`. Does nothing before the first
   * `take`.
   */
  predict(seconds: number, into: Components): void;
}

/**
 * Models by name, with the corresponding ones of DIS (IEEE 1278.1). In all but `hold`, an entity with a
 * heading continues to turn at its rate (the R in the DIS names).
 *
 * - `hold`: 1 Static
 * - `velocity`: 2 FPW, 3 RPW: straight on at constant speed
 * - `acceleration`: 5 FVW, 4 RVW: constant acceleration, in world axes
 * - `turn`: like 8 RVB and 9 FVB, in axes of the body: constant turn rate, and a change of speed that fades
 * - `history`: not in DIS; position-history-based (Singhal and Cheriton 1995), needs no velocity on the wire
 */
export type ReckoningModelName = "hold" | "velocity" | "acceleration" | "turn" | "history";

/** Reason for refusing a state. */
export type RefusedState = "outdated" | "future" | "not-finite";

/**
 * A state further ahead of the receiver's clock than this is an error or an attack. It would block all later
 * states.
 */
export const FUTURE_SECONDS = 2;
