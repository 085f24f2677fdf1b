import { FREQUENCY_TOTAL } from "./entropy-coder.js";
import type { ResidualModel } from "./residual-model.js";
import type { StatePlan } from "../plan/state-plan.js";

const GRID_HOLDS = Math.round(FREQUENCY_TOTAL * 0.94);

/**
 * Columns whose values come in coarser steps than they could, such as an input in eighths of its range or a height
 * in decimetres: if all baselines of a packet are multiples of some number, the packet says in a fraction of a bit
 * whether its own values are too. An
 * input's smallest and largest value may break the rule: inputs are often cut off there.
 */
export class PacketGrids {
  /** By column; 1 where nothing is known. */
  values: Int32Array = new Int32Array(64).fill(1);
  /** Columns that may still have one. */
  #open: Uint16Array = new Uint16Array(64);
  #openCount = 0;

  /** Forgets everything. */
  start(plan: StatePlan): void {
    if (plan.width > this.values.length) {
      this.values = new Int32Array(plan.width);
      this.#open = new Uint16Array(plan.width);
    }
    const { gridColumns } = plan;
    for (let column = 0; column < plan.width; column++) this.values[column] = 1;
    for (let index = 0; index < gridColumns.length; index++) {
      const column = gridColumns[index]!;
      this.values[column] = 0;
      this.#open[index] = column;
    }
    this.#openCount = gridColumns.length;
  }

  /** Takes in the values of a baseline. */
  observe(plan: StatePlan, rows: Int32Array, at: number): void {
    const grids = this.values;
    const open = this.#open;
    let kept = 0;
    for (let index = 0; index < this.#openCount; index++) {
      const column = open[index]!;
      const value = rows[at + column]!;
      if (!isCutOff(plan, column, value)) grids[column] = commonDivisor(grids[column]!, value);
      if (grids[column] !== 1) open[kept++] = column;
    }
    this.#openCount = kept;
  }

  /** Whether a state keeps to the grids, column by column; those that it breaks are marked in `broken`. */
  check(plan: StatePlan, rows: Int32Array, at: number, broken: Uint8Array): void {
    for (let index = 0; index < this.#openCount; index++) {
      const column = this.#open[index]!;
      const grid = this.values[column]!;
      const value = rows[at + column]!;
      if (grid > 1 && value % grid !== 0 && !isCutOff(plan, column, value)) broken[column] = 1;
    }
  }

  /** Codes which grids hold; the others become 1. */
  code(model: ResidualModel, broken: Uint8Array): void {
    for (let index = 0; index < this.#openCount; index++) {
      const column = this.#open[index]!;
      if (this.values[column]! < 2 || !model.codeFlag(broken[column] === 0, GRID_HOLDS))
        this.values[column] = 1;
    }
  }
}

function isCutOff({ isStep, min, max }: StatePlan, column: number, value: number): boolean {
  return isStep[column] === 1 && (value === min[column] || value === max[column]);
}

/** Euclid; the divisor of 0 and a number is the number. */
function commonDivisor(a: number, b: number): number {
  let larger = a;
  let smaller = b < 0 ? -b : b;
  while (smaller !== 0) {
    const rest = larger % smaller;
    larger = smaller;
    smaller = rest;
  }
  return larger;
}
