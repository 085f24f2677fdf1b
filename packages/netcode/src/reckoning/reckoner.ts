import type { Components } from "../body/body-layout.js";

/**
 * Continues the newest state that sender and receivers both know. One per entity; the owner and every receiver run
 * the same one, so that the owner knows what receivers show.
 */
export interface Reckoner {
  /** Takes a newer state, which the reckoner copies; `secondsSinceLast` lie between it and the one before. */
  take(state: Components, secondsSinceLast: number): void;
  /** Writes the newest state, continued by `seconds` (0 or more), into `into`. Nothing is moved before a first `take`. */
  predict(seconds: number, into: Components): void;
}

/**
 * Models by name, with those of DIS (IEEE 1278.1) that they are. Where an entity has a heading or an orientation, it
 * goes on turning at its rate in all but `hold` (that is the R in the names).
 *
 * - `hold`: 1 Static
 * - `velocity`: 2 FPW, 3 RPW: straight on at constant speed
 * - `acceleration`: 5 FVW, 4 RVW: constant acceleration, in axes of the world
 * - `turn`: of the family 8 RVB, 9 FVB, axes of the body: constant turn rate, and a change of speed that fades
 * - `history`: none of DIS; position-history-based (Singhal and Cheriton 1995), needs no velocity on the wire
 */
export type ReckoningModelName = "hold" | "velocity" | "acceleration" | "turn" | "history";
