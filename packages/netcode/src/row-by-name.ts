import type { EntityDefinition } from "@paceline/protocol";
import type { Components } from "./body/body-layout.js";
import { newCells, type Cells } from "./entity-view.js";

/**
 * Named fields of a definition over rows of components. The row can be replaced. Texts are not part of a row.
 */
export class RowByName implements Cells {
  readonly access: "read" | "free";
  /** The row that {@link view} reads and writes. */
  row: Components;
  readonly view: object;

  constructor(definition: EntityDefinition, access: "read" | "free") {
    this.access = access;
    this.row = new Float64Array(definition.components.length);
    this.view = newCells(definition, this);
  }

  get(offset: number): number {
    return this.row[offset]!;
  }

  set(offset: number, value: number): void {
    this.row[offset] = value;
  }

  setAll(offset: number, values: ArrayLike<number>): void {
    this.row.set(values, offset);
  }

  text(): string {
    return "";
  }

  setText(): void {
    // A motion model must not read texts: predictions would differ between machines.
  }
}
