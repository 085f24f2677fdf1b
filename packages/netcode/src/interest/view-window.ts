import { NOWHERE } from "./cell-scheme.js";
import { CellView, UNSEEN, ringDistances, type RingChange, type RingDistances } from "./cell-view.js";
import type { CellVisibility } from "./cell-visibility.js";
import type { InterestPlan } from "./interest-options.js";
import type { SquareGrid } from "./square-grid.js";

/** The geometry that all windows of a room share. */
export interface WindowGeometry extends RingDistances {
  readonly grid: SquareGrid;
  /** Undefined: nothing is in the way. */
  readonly visibility: CellVisibility | undefined;
  /** Cells along an edge of a window. */
  readonly edge: number;
  /** Squares of the distances to the columns and rows of the window that is measured now, m². */
  readonly columnM2: Float64Array;
  readonly rowM2: Float64Array;
}

export function windowGeometry(
  plan: InterestPlan,
  grid: SquareGrid,
  visibility: CellVisibility | undefined,
): WindowGeometry {
  const edge = windowEdge(plan);
  return {
    grid,
    visibility,
    edge,
    ...ringDistances(plan, plan.borderM),
    columnM2: new Float64Array(edge),
    rowM2: new Float64Array(edge),
  };
}

/** Returns the number of cells along an edge of a viewer's window. */
export function windowEdge({ reach }: InterestPlan): number {
  return 2 * reach + 1;
}

/** The cells around a viewer, as a window of squares. */
export class ViewWindow extends CellView {
  /** The ring of each cell of the window, row by row; {@link UNSEEN} beyond the last. */
  rings: Uint8Array;
  /** The viewer's own cell, in the middle of the window. */
  cell = NOWHERE;
  /** The rings before the last {@link look}. */
  before: Uint8Array;
  readonly #geometry: WindowGeometry;

  constructor(geometry: WindowGeometry) {
    super(geometry);
    this.#geometry = geometry;
    const { edge } = geometry;
    this.rings = new Uint8Array(edge * edge).fill(UNSEEN);
    this.before = new Uint8Array(edge * edge);
    this.seenCells = new Int32Array(edge * edge);
    this.seenRings = new Uint8Array(edge * edge);
  }

  /** Returns the cell at a place of the window; {@link NOWHERE} outside the world. */
  cellAt(place: number): number {
    const { edge, grid } = this.#geometry;
    const col = (this.cell % grid.cols) - (edge >> 1) + (place % edge);
    const row = Math.floor(this.cell / grid.cols) - (edge >> 1) + Math.floor(place / edge);
    return col < 0 || row < 0 || col >= grid.cols || row >= grid.rows ? NOWHERE : row * grid.cols + col;
  }

  ringOf(cell: number): number {
    if (this.cell === NOWHERE || cell < 0) return UNSEEN;
    const { edge, grid } = this.#geometry;
    const col = (cell % grid.cols) - (this.cell % grid.cols) + (edge >> 1);
    const row = Math.floor(cell / grid.cols) - Math.floor(this.cell / grid.cols) + (edge >> 1);
    return col < 0 || row < 0 || col >= edge || row >= edge ? UNSEEN : this.rings[row * edge + col]!;
  }

  /** Cells that are outside the window now are reported at once. */
  look(cell: number, viewpoint: Float64Array, onChange: RingChange): boolean {
    this.#centre(cell, onChange);
    return this.#measure(viewpoint);
  }

  report(onChange: RingChange): void {
    const { before, rings } = this;
    for (let place = 0; place < rings.length; place++)
      if (rings[place] !== UNSEEN || before[place] !== UNSEEN)
        onChange(this.cellAt(place), rings[place]!, before[place]!);
  }

  /** Moves the window so that a cell is in its middle. */
  #centre(cell: number, onChange: RingChange): void {
    if (cell === this.cell) return;
    const { edge, grid } = this.#geometry;
    const next = this.before.fill(UNSEEN);
    const shiftCols = (this.cell % grid.cols) - (cell % grid.cols);
    const shiftRows = Math.floor(this.cell / grid.cols) - Math.floor(cell / grid.cols);
    for (let place = 0; place < next.length; place++) {
      const ring = this.rings[place]!;
      if (ring === UNSEEN) continue;
      const col = (place % edge) + shiftCols;
      const row = Math.floor(place / edge) + shiftRows;
      if (col >= 0 && row >= 0 && col < edge && row < edge) next[row * edge + col] = ring;
      else onChange(this.cellAt(place), UNSEEN, ring);
    }
    this.before = this.rings;
    this.rings = next;
    this.cell = cell;
  }

  /** Measures the cells from a viewpoint in the middle cell. */
  #measure(viewpoint: Float64Array): boolean {
    const { edge, grid, columnM2, rowM2, leaveM2, visibility } = this.#geometry;
    const { rings } = this;
    const next = this.before.fill(UNSEEN);
    const firstCol = (this.cell % grid.cols) - (edge >> 1);
    const firstRow = Math.floor(this.cell / grid.cols) - (edge >> 1);
    const groundM = grid.cellM + 2 * grid.borderM;
    measureAlong(columnM2, viewpoint[0]! - grid.leftOf(firstCol), grid.cellM, groundM);
    measureAlong(rowM2, viewpoint[1]! - grid.bottomOf(firstRow), grid.cellM, groundM);
    const colStart = Math.max(0, -firstCol);
    const colEnd = Math.min(edge, grid.cols - firstCol);
    const rowEnd = Math.min(edge, grid.rows - firstRow);
    const outerM2 = leaveM2[leaveM2.length - 1]!;
    let seen = 0;
    let kept = 0;
    for (let row = Math.max(0, -firstRow); row < rowEnd; row++) {
      const outerColumnM2 = outerM2 - rowM2[row]!;
      for (let col = colStart; col < colEnd; col++) {
        if (columnM2[col]! > outerColumnM2) continue;
        const place = row * edge + col;
        const present = rings[place]!;
        const ring = this.ringAt(columnM2[col]! + rowM2[row]!, present);
        if (ring === UNSEEN || (visibility && !visibility.sees(this.cell, this.cellAt(place), place)))
          continue;
        next[place] = ring;
        seen += 1;
        if (ring === present) kept += 1;
      }
    }
    this.before = rings;
    this.rings = next;
    if (kept === seen && seen === this.seenCount) return false;
    this.#listSeen();
    return true;
  }

  #listSeen(): void {
    let seen = 0;
    for (let place = 0; place < this.rings.length; place++) {
      const ring = this.rings[place]!;
      if (ring === UNSEEN) continue;
      this.seenCells[seen] = this.cellAt(place);
      this.seenRings[seen++] = ring;
    }
    this.seenCount = seen;
  }
}

/**
 * Writes the squares of the distances to equal, overlapping stretches.
 *
 * @param from the place, from the start of the first stretch, m
 * @param stepM distance between the starts of two stretches
 */
function measureAlong(squaresM2: Float64Array, from: number, stepM: number, lengthM: number): void {
  for (let index = 0; index < squaresM2.length; index++) {
    const insideM = from - index * stepM;
    const distanceM = insideM < 0 ? -insideM : insideM > lengthM ? insideM - lengthM : 0;
    squaresM2[index] = distanceM * distanceM;
  }
}
