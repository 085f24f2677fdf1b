import type { Measured } from "@paceline/transport";

/** A choice, what it is about, and why it was made: a row for `console.table`. */
export interface Explanation {
  readonly about: string;
  readonly choice: string;
  readonly reason: string;
}

/** A change of a path or of the plan. Plain data, fit for a bug report. */
export interface TransportChange extends Explanation {
  /** On the room's clock, ms. */
  readonly atMs: number;
  /** Measurements at that time, of the worst path in use; absent before the first one. */
  readonly measured?: Measured;
}
