import type { EntityDefinition } from "@paceline/protocol";

const FIRST_CAPACITY = 8;

/**
 * All entities of one kind, as rows of Float32 components: `state` is what the owner last wrote or sent, `shown`
 * what to draw now. The arrays are replaced when the table grows: read them from the table each time.
 */
export class EntityTable {
  readonly definition: EntityDefinition;
  /** Components per row. */
  readonly width: number;
  #state: Float32Array;
  #shown: Float32Array;
  readonly #free: number[] = [];
  #used = 0;

  constructor(definition: EntityDefinition, capacity = FIRST_CAPACITY) {
    this.definition = definition;
    this.width = definition.components.length;
    this.#state = new Float32Array(capacity * this.width);
    this.#shown = new Float32Array(capacity * this.width);
  }

  get state(): Float32Array {
    return this.#state;
  }

  get shown(): Float32Array {
    return this.#shown;
  }

  /** A row, filled with each component's value nearest to zero. */
  allocate(): number {
    const row = this.#free.pop() ?? this.#used++;
    if ((row + 1) * this.width > this.#state.length) this.#grow();
    for (const [index, { min, max }] of this.definition.components.entries()) {
      const value = Math.min(Math.max(0, min), max);
      this.#state[row * this.width + index] = value;
      this.#shown[row * this.width + index] = value;
    }
    return row;
  }

  release(row: number): void {
    this.#free.push(row);
  }

  /** A row's state as a view, valid until the table grows. */
  stateOf(row: number): Float32Array {
    return this.#state.subarray(row * this.width, (row + 1) * this.width);
  }

  shownOf(row: number): Float32Array {
    return this.#shown.subarray(row * this.width, (row + 1) * this.width);
  }

  #grow(): void {
    const larger = (old: Float32Array) => {
      const array = new Float32Array(old.length * 2);
      array.set(old);
      return array;
    };
    this.#state = larger(this.#state);
    this.#shown = larger(this.#shown);
  }
}

/** Where an entity's values are: a row of a table. */
export interface Place {
  table: EntityTable;
  row: number;
}

/**
 * Gives a row back to its table. Whoever still holds the place keeps the last values, in a table of its own: the
 * row may be another entity's soon.
 */
export function vacate(place: Place): void {
  const { table, row } = place;
  const own = new EntityTable(table.definition, 1);
  const ownRow = own.allocate();
  own.stateOf(ownRow).set(table.stateOf(row));
  own.shownOf(ownRow).set(table.shownOf(row));
  table.release(row);
  place.table = own;
  place.row = ownRow;
}
