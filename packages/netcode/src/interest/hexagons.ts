import { NOWHERE } from "./cell-scheme.js";
import { ListedCells, spanOf } from "./cell-list-view.js";
import type { InterestPlan, Rectangle } from "./interest-options.js";
import { InterestScheme } from "./interest-scheme.js";

/** Height of the corner of a hexagon above the middle of its side, as a share of its width: 1 / (2 sqrt 3). */
const CORNER_SHARE = 1 / (2 * Math.sqrt(3));
const SIN_60 = Math.sqrt(3) / 2;

/**
 * Divides the ground into hexagons whose opposite sides are `cellM` apart. A hexagon is rounder than a square: less
 * comes from beyond the radius, and a viewer who walks has six neighbouring cells instead of eight.
 */
export function hexagons(): InterestScheme {
  // Rows overlap by a quarter, and the world may begin and end in the middle of a hexagon.
  return new InterestScheme("hexagons", { cellsPerSquare: 1.5, newCells: (plan) => new HexGrid(plan) });
}

/** The world as hexagons with a corner up, numbered row by row. Odd rows are shifted by half a hexagon. */
class HexGrid extends ListedCells {
  readonly borderM: number;
  readonly marginM: number;
  readonly cellCount: number;
  readonly #cols: number;
  readonly #rows: number;
  readonly #widthM: number;
  /** Distance between the centres of two rows, m. */
  readonly #rowM: number;
  /** Distance from the centre of a hexagon to the middle of a side of its ground, m. */
  readonly #groundM: number;

  constructor({ cellM, borderM, world }: InterestPlan) {
    super(world);
    this.borderM = borderM;
    this.#widthM = cellM;
    this.#rowM = cellM * SIN_60;
    this.#groundM = cellM / 2 + borderM;
    // The longest line inside the ground of a hexagon is from corner to corner.
    this.marginM = (2 * this.#groundM) / SIN_60 + 2 * borderM;
    this.#cols = Math.ceil((world.maxX - world.minX) / cellM) + 1;
    this.#rows = Math.ceil((world.maxY - world.minY) / this.#rowM) + 1;
    this.cellCount = this.#cols * this.#rows;
  }

  cellAt(x: number, y: number, present = NOWHERE): number {
    if (present !== NOWHERE && this.#distanceM2(present, x, y) === 0) return present;
    // The nearest centre is in one of the two rows around the place.
    const row = Math.min(Math.floor((y - this.world.minY) / this.#rowM), this.#rows - 1);
    const below = this.#nearestIn(row, x);
    if (row + 1 >= this.#rows) return below;
    const above = this.#nearestIn(row + 1, x);
    return this.#centreM2(above, x, y) < this.#centreM2(below, x, y) ? above : below;
  }

  groundOf(cell: number): Rectangle {
    const [x, y] = [this.#xOf(cell), this.#yOf(cell)];
    const cornerM = this.#groundM / SIN_60;
    return {
      minX: x - this.#groundM,
      minY: y - cornerM,
      maxX: x + this.#groundM,
      maxY: y + cornerM,
    };
  }

  findNear(x: number, y: number, radiusM: number): void {
    const { minX, minY } = this.world;
    const reachM = radiusM + this.#groundM / SIN_60;
    // Counted from half a stretch before the centres.
    const [firstRow, lastRow] = spanOf(y - minY + this.#rowM / 2, reachM, this.#rowM, this.#rows);
    for (let row = firstRow; row <= lastRow; row++) {
      const fromX = x - minX + (row & 1 ? 0 : this.#widthM / 2);
      const [firstCol, lastCol] = spanOf(fromX, reachM, this.#widthM, this.#cols);
      for (let col = firstCol; col <= lastCol; col++) {
        const cell = row * this.#cols + col;
        const distanceM2 = this.#distanceM2(cell, x, y);
        if (distanceM2 <= radiusM * radiusM) this.near.add(cell, distanceM2);
      }
    }
  }

  /** Returns the square of the distance to the ground of a cell; 0 inside it. */
  #distanceM2(cell: number, x: number, y: number): number {
    // By symmetry, the place is to the right of the centre and above it.
    const dx = Math.abs(x - this.#xOf(cell));
    const dy = Math.abs(y - this.#yOf(cell));
    const groundM = this.#groundM;
    const beyondM = dx / 2 + dy * SIN_60 - groundM;
    if (dx <= groundM && beyondM <= 0) return 0;
    const halfM = 2 * groundM * CORNER_SHARE;
    if (dy <= halfM) return (dx - groundM) ** 2;
    // Along the upper right side, from its corner at the right: the part beyond the corners counts.
    const alongM = (groundM - dx) * SIN_60 + (dy - halfM) / 2;
    const pastM = alongM < 0 ? -alongM : Math.max(0, alongM - 2 * halfM);
    return beyondM * beyondM + pastM * pastM;
  }

  #nearestIn(row: number, x: number): number {
    const startX = this.world.minX + (row & 1 ? this.#widthM / 2 : 0);
    const col = Math.round((x - startX) / this.#widthM);
    return row * this.#cols + Math.min(Math.max(col, 0), this.#cols - 1);
  }

  #centreM2(cell: number, x: number, y: number): number {
    return (x - this.#xOf(cell)) ** 2 + (y - this.#yOf(cell)) ** 2;
  }

  #xOf(cell: number): number {
    const isOdd = Math.floor(cell / this.#cols) & 1;
    return this.world.minX + (cell % this.#cols) * this.#widthM + (isOdd ? this.#widthM / 2 : 0);
  }

  #yOf(cell: number): number {
    return this.world.minY + Math.floor(cell / this.#cols) * this.#rowM;
  }
}
