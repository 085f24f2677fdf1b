import type { Baselines } from "./baselines.js";
import { FREQUENCY_TOTAL } from "./entropy-coder.js";
import { LOG_UNITS, integerLog } from "./integer-log.js";
import type { ResidualModel } from "./residual-model.js";
import { FEATURES, Role } from "../plan/residual-parameters.js";
import type { ColumnGroup, StatePlan } from "../plan/state-plan.js";

const EVEN = FREQUENCY_TOTAL / 2;
const MOST_CERTAIN = FREQUENCY_TOTAL - 64;

const CHANGE = Role.change * FEATURES;
const STEP = Role.step * FEATURES;
const WEIGHT_SHIFT = 6;

/** By how much wider than expected the residuals of the last two groups were. */
export interface Surprises {
  last: number;
  before: number;
}

/**
 * Codes numbers that hold and then step: inputs, counters, flags, names. First whether they have changed; then
 * whether they went to one of the places where such numbers rest (nothing, smallest, largest: keys are all or
 * nothing), which the packet learns as it goes; then by how much.
 */
export class StepCoder {
  readonly #model: ResidualModel;
  #extremes = new Uint16Array(64);
  #counted = 0;
  /** Of the number that is being coded: its three baselines, and what the groups before say about its width. */
  #value = 0;
  #older = 0;
  #oldest = 0;
  #surprises = 0;
  /** False once a decoded value lay outside its range. */
  isInRange = true;

  constructor(model: ResidualModel) {
    this.#model = model;
  }

  /** Before the first entity of a packet. */
  start(): void {
    this.#extremes.fill(0);
    this.#counted = 0;
    this.isInRange = true;
  }

  /** After each entity. */
  next(): void {
    this.#counted += 1;
  }

  /** @param grid what all values are multiples of; `surprises` of the two groups before */
  code(plan: StatePlan, group: ColumnGroup, baselines: Baselines, grid: number, surprises: Surprises): void {
    const { row, at, rows, at0, at1, at2 } = baselines;
    const { weights } = this.#model;
    const column = group.first;
    const value = rows[at0 + column]!;
    const older = at1 < 0 ? value : rows[at1 + column]!;
    const oldest = at2 < 0 ? older : rows[at2 + column]!;
    const wasExtreme = isExtreme(plan, column, value);
    let known = weights[CHANGE]!;
    if (value !== older) known += weights[CHANGE + 1]!;
    if (older !== oldest) known += weights[CHANGE + 2]!;
    if (wasExtreme) known += weights[CHANGE + 3]!;
    const scale =
      known * LOG_UNITS + weights[CHANGE + 7]! * surprises.last + weights[CHANGE + 8]! * surprises.before;
    if (column >= this.#extremes.length) this.#grow(plan.width);
    this.#value = value;
    this.#older = older;
    this.#oldest = oldest;
    this.#surprises = surprises.last * weights[STEP + 7]! + surprises.before * weights[STEP + 8]!;
    if (!this.#model.codeChange(scale >> WEIGHT_SHIFT, row[at + column] !== value)) {
      row[at + column] = value;
      if (wasExtreme) this.#extremes[column]! += 1;
      return;
    }
    const coded =
      group.role === Role.change
        ? this.#other(plan, column, row[at + column]!, value)
        : this.#stepped(plan, column, row[at + column]!, grid);
    if (coded >= plan.min[column]! && coded <= plan.max[column]!) row[at + column] = coded;
    else {
      this.isInRange = false;
      row[at + column] = value;
    }
    if (isExtreme(plan, column, coded)) this.#extremes[column]! += 1;
  }

  /** A name or a flag that is not what it was: among the others, all are equally likely. */
  #other(plan: StatePlan, column: number, value: number, was: number): number {
    const bits = plan.bits[column]!;
    return bits === 1 ? 1 - was : this.#model.codeBits(value, bits);
  }

  #stepped(plan: StatePlan, column: number, to: number, grid: number): number {
    const value = this.#value;
    const older = this.#older;
    const extremes = (isExtreme(plan, column, value) ? 1 : 0) + (isExtreme(plan, column, older) ? 1 : 0);
    const seen = (this.#extremes[column] ?? 0) + extremes + 1;
    const chance = Math.floor((FREQUENCY_TOTAL * seen) / (this.#counted + 4));
    const isToExtreme = isExtreme(plan, column, to);
    if (this.#model.codeFlag(isToExtreme, Math.min(Math.max(chance, 64), MOST_CERTAIN))) {
      return this.#extreme(plan, column, value, to);
    }
    const { weights } = this.#model;
    const scale =
      weights[STEP]! * LOG_UNITS +
      weights[STEP + 1]! * integerLog(Math.floor(Math.abs(value - older) / grid)) +
      weights[STEP + 2]! * integerLog(Math.floor(Math.abs(older - this.#oldest) / grid)) +
      this.#surprises;
    const around = Math.floor(value / grid + 0.5);
    return (around + this.#model.code(Role.step, scale >> WEIGHT_SHIFT, ((to / grid) | 0) - around)) * grid;
  }

  /** Which of the up to three places, leaving out the one it came from. */
  #extreme(plan: StatePlan, column: number, from: number, to: number): number {
    const min = plan.min[column]!;
    const max = plan.max[column]!;
    const rest = plan.rest[column]!;
    const isResting = from !== rest && this.#model.codeFlag(to === rest, EVEN);
    if (isResting) return rest;
    if (from === min || rest === min) return max;
    if (from === max || rest === max) return min;
    return this.#model.codeFlag(to === max, EVEN) ? max : min;
  }

  #grow(width: number): void {
    const larger = new Uint16Array(width);
    larger.set(this.#extremes);
    this.#extremes = larger;
  }
}

function isExtreme(plan: StatePlan, column: number, value: number): boolean {
  return value === plan.rest[column] || value === plan.min[column] || value === plan.max[column];
}
