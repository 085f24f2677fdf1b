import type { InterestPlan, Rectangle } from "./interest-options.js";

/** The cell of an entity or viewer that is nowhere. */
export const NOWHERE = -1;

/** The world as squares, numbered row by row. It knows places only, and no entity. */
export class SquareGrid {
  readonly cols: number;
  readonly rows: number;
  readonly cellM: number;
  readonly borderM: number;
  readonly world: Rectangle;

  constructor({ cols, rows, cellM, borderM, world }: InterestPlan) {
    this.cols = cols;
    this.rows = rows;
    this.cellM = cellM;
    this.borderM = borderM;
    this.world = world;
  }

  get cellCount(): number {
    return this.cols * this.rows;
  }

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

  /**
   * Returns the cell of a place inside the world: the present one unless the place is more than a border
   * outside it. So what moves along an edge does not change cells with every step.
   */
  cellAt(x: number, y: number, present = NOWHERE): number {
    if (present !== NOWHERE && this.#keeps(present, x, y)) return present;
    const col = Math.min(Math.floor((x - this.world.minX) / this.cellM), this.cols - 1);
    const row = Math.min(Math.floor((y - this.world.minY) / this.cellM), this.rows - 1);
    return row * this.cols + col;
  }

  /** Returns the ground on which entities of a cell may be: the square and its border. */
  groundOf(cell: number): Rectangle {
    const minX = this.leftOf(cell % this.cols);
    const minY = this.bottomOf(Math.floor(cell / this.cols));
    const edgeM = this.cellM + 2 * this.borderM;
    return { minX, minY, maxX: minX + edgeM, maxY: minY + edgeM };
  }

  /** Returns the least x of a column's ground, m. */
  leftOf(col: number): number {
    return this.world.minX + col * this.cellM - this.borderM;
  }

  /** Returns the least y of a row's ground, m. */
  bottomOf(row: number): number {
    return this.world.minY + row * this.cellM - this.borderM;
  }

  #keeps(cell: number, x: number, y: number): boolean {
    const edgeM = this.cellM + 2 * this.borderM;
    const fromLeft = x - this.leftOf(cell % this.cols);
    if (!(fromLeft >= 0 && fromLeft <= edgeM)) return false;
    const fromBottom = y - this.bottomOf(Math.floor(cell / this.cols));
    return fromBottom >= 0 && fromBottom <= edgeM;
  }
}
