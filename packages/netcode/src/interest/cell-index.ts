import { NOWHERE, type CellScheme } from "./cell-scheme.js";

/** Told that an entity is in another cell. {@link NOWHERE}: it is new, or was removed. */
export type CellChange = (id: number, cell: number, previousCell: number) => void;

const FIRST_CAPACITY = 64;

/**
 * The entities of a world by cell. Values lie in dense slots: the last entity moves to the slot of a removed
 * one. Cells are those of the last {@link sort}, places those of the last {@link move}.
 */
export class CellIndex {
  /** Cell of the entities that concern every viewer. */
  readonly everywhere: number;
  size = 0;
  /** Place of the entity in each slot, m. */
  x = new Float64Array(FIRST_CAPACITY);
  y = new Float64Array(FIRST_CAPACITY);
  cells = new Int32Array(FIRST_CAPACITY);
  weights = new Float32Array(FIRST_CAPACITY);
  ids = new Uint16Array(FIRST_CAPACITY);
  /** Ids of all entities, those of a cell together: {@link starts} and {@link counts} say where. */
  members = new Uint16Array(FIRST_CAPACITY);
  readonly starts: Uint32Array;
  readonly counts: Uint32Array;
  readonly #grid: CellScheme;
  /** A number of its own for each placing, so that an id that is used again is another entity. */
  #serials = new Uint32Array(FIRST_CAPACITY);
  #sortedCells = new Int32Array(FIRST_CAPACITY);
  #slots = new Uint16Array(FIRST_CAPACITY);
  #occupied = new Int32Array(FIRST_CAPACITY);
  #occupiedCount = 0;
  #removedIds = new Uint16Array(FIRST_CAPACITY);
  #removedCells = new Int32Array(FIRST_CAPACITY);
  #removedCount = 0;
  #nextSerial = 1;

  constructor(grid: CellScheme) {
    this.#grid = grid;
    this.everywhere = grid.cellCount;
    this.starts = new Uint32Array(grid.cellCount + 1);
    this.counts = new Uint32Array(grid.cellCount + 1);
  }

  /** Number of slots; grows with the entities. */
  get capacity(): number {
    return this.x.length;
  }

  /** Returns the slot of an entity, valid until one is removed; -1 if there is none. */
  slotOf(id: number): number {
    const slot = this.#slots[id];
    return slot !== undefined && slot < this.size && this.ids[slot] === id ? slot : -1;
  }

  /** Returns the slot of the entity that was placed with that serial number; -1 if it was removed. */
  slotOfSerial(id: number, serial: number): number {
    const slot = this.slotOf(id);
    return slot >= 0 && this.#serials[slot] === serial ? slot : -1;
  }

  /** Returns the cell of an entity at the last {@link sort}; `NOWHERE` if it was not there. */
  cellOf(id: number): number {
    const slot = this.slotOf(id);
    return slot < 0 ? NOWHERE : this.#sortedCells[slot]!;
  }

  serialAt(slot: number): number {
    return this.#serials[slot]!;
  }

  /** Adds an entity at a place inside the world. */
  place(id: number, x: number, y: number, weight: number, isEverywhere: boolean): void {
    const slot = this.size++;
    if (slot === this.capacity) this.#growSlots();
    if (id >= this.#slots.length) this.#slots = larger(this.#slots, id + 1);
    this.#slots[id] = slot;
    this.ids[slot] = id;
    this.x[slot] = x;
    this.y[slot] = y;
    this.cells[slot] = isEverywhere ? this.everywhere : this.#grid.cellAt(x, y);
    this.weights[slot] = weight;
    this.#serials[slot] = this.#nextSerial++;
    this.#sortedCells[slot] = NOWHERE;
  }

  /** Moves the entity in a slot to a place inside the world. */
  move(slot: number, x: number, y: number): void {
    this.x[slot] = x;
    this.y[slot] = y;
    const cell = this.cells[slot]!;
    if (cell !== this.everywhere) this.cells[slot] = this.#grid.cellAt(x, y, cell);
  }

  removeAt(slot: number): void {
    if (this.#sortedCells[slot] !== NOWHERE) this.#noteRemoved(this.ids[slot]!, this.#sortedCells[slot]!);
    const last = --this.size;
    if (slot === last) return;
    this.x[slot] = this.x[last]!;
    this.y[slot] = this.y[last]!;
    this.cells[slot] = this.cells[last]!;
    this.weights[slot] = this.weights[last]!;
    this.ids[slot] = this.ids[last]!;
    this.#serials[slot] = this.#serials[last]!;
    this.#sortedCells[slot] = this.#sortedCells[last]!;
    this.#slots[this.ids[slot]] = slot;
  }

  /** Sorts the entities by cell, in time proportional to their number, and reports changes since the last call. */
  sort(onChange: CellChange): void {
    const { counts, starts, cells, members } = this;
    for (let each = 0; each < this.#removedCount; each++)
      onChange(this.#removedIds[each]!, NOWHERE, this.#removedCells[each]!);
    this.#removedCount = 0;
    for (let each = 0; each < this.#occupiedCount; each++) counts[this.#occupied[each]!] = 0;
    this.#occupiedCount = 0;
    for (let slot = 0; slot < this.size; slot++) {
      const cell = cells[slot]!;
      const count = counts[cell]!;
      if (count === 0) this.#occupied[this.#occupiedCount++] = cell;
      counts[cell] = count + 1;
    }
    let end = 0;
    for (let each = 0; each < this.#occupiedCount; each++) {
      const cell = this.#occupied[each]!;
      end += counts[cell]!;
      starts[cell] = end;
    }
    // Each cell is filled from its end, so that `starts` then holds its start.
    for (let slot = 0; slot < this.size; slot++) {
      const cell = cells[slot]!;
      const at = starts[cell]! - 1;
      starts[cell] = at;
      members[at] = this.ids[slot]!;
    }
    this.#report(onChange);
  }

  #report(onChange: CellChange): void {
    for (let slot = 0; slot < this.size; slot++) {
      const cell = this.cells[slot]!;
      const previous = this.#sortedCells[slot]!;
      if (cell === previous) continue;
      this.#sortedCells[slot] = cell;
      onChange(this.ids[slot]!, cell, previous);
    }
  }

  #noteRemoved(id: number, cell: number): void {
    if (this.#removedCount === this.#removedIds.length) {
      this.#removedIds = larger(this.#removedIds, this.#removedCount + 1);
      this.#removedCells = larger(this.#removedCells, this.#removedCount + 1);
    }
    this.#removedIds[this.#removedCount] = id;
    this.#removedCells[this.#removedCount++] = cell;
  }

  #growSlots(): void {
    const least = this.capacity + 1;
    this.x = larger(this.x, least);
    this.y = larger(this.y, least);
    this.cells = larger(this.cells, least);
    this.weights = larger(this.weights, least);
    this.ids = larger(this.ids, least);
    this.members = larger(this.members, least);
    this.#serials = larger(this.#serials, least);
    this.#sortedCells = larger(this.#sortedCells, least);
    this.#occupied = larger(this.#occupied, least);
  }
}

type Values = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array;

/** Returns a copy with at least that many places; the length is doubled, so that growing is rare. */
export function larger<Kind extends Values>(values: Kind, least: number): Kind {
  let length = Math.max(values.length, 1);
  while (length < least) length *= 2;
  const copy = new (values.constructor as new (length: number) => Kind)(length);
  copy.set(values);
  return copy;
}
