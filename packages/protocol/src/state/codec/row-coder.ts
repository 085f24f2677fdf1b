import type { Baselines } from "../coding/baselines.js";
import { QUAT_COLUMNS } from "../plan/state-plan.js";
import { halfOctave, type BitCoder } from "./bit-coder.js";
import { MASKED_BELOW, MASKS, MOVES, SIZES, STEPS, WIDEST, WIDEST_MOVE } from "./prefix-tables.js";
import { Way, type RowPlan } from "./row-plan.js";
import { leaveOut, turnOn } from "./turning.js";

/** The prediction of a column from a single known state. */
const UNKNOWN = 8;
/** From here on the classes of numbers that step, by their last step; the first of them stood still. */
const STEPPED = 48;
const HELD = STEPPED;
/** Beside its class: the column has a mask bit. */
const MASKED = 64;
/** Residuals of this size and more are expected to be of this size. */
const WIDEST_SIZE = 0x100000;
/** A column of so few bits is not worth a residual: it follows as it is. */
const NARROW_BITS = 4;

/**
 * Codes rows against their baselines, in two passes over the entities of a packet. `expect` predicts every column, and
 * from how far the last prediction was off how far this one will be. The masks say which of the columns that should be
 * right are not. `code` brings the residuals.
 */
export class RowCoder {
  readonly #coder: BitCoder;
  /** Per column of the packet, in the order in which they are coded: a class, and MASKED. */
  #expected = new Uint8Array(256);
  #predicted = new Int32Array(256);
  /** An encoder's residuals; at a decoder, whether a masked column has one. */
  #residuals = new Int32Array(256);
  #count = 0;
  /** Which of them have a mask bit. */
  #masked = new Int32Array(256);
  #maskedCount = 0;
  /** The next column of the second pass. */
  #at = 0;
  readonly #turned = new Int32Array(QUAT_COLUMNS);
  readonly #bent = new Float64Array(1);
  #age = 1;
  #growth = 1;
  /** False once a decoded value lay outside its range. */
  isInRange = true;

  constructor(coder: BitCoder) {
    this.#coder = coder;
  }

  /** Before the first entity of a packet. */
  start(): void {
    this.#count = 0;
    this.#maskedCount = 0;
    this.#at = 0;
    this.isInRange = true;
  }

  expect(plan: RowPlan, baselines: Baselines): void {
    this.#reserve(plan.count + plan.texts);
    if (baselines.age !== this.#age) {
      this.#age = baselines.age;
      this.#growth = baselines.age * baselines.age;
    }
    const { runs } = plan;
    for (let index = 0; index < runs.length; index++) {
      const { way, from, to } = runs[index]!;
      if (way === Way.smooth) this.#expectSmooth(plan, from, to, baselines);
      else if (way === Way.angle) this.#expectAngles(plan, from, to, baselines);
      else if (way === Way.place) this.#expectPlaces(plan, from, to, baselines);
      else if (way === Way.step) this.#expectSteps(plan, from, to, baselines);
      else this.#expectTurn(plan, from, baselines);
    }
  }

  /** A text has a mask bit, too. */
  expectText(hasChanged: boolean): void {
    const at = this.#count++;
    this.#expected[at] = HELD | MASKED;
    this.#residuals[at] = hasChanged ? 1 : 0;
    this.#masked[this.#maskedCount++] = at;
  }

  /** Between the passes: four mask bits are a symbol, whichever entities they are of. */
  codeMasks(): void {
    const masked = this.#masked;
    const expected = this.#expected;
    const residuals = this.#residuals;
    const coder = this.#coder;
    for (let from = 0; from < this.#maskedCount; from += 4) {
      const to = Math.min(from + 4, this.#maskedCount);
      let moved = 0;
      let mask = 0;
      for (let index = from; index < to; index++) {
        const at = masked[index]!;
        const last = expected[at]! - MASKED;
        moved |= (last !== 0 && last !== HELD ? 1 : 0) << (index - from);
        mask |= (residuals[at] !== 0 ? 1 : 0) << (index - from);
      }
      mask = coder.symbol(MASKS + moved, mask);
      if (!coder.isDecoding) continue;
      for (let index = from; index < to; index++) residuals[masked[index]!] = (mask >> (index - from)) & 1;
    }
  }

  /** Codes the next row; a decoder fills it in. */
  code(plan: RowPlan, baselines: Baselines): void {
    const { runs } = plan;
    for (let index = 0; index < runs.length; index++) {
      const { way, from, to } = runs[index]!;
      if (!this.#coder.isDecoding) this.#write(plan, from, to, baselines);
      else if (way === Way.turn) {
        const column = plan.columns[from]!;
        const { row, at } = baselines;
        const here = this.#at;
        this.#read(plan, from, from + 1, baselines);
        leaveOut(plan.plan, column, this.#predicted, here, row[at + column]!);
        this.#read(plan, from + 1, to, baselines);
      } else {
        if (way === Way.place) this.#predictPlaces(plan, from, to, baselines, this.#at);
        this.#read(plan, from, to, baselines);
      }
    }
  }

  /** Whether the next text has changed. */
  get isTextChanged(): boolean {
    return this.#residuals[this.#at++] !== 0;
  }

  /** They go on changing as they did; the last time that missed by how much the change changed. */
  #expectSmooth(plan: RowPlan, from: number, to: number, baselines: Baselines): void {
    const { rows, at0, at1, at2, age, gap1, gap2 } = baselines;
    const perTick1 = age / gap1;
    const ofBend = this.#growth / gap1;
    const ofOlder = this.#growth / gap2;
    const lasting = (age * (age + 1)) / 8;
    for (let index = from; index < to; index++) {
      const column = plan.columns[index]!;
      const value = rows[at0 + column]!;
      if (at1 < 0) {
        this.#add(plan, index, baselines, value, UNKNOWN);
        continue;
      }
      const older = rows[at1 + column]!;
      const change = value - older;
      const before = at2 < 0 ? 0 : older - rows[at2 + column]!;
      const bend = at2 < 0 ? 0 : change / gap1 - before / gap2;
      const predicted = clamp(value + change * perTick1 + bend * lasting, plan.min[index]!, plan.max[index]!);
      this.#add(plan, index, baselines, predicted, classOf(change * ofBend - before * ofOlder));
    }
  }

  /** The same, the short way around. */
  #expectAngles(plan: RowPlan, from: number, to: number, baselines: Baselines): void {
    const { rows, at0, at1, at2, age, gap1, gap2 } = baselines;
    for (let index = from; index < to; index++) {
      const column = plan.columns[index]!;
      const turn = plan.turn[index]!;
      const value = rows[at0 + column]!;
      const change = at1 < 0 ? 0 : short(value - rows[at1 + column]!, turn);
      const before = at2 < 0 ? 0 : short(rows[at1 + column]! - rows[at2 + column]!, turn);
      const predicted = Math.floor(value + change * (age / gap1) + 0.5);
      const missed = change * (this.#growth / gap1) - before * (this.#growth / gap2);
      const here = this.#count;
      this.#add(plan, index, baselines, positive(predicted, turn), at1 < 0 ? UNKNOWN : classOf(missed));
      this.#residuals[here] = short(this.#residuals[here]!, turn);
    }
  }

  /** They go where their velocities lead; those of now are known to an encoder only. */
  #expectPlaces(plan: RowPlan, from: number, to: number, baselines: Baselines): void {
    const { rows, at0, at1, age, gap1 } = baselines;
    const here = this.#count;
    const half = (plan.scales[from]! * gap1) / 2;
    if (!this.#coder.isDecoding) this.#predictPlaces(plan, from, to, baselines, here);
    for (let index = from; index < to; index++) {
      let expected = UNKNOWN;
      if (at1 >= 0) {
        const column = plan.columns[index]!;
        const rate = plan.rates[index]!;
        const moved = (rows[at0 + rate]! + rows[at1 + rate]!) * half;
        expected = classOf((rows[at0 + column]! - rows[at1 + column]! - moved) * age);
      }
      this.#add(plan, index, baselines, this.#predicted[here + index - from]!, expected);
    }
  }

  #predictPlaces(plan: RowPlan, from: number, to: number, baselines: Baselines, here: number): void {
    const { row, at, rows, at0, at1, age, gap1 } = baselines;
    const scale = plan.scales[from]!;
    const half = (scale * age) / 2;
    const curve = at1 < 0 ? 0 : (scale * age) / 24;
    const ticks = age / gap1;
    for (let index = from; index < to; index++) {
      const rate = plan.rates[index]!;
      const before = rows[at0 + rate]!;
      const change = row[at + rate]! - before;
      const changed = at1 < 0 ? 0 : (before - rows[at1 + rate]!) * ticks;
      const moved = (before + before + change) * half + (changed - change) * curve;
      const place = rows[at0 + plan.columns[index]!]! + moved;
      this.#predicted[here + index - from] = clamp(place, plan.min[index]!, plan.max[index]!);
    }
  }

  #expectTurn(plan: RowPlan, index: number, baselines: Baselines): void {
    const { row, at } = baselines;
    const turned = this.#turned;
    const first = plan.columns[index]!;
    turnOn(plan.plan, first, baselines, turned, this.#bent);
    const expected = baselines.at1 < 0 ? UNKNOWN : classOf(this.#bent[0]! * this.#growth);
    this.#add(plan, index, baselines, turned[0]!, 0);
    if (!this.#coder.isDecoding) leaveOut(plan.plan, first, turned, 0, row[at + first]!);
    for (let axis = 1; axis < QUAT_COLUMNS; axis++) {
      this.#add(plan, index + axis, baselines, turned[axis]!, expected);
    }
  }

  /** They stay, or go on counting as they do. */
  #expectSteps(plan: RowPlan, from: number, to: number, baselines: Baselines): void {
    const { rows, at0, at1, at2, age, gap1, gap2 } = baselines;
    for (let index = from; index < to; index++) {
      const column = plan.columns[index]!;
      const value = rows[at0 + column]!;
      const older = at1 < 0 ? value : rows[at1 + column]!;
      if (value === older) {
        this.#add(plan, index, baselines, value, HELD);
        continue;
      }
      const change = (value - older) / gap1;
      if (at2 >= 0 && change === (older - rows[at2 + column]!) / gap2) {
        const predicted = clamp(value + change * age, plan.min[index]!, plan.max[index]!);
        this.#add(plan, index, baselines, predicted, HELD);
      } else
        this.#add(
          plan,
          index,
          baselines,
          value,
          STEPPED + Math.min(Math.max(1, classOf(change)), WIDEST_MOVE),
        );
    }
  }

  #add(plan: RowPlan, index: number, { row, at }: Baselines, predicted: number, expected: number): void {
    const here = this.#count++;
    this.#predicted[here] = predicted;
    // Steps have one anyway.
    const isMasked = expected < MASKED_BELOW || expected >= STEPPED || plan.bits[index]! <= NARROW_BITS;
    this.#expected[here] = isMasked ? expected | MASKED : expected;
    if (isMasked) this.#masked[this.#maskedCount++] = here;
    if (!this.#coder.isDecoding) this.#residuals[here] = row[at + plan.columns[index]!]! - predicted;
  }

  #write(plan: RowPlan, from: number, to: number, { row, at }: Baselines): void {
    for (let index = from; index < to; index++) {
      const here = this.#at++;
      const expected = this.#expected[here]!;
      const residual = this.#residuals[here]!;
      if (expected < MASKED) this.#codeResidual(expected, residual);
      else if (residual !== 0) {
        const bits = plan.bits[index]!;
        if (bits > NARROW_BITS) this.#codeMove(expected - MASKED, residual);
        else if (bits > 1) this.#coder.bits(row[at + plan.columns[index]!]! - plan.min[index]!, bits);
      }
    }
  }

  #read(plan: RowPlan, from: number, to: number, { row, at }: Baselines): void {
    for (let index = from; index < to; index++) {
      const here = this.#at++;
      const expected = this.#expected[here]!;
      const low = plan.min[index]!;
      const high = plan.max[index]!;
      let value = this.#predicted[here]!;
      if (expected < MASKED) value += this.#codeResidual(expected, 0);
      else if (this.#residuals[here] !== 0) {
        const bits = plan.bits[index]!;
        if (bits > NARROW_BITS) value += this.#codeMove(expected - MASKED, 0);
        // Of two values the other one.
        else value = bits > 1 ? low + this.#coder.bits(0, bits) : low + high - value;
      }
      if (plan.turn[index]! > 0) value = positive(value, plan.turn[index]!);
      if (value < low || value > high) {
        this.isInRange = false;
        value = plan.rest[index]!;
      }
      row[at + plan.columns[index]!] = value;
    }
  }

  /** A residual that may be zero. Tables of wide ones have one shape: the low bits follow as they are. */
  #codeResidual(expected: number, residual: number): number {
    const shift = expected > WIDEST ? (expected - WIDEST + 1) >> 1 : 0;
    return this.#coder.residual(SIZES + expected - MASKED_BELOW - 2 * shift, shift, residual);
  }

  /** A residual that is not zero. */
  #codeMove(expected: number, residual: number): number {
    const table = expected === HELD ? STEPS : MOVES + (expected > STEPPED ? expected - STEPPED : expected);
    return this.#coder.residual(table, 0, residual);
  }

  #reserve(more: number): void {
    const needed = this.#count + more;
    if (needed <= this.#expected.length) return;
    this.#expected = grown(this.#expected, new Uint8Array(needed * 2));
    this.#masked = grown(this.#masked, new Int32Array(needed * 2));
    this.#predicted = grown(this.#predicted, new Int32Array(needed * 2));
    this.#residuals = grown(this.#residuals, new Int32Array(needed * 2));
  }
}

/** The class of an expected residual: the token of its size, without an end. */
function classOf(expected: number): number {
  const size = expected < 0 ? -expected : expected;
  return halfOctave(size < WIDEST_SIZE ? (size + 0.5) | 0 : WIDEST_SIZE);
}

/** A difference the short way around. */
function short(difference: number, turn: number): number {
  if (difference * 2 >= turn) return difference - turn;
  return difference * 2 < -turn ? difference + turn : difference;
}

/** The nearest whole number in a range. */
function clamp(value: number, low: number, high: number): number {
  const whole = Math.floor(value + 0.5);
  return whole > low ? (whole < high ? whole : high) : low;
}

/** `value` in 0 to before `turn`. */
function positive(value: number, turn: number): number {
  return value >= 0 && value < turn ? value : value - Math.floor(value / turn) * turn;
}

function grown<A extends Uint8Array | Int32Array>(old: A, larger: A): A {
  larger.set(old);
  return larger;
}
