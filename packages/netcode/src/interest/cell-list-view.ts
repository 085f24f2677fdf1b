import { CellScheme, NOWHERE } from "./cell-scheme.js";
import { CellView, UNSEEN, ringDistances, type RingChange, type RingDistances } from "./cell-view.js";
import type { CellVisibility } from "./cell-visibility.js";
import type { InterestPlan, Rectangle } from "./interest-options.js";

const RING_BITS = 8;
const FIRST_CAPACITY = 32;

/** The cells near a place. All viewers of a room write theirs here, one after the other. */
class NearCells {
  count = 0;
  cells = new Int32Array(FIRST_CAPACITY);
  /** Squares of the distances to the ground of each cell, m². */
  distancesM2 = new Float64Array(FIRST_CAPACITY);

  add(cell: number, distanceM2: number): void {
    if (this.count === this.cells.length) {
      const [cells, distancesM2] = [this.cells, this.distancesM2];
      this.cells = new Int32Array(2 * this.count);
      this.cells.set(cells);
      this.distancesM2 = new Float64Array(2 * this.count);
      this.distancesM2.set(distancesM2);
    }
    this.cells[this.count] = cell;
    this.distancesM2[this.count++] = distanceM2;
  }
}

/** A scheme that lists the cells near a place. */
export abstract class ListedCells extends CellScheme {
  readonly near = new NearCells();
  #distances: RingDistances | undefined;

  /** Writes the cells whose ground is at most so far from a place into {@link near}. */
  abstract findNear(x: number, y: number, radiusM: number): void;

  newView(plan: InterestPlan, visibility: CellVisibility | undefined): CellView {
    this.#distances ??= ringDistances(plan, this.borderM);
    return new CellListView(this, this.#distances, visibility);
  }
}

/** The cells around a viewer, as a list: for schemes whose cells are no rows of squares. */
class CellListView extends CellView {
  readonly #scheme: ListedCells;
  readonly #radiusM: number;
  readonly #visibility: CellVisibility | undefined;
  /** Each seen cell with its ring in the last 8 bits, in the order of the cells. */
  #now = new Int32Array(FIRST_CAPACITY);
  #before = new Int32Array(FIRST_CAPACITY);
  #beforeCount = 0;

  constructor(scheme: ListedCells, distances: RingDistances, visibility: CellVisibility | undefined) {
    super(distances);
    this.#scheme = scheme;
    this.#radiusM = Math.sqrt(distances.leaveM2.at(-1)!);
    this.#visibility = visibility;
  }

  ringOf(cell: number): number {
    return cell === NOWHERE ? UNSEEN : ringIn(this.#now, this.seenCount, cell);
  }

  look(cell: number, viewpoint: Float64Array): boolean {
    const { near } = this.#scheme;
    near.count = 0;
    this.#scheme.findNear(viewpoint[0]!, viewpoint[1]!, this.#radiusM);
    this.#turnOver(near.count);
    let seen = 0;
    for (let each = 0; each < near.count; each++) {
      const other = near.cells[each]!;
      const present = ringIn(this.#before, this.#beforeCount, other);
      const ring = this.ringAt(near.distancesM2[each]!, present);
      if (ring === UNSEEN || (this.#visibility && !this.#visibility.seesPair(cell, other))) continue;
      this.#now[seen++] = (other << RING_BITS) | ring;
    }
    this.seenCount = seen;
    const keys = this.#now.subarray(0, seen).sort();
    let isSame = seen === this.#beforeCount;
    for (let at = 0; at < seen; at++) {
      const key = keys[at]!;
      this.seenCells[at] = key >> RING_BITS;
      this.seenRings[at] = key & UNSEEN;
      isSame &&= key === this.#before[at];
    }
    return !isSame;
  }

  report(onChange: RingChange): void {
    const [now, before] = [this.#now, this.#before];
    let at = 0;
    let atBefore = 0;
    while (at < this.seenCount || atBefore < this.#beforeCount) {
      const cell = at < this.seenCount ? now[at]! >> RING_BITS : Infinity;
      const cellBefore = atBefore < this.#beforeCount ? before[atBefore]! >> RING_BITS : Infinity;
      const ring = cell <= cellBefore ? now[at++]! & UNSEEN : UNSEEN;
      const ringBefore = cellBefore <= cell ? before[atBefore++]! & UNSEEN : UNSEEN;
      onChange(Math.min(cell, cellBefore), ring, ringBefore);
    }
  }

  /** Makes what is seen now that of before, and room for so many cells. */
  #turnOver(capacity: number): void {
    const old = this.#before;
    this.#before = this.#now;
    this.#beforeCount = this.seenCount;
    this.#now = old;
    if (this.#now.length < capacity) this.#now = new Int32Array(2 * capacity);
    if (this.seenCells.length >= capacity) return;
    this.seenCells = new Int32Array(2 * capacity);
    this.seenRings = new Uint8Array(2 * capacity);
  }
}

/** Returns the ring of a cell in a sorted list of cells with rings. */
function ringIn(keys: Int32Array, count: number, cell: number): number {
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const other = keys[middle]! >> RING_BITS;
    if (other === cell) return keys[middle]! & UNSEEN;
    if (other < cell) low = middle + 1;
    else high = middle - 1;
  }
  return UNSEEN;
}

/**
 * Returns the first and the last of `count` equal stretches, of which the first begins at 0, that are within a reach of a
 * place; the nearest one if none is.
 */
export function spanOf(
  fromM: number,
  reachM: number,
  edgeM: number,
  count: number,
): readonly [number, number] {
  const indexOf = (alongM: number) => Math.min(Math.max(Math.floor(alongM / edgeM), 0), count - 1);
  return [indexOf(fromM - reachM), indexOf(fromM + reachM)];
}

/** Returns the square of the distance to a rectangle; 0 inside it. */
export function distanceM2To({ minX, minY, maxX, maxY }: Rectangle, x: number, y: number): number {
  return Math.max(minX - x, 0, x - maxX) ** 2 + Math.max(minY - y, 0, y - maxY) ** 2;
}
