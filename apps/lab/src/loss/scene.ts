import { defineEntity, vec2 } from "@paceline/protocol";

/** The authority's entity. It moves at every tick, so that each state has a different position. */
export const Ball = defineEntity(
  "ball",
  { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) },
  { motion: "hold" },
);

/** A player's measurements of its link to the authority, and of the received states. */
export interface LineReport {
  readonly stateLink: string | undefined;
  readonly sockets: number;
  readonly stalled: number;
  readonly roundTrips: number;
  /** Loss of packets from the authority, with its 95 % confidence interval; undefined if it is unknown. */
  readonly loss:
    | { readonly ratio: number; readonly low: number; readonly high: number; readonly packets: number }
    | undefined;
  readonly outgoingLoss: LineReport["loss"];
  /** Number of different positions since the last report. */
  readonly positions: number;
  /** The text of `explain()`. */
  readonly words: string;
}

/** An event during the change to another link. */
export interface LineStage {
  readonly stage: string;
  /** Time since the first loss. */
  readonly atMs: number;
}
