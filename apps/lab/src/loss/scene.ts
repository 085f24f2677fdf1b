import { defineEntity, vec2 } from "@paceline/protocol";

/** The authority's entity, moved at every tick: each state has a position of its own. */
export const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) },
  { motion: "hold" },
);

/** A player's report of its line to the authority and of the states it saw. */
export interface LineReport {
  readonly stateLink: string | undefined;
  readonly sockets: number;
  readonly stalled: number;
  readonly roundTrips: number;
  /** From the authority; `low` and `high` hold it with 95 % of certainty. Undefined: not known. */
  readonly loss:
    | { readonly ratio: number; readonly low: number; readonly high: number; readonly packets: number }
    | undefined;
  readonly outgoingLoss: LineReport["loss"];
  /** Different positions since the last report. */
  readonly positions: number;
  /** The row of `explain()`. */
  readonly words: string;
}

/** Something that happened on the way to another link. */
export interface LineStage {
  readonly stage: string;
  /** From the first loss on. */
  readonly atMs: number;
}
