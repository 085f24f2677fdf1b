import type { CellIndex } from "./cell-index.js";
import type { Degradation } from "./degradation.js";
import type { Viewer } from "./viewer.js";
import { UNSEEN } from "./cell-view.js";

/** Writes the entities of a view into arrays of the caller. */
export class ViewQuery {
  readonly #index: CellIndex;
  readonly #degradation: Degradation;

  constructor(index: CellIndex, degradation: Degradation) {
    this.#index = index;
    this.#degradation = degradation;
  }

  /** Returns the number of entities; those that do not fit into the arrays are counted and not written. */
  run(viewer: Viewer, ids: Uint32Array, levels: Uint8Array): number {
    const { list } = viewer;
    const most = Math.min(ids.length, levels.length);
    if (!list) return this.#writeCells(viewer, ids, levels, most);
    for (let at = 0; at < list.count && at < most; at++) {
      ids[at] = list.idAt(at);
      levels[at] = list.levelAt(at);
    }
    return list.count;
  }

  /** Returns the level at which a viewer sees an entity; {@link UNSEEN} if not at all. */
  levelOf({ bound, budget, list, seesEverywhere, view }: Viewer, id: number): number {
    if (bound.has(id)) return 0;
    if (list) return list.levelOf(id);
    const cell = this.#index.cellOf(id);
    if (cell === this.#index.everywhere) return seesEverywhere ? 0 : UNSEEN;
    return this.#degradation.levelOf(budget.step, view.ringOf(cell));
  }

  #writeCells(viewer: Viewer, ids: Uint32Array, levels: Uint8Array, most: number): number {
    const { bound, view, budget } = viewer;
    for (let each = 0; each < bound.count && each < most; each++) {
      ids[each] = bound.ids[each]!;
      levels[each] = 0;
    }
    let count = bound.count;
    const { members, starts, counts, everywhere } = this.#index;
    const { seenCells, seenRings, seenCount } = view;
    const levelOfRing = this.#degradation.levelsAt(budget.step);
    const hasBound = bound.count > 0;
    // The cell that everybody sees comes after the others.
    const last = viewer.seesEverywhere ? seenCount : seenCount - 1;
    for (let each = 0; each <= last; each++) {
      const cell = each < seenCount ? seenCells[each]! : everywhere;
      const size = counts[cell]!;
      if (size === 0) continue;
      const level = each < seenCount ? levelOfRing[seenRings[each]!]! : 0;
      if (level === UNSEEN) continue;
      const start = starts[cell]!;
      const end = start + size;
      for (let at = start; at < end; at++) {
        const id = members[at]!;
        // A bound entity is written already, at the best level.
        if (hasBound && bound.has(id)) continue;
        if (count < most) {
          ids[count] = id;
          levels[count] = level;
        }
        count += 1;
      }
    }
    return count;
  }
}
