/** The page's work with the room at each of its frames. */
export type Reading = "nothing" | "newest" | "shown";

/** A page's report of its room, for `pnpm bench client`. */
export interface PageReport {
  /** Tick of the world in the newest state. */
  readonly tick: number;
  /** Drawn since the page began. */
  readonly frames: number;
  /** Positions of all entities in their newest states, m. */
  readonly positions: readonly (readonly [x: number, y: number])[];
}
