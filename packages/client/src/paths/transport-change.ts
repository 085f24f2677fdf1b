import type { Explanation, Measured } from "@paceline/transport";

export type { Explanation };

/** A change of a path or of the plan. Plain data, suitable for a bug report. */
export interface TransportChange extends Explanation {
  /** Time of the change on the room's clock, ms. */
  readonly atMs: number;
  /** Measurements of the worst path in use at that time; absent before the first one. */
  readonly measured?: Measured;
}
