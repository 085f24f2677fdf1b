import type { CellIndex } from "./cell-index.js";
import { ENTER_SHARE, type InterestPlan } from "./interest-options.js";

/** The level or ring of a cell that a viewer does not see. */
export const UNSEEN = 0xff;

/** Squares of the distances at which a cell enters and leaves each ring, m². */
export interface RingDistances {
  readonly enterM2: Float64Array;
  readonly leaveM2: Float64Array;
}

/** @param borderM distance by which a viewer may be beyond the place from which its rings were measured */
export function ringDistances({ radiiM }: Pick<InterestPlan, "radiiM">, borderM: number): RingDistances {
  return {
    enterM2: Float64Array.from(radiiM, (radiusM) => (radiusM * ENTER_SHARE + borderM) ** 2),
    leaveM2: Float64Array.from(radiiM, (radiusM) => (radiusM + borderM) ** 2),
  };
}

/** Told that a cell has another ring; {@link UNSEEN} beyond the last. */
export type RingChange = (cell: number, ring: number, previousRing: number) => void;

/**
 * The cells around a viewer and their rings, by distance and walls alone. A cell keeps its ring between the
 * two radii. Distances are to the ground of a cell, which holds all its entities.
 */
export abstract class CellView {
  /** Number of entities in each ring. */
  readonly counts: Int32Array;
  /** The cells in rings, {@link seenCount} of them, and their rings. */
  seenCells = new Int32Array(0);
  seenRings = new Uint8Array(0);
  seenCount = 0;
  readonly #distances: RingDistances;

  constructor(distances: RingDistances) {
    this.#distances = distances;
    this.counts = new Int32Array(distances.leaveM2.length);
  }

  /** Returns the ring of a cell. */
  abstract ringOf(cell: number): number;
  /**
   * Measures the cells from a viewpoint (x and y, m) in a cell. Returns true if one has another ring than before.
   * `onChange` is called at once for cells that {@link report} does not know any more.
   */
  abstract look(cell: number, viewpoint: Float64Array, onChange: RingChange): boolean;
  /** Calls `onChange` for each cell that is in a ring, or was before the last {@link look}. */
  abstract report(onChange: RingChange): void;

  /** Counts the entities in each ring. */
  count(index: CellIndex): void {
    const { counts, seenCells, seenRings, seenCount } = this;
    const entities = index.counts;
    counts.fill(0);
    for (let each = 0; each < seenCount; each++) counts[seenRings[each]!]! += entities[seenCells[each]!]!;
  }

  /** Returns a cell's ring by its distance: the present one unless the cell is nearer or farther than both radii. */
  protected ringAt(distanceM2: number, present: number): number {
    const { enterM2, leaveM2 } = this.#distances;
    const count = leaveM2.length;
    let least = 0;
    while (distanceM2 > leaveM2[least]!) least += 1;
    let most = least;
    while (most < count && distanceM2 > enterM2[most]!) most += 1;
    if (present < least) return least;
    if (present <= most) return present;
    return most === count ? UNSEEN : most;
  }
}
