import type { Histogram } from "./histogram.js";
import type { RoomCounters } from "./room-counters.js";

/** Counters and measurements of one room. The objects are live. */
export interface RoomReport {
  readonly roomId: string;
  readonly roomName: string;
  readonly players: number;
  readonly entities: number;
  readonly tick: number;
  /** Steps that were due but skipped. */
  readonly skippedTicks: number;
  readonly lateness: Histogram;
  readonly duration: Histogram;
  readonly counters: RoomCounters;
}
