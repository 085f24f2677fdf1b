import type { EntityDefinition, Leaf } from "@paceline/protocol";

const FIRST_CAPACITY = 8;

/**
 * All entities of one kind, as rows of Float32 components: `state` is the owner's newest state, `shown` the
 * pose to draw now. The table replaces these arrays when it grows, so read them from the table each time.
 */
export class EntityTable {
  readonly definition: EntityDefinition;
  /** Components per row. */
  readonly width: number;
  state: Float32Array;
  shown: Float32Array;
  /** Views per row, kept because they are read often. */
  #stateViews: Float32Array[] = [];
  #shownViews: Float32Array[] = [];
  #scratch: Float32Array | undefined;
  readonly #textsByRow: (string | Uint8Array)[][] = [];
  readonly #free: number[] = [];
  #used = 0;

  constructor(definition: EntityDefinition, capacity = FIRST_CAPACITY) {
    this.definition = definition;
    this.width = definition.components.length;
    this.state = new Float32Array(capacity * this.width);
    this.shown = new Float32Array(capacity * this.width);
  }

  /** Returns a free row, filled with the initial values of the fields. */
  allocate(): number {
    const row = this.#free.pop() ?? this.#used++;
    if ((row + 1) * this.width > this.state.length) this.#grow();
    for (const [index, { initial }] of this.definition.components.entries()) {
      this.state[row * this.width + index] = initial;
      this.shown[row * this.width + index] = initial;
    }
    this.#textsByRow[row] = this.definition.leaves.filter(({ count }) => count === 0).map(initialText);
    return row;
  }

  release(row: number): void {
    this.#free.push(row);
  }

  /** Buffer for building one row. The next use overwrites it. */
  get scratch(): Float32Array {
    return (this.#scratch ??= new Float32Array(this.width));
  }

  /** Returns a row's state as a view, valid until the table grows. */
  stateOf(row: number): Float32Array {
    return (this.#stateViews[row] ??= this.state.subarray(row * this.width, (row + 1) * this.width));
  }

  shownOf(row: number): Float32Array {
    return (this.#shownViews[row] ??= this.shown.subarray(row * this.width, (row + 1) * this.width));
  }

  /** Returns a row's texts, in the order of the definition. */
  textsOf(row: number): (string | Uint8Array)[] {
    return this.#textsByRow[row]!;
  }

  #grow(): void {
    const larger = (old: Float32Array) => {
      const array = new Float32Array(old.length * 2);
      array.set(old);
      return array;
    };
    this.state = larger(this.state);
    this.#stateViews = [];
    this.#shownViews = [];
    this.shown = larger(this.shown);
  }
}

function initialText({ field }: Leaf): string | Uint8Array {
  return field.kind === "string" ? (field.default ?? "") : new Uint8Array(0);
}

/** The place of an entity's values: a row of a table. */
export interface Place {
  table: EntityTable;
  row: number;
  /** True while newer values wait to be written to the row: see `Row.beforeRead`. */
  isOld?: boolean;
}

/**
 * Returns a row to its table for reuse. The place moves to a table of its own with the last values, for
 * holders that still read it.
 */
export function vacate(place: Place): void {
  const { table, row } = place;
  const own = new EntityTable(table.definition, 1);
  const ownRow = own.allocate();
  own.stateOf(ownRow).set(table.stateOf(row));
  own.shownOf(ownRow).set(table.shownOf(row));
  own.textsOf(ownRow).splice(0, Infinity, ...table.textsOf(row));
  table.release(row);
  place.table = own;
  place.row = ownRow;
}
