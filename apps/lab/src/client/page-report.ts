/** Values of the room that the page reads at each frame. */
export type Reading = "nothing" | "newest" | "shown";

/** State of the page's room, for `pnpm bench client`. */
export interface PageReport {
  /** Tick of the newest state. */
  readonly tick: number;
  /** Frames drawn since the page was opened. */
  readonly frames: number;
  /** Positions of all entities in their newest states, m. */
  readonly positions: readonly (readonly [x: number, y: number])[];
}
