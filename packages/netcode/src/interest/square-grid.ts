import { CellScheme, NOWHERE } from "./cell-scheme.js";
import type { CellView } from "./cell-view.js";
import type { CellVisibility } from "./cell-visibility.js";
import type { InterestPlan, Rectangle } from "./interest-options.js";
import { ViewWindow, windowGeometry, type WindowGeometry } from "./view-window.js";

/** The world as squares, numbered row by row. */
export class SquareGrid extends CellScheme {
  readonly cols: number;
  readonly rows: number;
  readonly cellM: number;
  readonly borderM: number;
  readonly marginM: number;
  /** Shared by all views of the room. */
  #geometry: WindowGeometry | undefined;

  constructor({ cols, rows, cellM, borderM, marginM, world }: InterestPlan) {
    super(world);
    this.cols = cols;
    this.rows = rows;
    this.cellM = cellM;
    this.borderM = borderM;
    this.marginM = marginM;
  }

  get cellCount(): number {
    return this.cols * this.rows;
  }

  newView(plan: InterestPlan, visibility: CellVisibility | undefined): CellView {
    this.#geometry ??= windowGeometry(plan, this, visibility);
    return new ViewWindow(this.#geometry);
  }

  cellAt(x: number, y: number, present = NOWHERE): number {
    if (present !== NOWHERE && this.#keeps(present, x, y)) return present;
    const col = Math.min(Math.floor((x - this.world.minX) / this.cellM), this.cols - 1);
    const row = Math.min(Math.floor((y - this.world.minY) / this.cellM), this.rows - 1);
    return row * this.cols + col;
  }

  /** The square and its border. */
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
