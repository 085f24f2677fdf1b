import type { CellIndex } from "./cell-index.js";
import type { CellView } from "./cell-view.js";
import type { CellVisibility } from "./cell-visibility.js";
import type { InterestPlan, Rectangle } from "./interest-options.js";

/** The cell of an entity or viewer that is nowhere. */
export const NOWHERE = -1;

/** The ground of a room as cells. It knows places only, and no entity. */
export abstract class CellScheme {
  /** Number of cells that there may be. Their numbers begin with 0. */
  abstract readonly cellCount: number;
  /** Distance that a viewer may move before its rings are measured again, m. */
  abstract readonly borderM: number;
  /** Largest distance beyond the outer radius at which an entity may still be in view, m. */
  abstract readonly marginM: number;
  /** Changes whenever cells split or merge. */
  version = 0;
  readonly world: Rectangle;

  constructor(world: Rectangle) {
    this.world = world;
  }

  /**
   * Returns the cell of a place inside the world: the present one unless the place is more than a border
   * outside it. So what moves along an edge does not change cells with every step.
   */
  abstract cellAt(x: number, y: number, present?: number): number;
  /** Returns a rectangle around the ground on which entities of a cell may be: the cell and its border. */
  abstract groundOf(cell: number): Rectangle;
  /** Returns a view that sees no cells yet. */
  abstract newView(plan: InterestPlan, visibility: CellVisibility | undefined): CellView;

  /** Returns true if a place is inside the world; false for what is no number. */
  holds(x: number, y: number): boolean {
    const { minX, minY, maxX, maxY } = this.world;
    return x >= minX && x <= maxX && y >= minY && y <= maxY;
  }

  /** Returns the nearest x inside the world, m. */
  clampX(x: number): number {
    return Math.min(Math.max(x, this.world.minX), this.world.maxX);
  }

  /** Returns the nearest y inside the world, m. */
  clampY(y: number): number {
    return Math.min(Math.max(y, this.world.minY), this.world.maxY);
  }

  /** Called before each update, with the entities as of the last one. A scheme whose cells follow the crowd changes them. */
  adapt(_index: CellIndex): void {}
}
