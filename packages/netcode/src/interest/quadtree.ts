import { assertWhole, checkKeys } from "@paceline/protocol";
import type { CellIndex } from "./cell-index.js";
import { NOWHERE } from "./cell-scheme.js";
import { ListedCells, distanceM2To, spanOf } from "./cell-list-view.js";
import type { InterestPlan, Rectangle } from "./interest-options.js";
import { InterestScheme } from "./interest-scheme.js";

/** Options of {@link quadtree}. */
export interface QuadtreeOptions {
  /** A cell with more entities splits into four, 2 to 1000. Default 24. */
  readonly splitAt?: number;
  /** How often a cell of the edge `cellM` may split, 1 to 4. Default 2. */
  readonly levels?: number;
}

/** Cells merge when all four have less than this share of `splitAt`, so that a crowd's edge does not flicker. */
const MERGE_SHARE = 0.5;
const BORDER_SHARE = 0.1;
/** A number into which nothing has split, one of a cell, and one of a cell that has split. */
const [NONE, CELL, SPLIT] = [0, 1, 2] as const;

/**
 * Divides the ground into squares of the edge `cellM` that split and merge with the crowd. Empty ground has few large
 * cells; in a crowd they are small, so that little comes from beyond the radius. `cellM` is the outer radius by default.
 */
export function quadtree(options: QuadtreeOptions = {}): InterestScheme {
  checkKeys("quadtree", options, ["splitAt", "levels"]);
  const { splitAt = 24, levels = 2 } = options;
  assertWhole("quadtree.splitAt", splitAt, { min: 2, max: 1000, unit: "entities" });
  assertWhole("quadtree.levels", levels, { min: 1, max: 4, unit: "splits" });
  return new InterestScheme("quadtree", {
    cellsPerRadius: 1,
    finestShare: 2 ** -levels,
    cellsPerSquare: (4 ** (levels + 1) - 1) / 3,
    newCells: (plan) => new Quadtree(plan, splitAt, levels),
  });
}

/**
 * A quadtree on each square of a grid. Numbers are those of places: first the squares of the grid, then all into which
 * these can split, and so on. So a cell that merges and splits again has the same number.
 */
class Quadtree extends ListedCells {
  readonly borderM: number;
  readonly marginM: number;
  readonly cellCount: number;
  readonly #plan: InterestPlan;
  readonly #splitAt: number;
  /** The first cell of each level, and the end of the last. */
  readonly #starts: readonly number[];
  /** By number: {@link NONE}, {@link CELL} or {@link SPLIT}. */
  readonly #states: Uint8Array;
  readonly #split = new Set<number>();

  constructor(plan: InterestPlan, splitAt: number, levels: number) {
    super(plan.world);
    const { cellM, cols, rows } = (this.#plan = plan);
    this.#splitAt = splitAt;
    const starts = [0];
    for (let level = 0; level <= levels; level++) starts.push(starts[level]! + cols * rows * 4 ** level);
    this.#starts = starts;
    this.cellCount = starts.at(-1)!;
    this.#states = new Uint8Array(this.cellCount).fill(CELL, 0, starts[1]);
    this.borderM = (cellM / 2 ** levels) * BORDER_SHARE;
    this.marginM = Math.SQRT2 * cellM * (1 + 2 * BORDER_SHARE) + 2 * this.borderM;
  }

  cellAt(x: number, y: number, present = NOWHERE): number {
    if (this.#states[present] === CELL && distanceM2To(this.groundOf(present), x, y) === 0) return present;
    for (let level = 0; ; level++) {
      const perM = 2 ** level / this.#plan.cellM;
      const cols = this.#plan.cols << level;
      // Places on the far border of the world belong to the last cells.
      const col = Math.min(Math.floor((x - this.world.minX) * perM), cols - 1);
      const row = Math.min(Math.floor((y - this.world.minY) * perM), (this.#plan.rows << level) - 1);
      const cell = this.#starts[level]! + row * cols + col;
      if (this.#states[cell] === CELL) return cell;
    }
  }

  groundOf(cell: number): Rectangle {
    const level = this.#levelOf(cell);
    const edgeM = this.#plan.cellM / 2 ** level;
    const cols = this.#plan.cols << level;
    const at = cell - this.#starts[level]!;
    const minX = this.world.minX + ((at % cols) - BORDER_SHARE) * edgeM;
    const minY = this.world.minY + (Math.floor(at / cols) - BORDER_SHARE) * edgeM;
    const groundM = edgeM * (1 + 2 * BORDER_SHARE);
    return { minX, minY, maxX: minX + groundM, maxY: minY + groundM };
  }

  findNear(x: number, y: number, radiusM: number): void {
    const { cellM, cols, rows } = this.#plan;
    const reachM = radiusM + cellM * BORDER_SHARE;
    const [firstCol, lastCol] = spanOf(x - this.world.minX, reachM, cellM, cols);
    const [firstRow, lastRow] = spanOf(y - this.world.minY, reachM, cellM, rows);
    for (let row = firstRow; row <= lastRow; row++)
      for (let col = firstCol; col <= lastCol; col++) this.#findIn(row * cols + col, x, y, radiusM * radiusM);
  }

  /** Splits crowded cells and merges empty ones, by one level at a time. */
  override adapt(index: CellIndex): void {
    const { cells, counts, size, everywhere } = index;
    const { version } = this;
    const finest = this.#starts.at(-2)!;
    for (let slot = 0; slot < size; slot++) {
      const cell = cells[slot]!;
      if (cell < finest && counts[cell]! > this.#splitAt && this.#states[cell] === CELL)
        this.#change(cell, SPLIT, CELL);
    }
    for (const cell of this.#split) {
      const children = this.#childrenOf(cell);
      if (children.some((child) => this.#states[child] === SPLIT)) continue;
      // A cell that has just split still has its entities.
      const count = children.reduce((sum, child) => sum + counts[child]!, counts[cell]!);
      if (count < this.#splitAt * MERGE_SHARE) this.#change(cell, CELL, NONE);
    }
    if (this.version === version) return;
    for (let slot = 0; slot < size; slot++)
      if (cells[slot] !== everywhere) cells[slot] = this.cellAt(index.x[slot]!, index.y[slot]!, cells[slot]);
  }

  #change(cell: number, state: number, stateOfChildren: number): void {
    this.#states[cell] = state;
    for (const child of this.#childrenOf(cell)) this.#states[child] = stateOfChildren;
    this.#split[state === SPLIT ? "add" : "delete"](cell);
    this.version += 1;
  }

  #findIn(cell: number, x: number, y: number, radiusM2: number): void {
    const distanceM2 = distanceM2To(this.groundOf(cell), x, y);
    if (distanceM2 > radiusM2) return;
    if (this.#states[cell] === CELL) this.near.add(cell, distanceM2);
    else for (const child of this.#childrenOf(cell)) this.#findIn(child, x, y, radiusM2);
  }

  #childrenOf(cell: number): number[] {
    const level = this.#levelOf(cell);
    const at = cell - this.#starts[level]!;
    const cols = this.#plan.cols << level;
    const first = this.#starts[level + 1]! + 4 * Math.floor(at / cols) * cols + 2 * (at % cols);
    return [first, first + 1, first + 2 * cols, first + 2 * cols + 1];
  }

  #levelOf(cell: number): number {
    return this.#starts.findIndex((start) => cell < start) - 1;
  }
}
