import type { Histogram } from "./histogram.js";
import type { RoomCounters } from "./room-counters.js";

/** What one room has counted and measured; the objects are its own and go on changing. */
export interface RoomReport {
  readonly roomId: string;
  readonly roomName: string;
  readonly players: number;
  readonly entities: number;
  readonly tick: number;
  /** Steps that were due and never made. */
  readonly skippedTicks: number;
  readonly lateness: Histogram;
  readonly duration: Histogram;
  readonly counters: RoomCounters;
}
