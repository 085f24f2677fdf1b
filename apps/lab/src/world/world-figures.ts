/** Costs of a world for its server. */
export interface WorldFigures {
  /** Times of the room's steps, from the game's step to the end of the states, ms. */
  readonly tickMs: readonly number[];
  readonly bytesPerReceiverPerSecond: number;
  /** Mean number of other entities within the radius of a receiver. */
  readonly inView: number;
  /** Memory of the process. Over memory links it holds the receivers as well. */
  readonly rssMB: number;
}
