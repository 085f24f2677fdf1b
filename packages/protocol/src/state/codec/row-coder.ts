import type { Baselines } from "./baselines.js";
import { QUAT_COLUMNS } from "../columns/state-plan.js";
import type { BitCoder } from "./bit-coder.js";
import {
  LARGE,
  MASKED_BELOW,
  MASKS,
  MOVES,
  SIZES,
  STEPS,
  TOKEN_OF,
  WIDEST,
  WIDEST_MOVE,
  WIDEST_SIZE,
  halfOctave,
} from "./prefix-tables.js";
import { MASKED, NARROW_BITS, Prediction, type RowPlan, type Run } from "./row-plan.js";
import { leaveOut, turnOn } from "./turning.js";

/** Expected class of a column with only one known state. */
const UNKNOWN = 8;
/** First class of columns that step, by the size of their last step. The first class stood still. */
const STEPPED = 48;
const HELD = STEPPED;
/** Mask bits per symbol. */
const MASK_BITS = 4;
/**
 * How a column's residual is coded, by its class and {@link MASKED} for narrow columns: from bit 8 the table,
 * from bit 2 the shift, bit 1: a column with a mask bit has moved in the last interval, bit 0: it has a mask
 * bit. These are the columns with small expected residuals, and all that step.
 */
const HOW = Int32Array.from({ length: 2 * MASKED }, (_, index) => {
  const expected = index % MASKED;
  const isMasked = index >= MASKED || expected < MASKED_BELOW || expected >= STEPPED;
  const hasMoved = expected !== 0 && expected !== HELD;
  return (
    (tableOf(expected, isMasked) << 8) | (shiftOf(expected) << 2) | (hasMoved ? 2 : 0) | (isMasked ? 1 : 0)
  );
});

/**
 * Codes rows against their baselines. Every column is predicted, and the error of the prediction is estimated
 * from the error of the last one. Columns with a small expected error get a mask bit: whether they differ
 * from the prediction. The mask bits of all entities stand before the first residual: an encoder writes them
 * to `coder` and the residuals to `body`, in one pass; a decoder takes two.
 */
export class RowCoder {
  readonly #coder: BitCoder;
  readonly #body: BitCoder;
  /** {@link HOW} of each column in coding order: an encoder's of one entity, a decoder's of the packet. */
  #how = new Int32Array(256);
  #predicted = new Int32Array(256);
  /** For a decoder: 1 if a column with a mask bit has a residual. */
  #changed = new Uint8Array(256);
  #count = 0;
  #at = 0;
  /**
   * Columns with a mask bit: the index, then (bit 1) an encoder's mask bit and (bit 0) whether the column
   * moved.
   */
  #masked = new Int32Array(256);
  #maskedCount = 0;
  /** False after a decoded value was out of its range. */
  isInRange = true;

  constructor(coder: BitCoder, body: BitCoder) {
    this.#coder = coder;
    this.#body = body;
  }

  /** Resets the coder before the first entity of a packet. */
  start(): void {
    this.#count = 0;
    this.#maskedCount = 0;
    this.#at = 0;
    this.isInRange = true;
  }

  /** Predicts a row and writes its residuals. */
  write(plan: RowPlan, baselines: Baselines): void {
    const { columns, narrow, turn, bits, min, count, late } = plan;
    const { row, at } = baselines;
    this.#reserve(this.#maskedCount + count);
    this.#expect(plan, baselines, 0);
    for (let index = 0; index < late.length; index++) this.#predictLate(plan, late[index]!, baselines, 0);
    const body = this.#body;
    const predicted = this.#predicted;
    const hows = this.#how;
    const masked = this.#masked;
    let found = this.#maskedCount;
    for (let index = 0; index < count; index++) {
      const how = HOW[hows[index]! | narrow[index]!]!;
      const value = row[at + columns[index]!]!;
      let residual = value - predicted[index]!;
      if (turn[index] !== 0) residual = shorterTurn(residual, turn[index]!);
      masked[found] = (((residual | -residual) >>> 31) << 1) | ((how >> 1) & 1);
      found += how & 1;
      if (residual === 0 && (how & 1) === 1) continue;
      const width = bits[index]!;
      if (width > NARROW_BITS) body.putResidual(how, residual);
      else if (width > 1) body.bits(value - min[index]!, width);
    }
    this.#maskedCount = found;
  }
  /** Adds the mask bit of a text. */
  writeText(hasChanged: boolean): void {
    this.#reserve(this.#maskedCount + 1);
    this.#masked[this.#maskedCount++] = hasChanged ? 2 : 0;
  }

  /** Predicts a row, as far as a decoder can before it has read the row. */
  expect(plan: RowPlan, baselines: Baselines): void {
    const start = this.#count;
    this.#count += plan.count;
    this.#reserve(this.#count);
    this.#expect(plan, baselines, start);
    const { narrow, count } = plan;
    const hows = this.#how;
    const masked = this.#masked;
    let found = this.#maskedCount;
    for (let index = 0; index < count; index++) {
      const here = start + index;
      const how = HOW[hows[here]! | narrow[index]!]!;
      hows[here] = how;
      masked[found] = (here << 1) | ((how >> 1) & 1);
      found += how & 1;
    }
    this.#maskedCount = found;
  }

  expectText(): void {
    this.#reserve(this.#count + 1);
    this.#masked[this.#maskedCount++] = this.#count++ << 1;
  }

  /** Codes the mask bits. Four bits are a symbol, also across entities. A single last bit stands for itself. */
  codeMasks(): void {
    const masked = this.#masked;
    const changed = this.#changed;
    const coder = this.#coder;
    const count = this.#maskedCount;
    for (let from = 0; from < count; from += MASK_BITS) {
      const bits = count - from < MASK_BITS ? count - from : MASK_BITS;
      let moved = 0;
      let mask = 0;
      for (let bit = 0; bit < bits; bit++) {
        const entry = masked[from + bit]!;
        moved |= (entry & 1) << bit;
        mask |= ((entry >> 1) & 1) << bit;
      }
      mask = bits === 1 ? coder.bits(mask, 1) : coder.symbol(MASKS + moved, mask);
      if (!coder.isDecoding) continue;
      for (let bit = 0; bit < bits; bit++) changed[masked[from + bit]! >> 1] = (mask >> bit) & 1;
    }
  }

  /** Reads the next row. */
  read(plan: RowPlan, baselines: Baselines): void {
    const start = this.#at;
    this.#at += plan.count;
    // Places and quaternions are predicted from earlier columns of the same state.
    const { late } = plan;
    let from = 0;
    for (let index = 0; index < late.length; index++) {
      const run = late[index]!;
      const to = run.prediction === Prediction.turn ? run.from + 1 : run.from;
      this.#read(plan, from, to, baselines, start);
      this.#predictLate(plan, run, baselines, start);
      from = to;
    }
    this.#read(plan, from, plan.count, baselines, start);
  }

  /** True if the next text has changed. */
  get isTextChanged(): boolean {
    return this.#changed[this.#at++] !== 0;
  }

  /** Finds the class of each column, and predicts those that depend on no other column of the state. */
  #expect(plan: RowPlan, baselines: Baselines, start: number): void {
    const { runs } = plan;
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index]!;
      const { prediction } = run;
      const here = start + run.from;
      if (prediction === Prediction.turn) this.#expectTurn(plan, run, baselines, here);
      else if (baselines.at1 < 0) this.#expectUnknown(plan, run, baselines, here);
      else if (prediction === Prediction.smooth) this.#expectSmooth(plan, run, baselines, here);
      else if (prediction === Prediction.place) this.#expectPlaces(plan, run, baselines, here);
      else this.#expectSteps(plan, run, baselines, here);
    }
  }

  #predictLate(plan: RowPlan, run: Run, baselines: Baselines, start: number): void {
    if (run.prediction === Prediction.turn) this.#turnAround(plan, run.from, baselines, start + run.from);
    else this.#predictPlaces(plan, run, baselines, start + run.from);
  }

  /** Predicts columns from a single known state: they stay. */
  #expectUnknown(
    { columns }: RowPlan,
    { prediction, from, to }: Run,
    { rows, at0 }: Baselines,
    here: number,
  ): void {
    for (let index = from; index < to; index++) {
      this.#predicted[here] = rows[at0 + columns[index]!]!;
      this.#how[here++] = prediction === Prediction.step ? HELD : UNKNOWN;
    }
  }

  /**
   * Predicts columns that continue to change at the rate that they have reached; angles the short way around.
   * The error of the last such prediction is the change of the change. The older the baselines, the more of
   * the change may have ended since.
   */
  #expectSmooth(plan: RowPlan, { from, to }: Run, baselines: Baselines, here: number): void {
    const { rows, at0, at1, at2, gap1, gap2, perTick, ofBend, ofOlder, ofChange, lasting } = baselines;
    const { columns, min, max } = plan;
    const predicted = this.#predicted;
    const hows = this.#how;
    const isEven = gap1 === 1 && gap2 === 1;
    for (let index = from; index < to; index++) {
      const column = columns[index]!;
      const turn = plan.turn[index]!;
      const value = rows[at0 + column]!;
      const older = rows[at1 + column]!;
      let change = value - older;
      let before = at2 < 0 ? 0 : older - rows[at2 + column]!;
      if (turn !== 0) {
        change = shorterTurn(change, turn);
        before = shorterTurn(before, turn);
      }
      // Most baselines are consecutive, and divisions take long.
      const bend = isEven ? change - before : at2 < 0 ? 0 : change / gap1 - before / gap2;
      const next = value + change * perTick + bend * lasting;
      predicted[here] =
        turn === 0 ? clamp(next, min[index]!, max[index]!) : wrapTurn(Math.floor(next + 0.5), turn);
      const error = Math.abs(change * ofBend - before * ofOlder) + Math.abs(change) * ofChange;
      hows[here++] = classOf(Math.min(error + 0.5, WIDEST_SIZE) | 0);
    }
  }

  /**
   * Estimates the errors of positions, which follow their velocities: see {@link #predictPlaces}. A quarter of
   * the velocity's own error adds up meanwhile.
   */
  #expectPlaces(plan: RowPlan, { from, to }: Run, baselines: Baselines, here: number): void {
    const { rows, at0, at1, age, gap1, ofChange } = baselines;
    const scale = plan.scales[from]!;
    const half = (scale * gap1) / 2;
    const quarter = ((scale * age) / 4) * ofChange;
    for (let index = from; index < to; index++) {
      const column = plan.columns[index]!;
      const rate = plan.rates[index]!;
      const before = rows[at0 + rate]!;
      const older = rows[at1 + rate]!;
      const missed = rows[at0 + column]! - rows[at1 + column]! - (before + older) * half;
      const error = Math.abs(missed) * age + Math.abs(before - older) * quarter;
      this.#how[here++] = classOf(Math.min(error + 0.5, WIDEST_SIZE) | 0);
    }
  }

  #predictPlaces(plan: RowPlan, { from, to }: Run, baselines: Baselines, here: number): void {
    const { row, at, rows, at0, at1, age, perTick } = baselines;
    const scale = plan.scales[from]!;
    const half = (scale * age) / 2;
    const curve = at1 < 0 ? 0 : (scale * age) / 24;
    for (let index = from; index < to; index++) {
      const rate = plan.rates[index]!;
      const before = rows[at0 + rate]!;
      const change = row[at + rate]! - before;
      const changed = at1 < 0 ? 0 : (before - rows[at1 + rate]!) * perTick;
      const moved = (before + before + change) * half + (changed - change) * curve;
      const place = rows[at0 + plan.columns[index]!]! + moved;
      this.#predicted[here++] = clamp(place, plan.min[index]!, plan.max[index]!);
    }
  }

  #expectTurn(plan: RowPlan, { from }: Run, baselines: Baselines, here: number): void {
    const bend = turnOn(plan.plan, plan.columns[from]!, baselines, this.#predicted, here);
    this.#how[here] = 0;
    const expected = baselines.at1 < 0 ? UNKNOWN : classOf(bend);
    this.#how.fill(expected, here + 1, here + QUAT_COLUMNS);
  }

  /** Repacks the predicted quaternion if its state leaves out another component than the prediction does. */
  #turnAround({ plan, columns }: RowPlan, index: number, { row, at }: Baselines, here: number): void {
    const first = columns[index]!;
    leaveOut(plan, first, this.#predicted, here, row[at + first]!);
  }

  /** Predicts columns that step: they stay, or continue to count. */
  #expectSteps(plan: RowPlan, { from, to }: Run, baselines: Baselines, here: number): void {
    const { rows, at0, at1, at2, age, gap1, gap2 } = baselines;
    for (let index = from; index < to; index++, here++) {
      const column = plan.columns[index]!;
      const value = rows[at0 + column]!;
      const older = rows[at1 + column]!;
      this.#predicted[here] = value;
      this.#how[here] = HELD;
      if (value === older) continue;
      const change = (value - older) / gap1;
      if (at2 >= 0 && change === (older - rows[at2 + column]!) / gap2)
        this.#predicted[here] = clamp(value + change * age, plan.min[index]!, plan.max[index]!);
      else
        this.#how[here] =
          STEPPED +
          Math.min(Math.max(1, classOf(Math.min(Math.abs(change) + 0.5, WIDEST_SIZE) | 0)), WIDEST_MOVE);
    }
  }

  #read(plan: RowPlan, from: number, to: number, { row, at }: Baselines, start: number): void {
    const { columns, bits, min, max, turn } = plan;
    const coder = this.#coder;
    for (let index = from; index < to; index++) {
      const here = start + index;
      const how = this.#how[here]!;
      const low = min[index]!;
      const high = max[index]!;
      let value = this.#predicted[here]!;
      if ((how & 1) === 0 || this.#changed[here] !== 0) {
        const width = bits[index]!;
        if (width > NARROW_BITS) value += coder.takeResidual(how);
        // The field has two values, and the mask bit says that it is not the predicted one.
        else value = width > 1 ? low + coder.bits(0, width) : low + high - value;
        if (turn[index] !== 0) value = wrapTurn(value, turn[index]!);
        if (value < low || value > high) {
          this.isInRange = false;
          value = plan.rest[index]!;
        }
      }
      row[at + columns[index]!] = value;
    }
  }

  #reserve(needed: number): void {
    if (needed <= this.#how.length) return;
    this.#how = grown(this.#how, new Int32Array(needed * 2));
    this.#predicted = grown(this.#predicted, new Int32Array(needed * 2));
    this.#changed = grown(this.#changed, new Uint8Array(needed * 2));
    this.#masked = grown(this.#masked, new Int32Array(needed * 2));
  }
}

function shiftOf(expected: number): number {
  // Beyond the widest table, the low bits follow uncoded.
  return expected > WIDEST && expected < STEPPED ? (expected - WIDEST + 1) >> 1 : 0;
}

/** A residual with a mask bit is never zero, so it has a table of its own. */
function tableOf(expected: number, isMasked: boolean): number {
  if (!isMasked) return SIZES + expected - MASKED_BELOW - 2 * shiftOf(expected);
  return expected === HELD ? STEPS : MOVES + (expected > STEPPED ? expected - STEPPED : expected);
}

/**
 * Returns the class of an expected residual: the token of its size, also beyond {@link LARGE}. It takes a
 * whole number, because a fraction would be a new object where the engine does not inline the function.
 */
function classOf(size: number): number {
  return size < LARGE ? TOKEN_OF[size]! : halfOctave(size);
}

/** Returns a difference of angles the shorter way around: from minus half a turn to half a turn. */
function shorterTurn(difference: number, turn: number): number {
  if (difference * 2 >= turn) return difference - turn;
  return difference * 2 < -turn ? difference + turn : difference;
}

/** Returns the nearest whole number within a range. */
function clamp(value: number, low: number, high: number): number {
  const whole = Math.floor(value + 0.5);
  return whole > low ? (whole < high ? whole : high) : low;
}

/** Wraps `value` into [0, turn). */
function wrapTurn(value: number, turn: number): number {
  return value >= 0 && value < turn ? value : value - Math.floor(value / turn) * turn;
}

function grown<A extends Uint8Array | Int32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
