import { FREQUENCY_BITS, type EntropyCoder } from "./entropy-coder.js";
import { LOG_UNITS, integerLog } from "./integer-log.js";
import { CHANGE_CHANCES, FEATURES, ROLES, SHAPES, WEIGHTS } from "../plan/residual-parameters.js";
import {
  BINS,
  ESCAPE,
  LOWEST_HALF_OCTAVE,
  TOKENS,
  buildFrequencies,
  tokenOf,
  tokenStart,
} from "./residual-shapes.js";
import { codeVaruint, codeWide } from "./varuint.js";

const OLDEST_AGE_SIXTEENTHS = 6 * LOG_UNITS;
const BIN_UNITS = LOG_UNITS / 2;
const QUICK_BITS = 6;
const QUICK = 1 << QUICK_BITS;
const QUICK_SHIFT = FREQUENCY_BITS - QUICK_BITS;
const ROW = TOKENS + 1;
const HIGHEST_UNITS = (LOWEST_HALF_OCTAVE + BINS - 1) * BIN_UNITS;
const CHANGE_LOWEST = -24;
const LARGEST_AS_EXPECTED = 15_900;
/** Residuals have at most 31 bits. */
const MOST_SHIFT = 16;

const starts = Int32Array.from({ length: TOKENS }, (_, token) => tokenStart(token));
/** Bits that say which of a token's magnitudes it is. */
const extras = Uint8Array.from({ length: TOKENS }, (_, token) => (token < 4 ? 0 : (token - 2) >> 1));
const frequencies = new Uint16Array(SHAPES.length * BINS * ROW);
/** For the high bits of a frequency, the first token that it may mean. */
const quick = new Uint8Array(SHAPES.length * BINS * QUICK);
const chances = new Uint16Array(CHANGE_CHANCES.length);

for (const [role, shapes] of SHAPES.entries()) frequencies.set(buildFrequencies(shapes), role * BINS * ROW);
for (let table = 0; table < SHAPES.length * BINS; table++) {
  for (let slot = 0, token = 0; slot < QUICK; slot++) {
    while (frequencies[table * ROW + token + 1]! <= slot << QUICK_SHIFT) token++;
    quick[table * QUICK + slot] = token;
  }
}
for (let bin = 0; bin < chances.length; bin++) {
  const letter = CHANGE_CHANCES.charCodeAt(bin);
  chances[bin] = (letter - (letter > 96 ? 71 : 65) + 1) << (FREQUENCY_BITS - 6);
}

/**
 * Codes residuals: how wide they are expected to be follows from features that both sides know (what was coded in
 * this packet, and the baselines), as a weighted sum of logarithms. Nothing is learned from packet to packet.
 */
export class ResidualModel {
  /** By how much the last residual was wider than expected, in 1 / LOG_UNITS octaves. */
  surprise = 0;
  /** How wide the last residual was, as a logarithm in 1 / LOG_UNITS octaves. */
  size = 0;
  /** For the packet's age: FEATURES numbers per role, in 1 / WEIGHT_UNITS. */
  weights: Int32Array = new Int32Array(ROLES * FEATURES);
  readonly #coder: EntropyCoder;
  readonly #byAge = new Map<number, Int32Array>();

  constructor(coder: EntropyCoder) {
    this.#coder = coder;
  }

  /** @param ageSixteenths log2 of the baseline's age in thirtieths of a second, in sixteenths */
  setAge(ageSixteenths: number): void {
    const age = Math.min(Math.max(ageSixteenths, -LOG_UNITS), OLDEST_AGE_SIXTEENTHS);
    let weights = this.#byAge.get(age);
    if (!weights) {
      weights = weightsAt(age);
      this.#byAge.set(age, weights);
    }
    this.weights = weights;
  }

  /** Codes a residual. `scale`: how wide it is expected to be, log2 in 1 / LOG_UNITS. */
  code(role: number, scale: number, residual: number): number {
    const coded =
      scale > HIGHEST_UNITS ? this.#wide(role, scale, residual) : this.#signed(role, scale, residual);
    this.size = integerLog(coded < 0 ? -coded : coded);
    this.surprise = this.size - scale;
    return coded;
  }

  /** Codes whether something has changed. `scale`: as for residuals of 0 and 1. */
  codeChange(scale: number, isChanged: boolean): boolean {
    const bin = (scale - CHANGE_LOWEST) >> 1;
    const chance = chances[bin < 0 ? 0 : bin < chances.length ? bin : chances.length - 1]!;
    return this.#coder.flag(isChanged, chance);
  }

  /** Codes which component of a quaternion is left out: nearly always the one that is expected. */
  codeLargest(largest: number, expected: number): number {
    if (this.#coder.flag(largest === expected, LARGEST_AS_EXPECTED)) return expected;
    return this.#coder.bits(largest, 2);
  }

  /** Codes a number of `count` bits about which nothing is known. */
  codeBits(value: number, count: number): number {
    return codeWide(this.#coder, value, count);
  }

  /** @param chance of true, in 1 / FREQUENCY_TOTAL */
  codeFlag(value: boolean, chance: number): boolean {
    return this.#coder.flag(value, chance);
  }

  /** A token's interval is halved between the signs: small residuals are one symbol. */
  #signed(role: number, scale: number, residual: number): number {
    const bin = ((scale + BIN_UNITS / 2) >> 3) - LOWEST_HALF_OCTAVE;
    const table = role * BINS + (bin < 0 ? 0 : bin);
    const coder = this.#coder;
    const row = table * ROW;
    if (!coder.isDecoding) {
      const size = residual < 0 ? -residual : residual;
      const token = tokenOf(size);
      const from = frequencies[row + token]!;
      const to = frequencies[row + token + 1]!;
      if (token === 0) coder.encodeInterval(from, to);
      else if (residual < 0) coder.encodeInterval((from + to) >> 1, to);
      else coder.encodeInterval(from, (from + to) >> 1);
      if (token > 3) this.#extra(token, size);
      return residual;
    }
    const frequency = coder.peekFrequency();
    let token = quick[table * QUICK + (frequency >> QUICK_SHIFT)]!;
    while (frequencies[row + token + 1]! <= frequency) token++;
    const from = frequencies[row + token]!;
    const to = frequencies[row + token + 1]!;
    if (token === 0) {
      coder.decodedInterval(from, to);
      return 0;
    }
    const middle = (from + to) >> 1;
    const isNegative = frequency >= middle;
    coder.decodedInterval(isNegative ? middle : from, isNegative ? to : middle);
    const size = token > 3 ? this.#extra(token, 0) : token;
    return isNegative ? -size : size;
  }

  /** Which of a token's magnitudes it is. */
  #extra(token: number, size: number): number {
    const start = starts[token]!;
    if (token === ESCAPE) return codeVaruint(this.#coder, size - start) + start;
    return start + this.#coder.bits(size - start, extras[token]!);
  }

  /** Where far more than the widest bin is expected, the lowest bits are coded as they are. */
  #wide(role: number, scale: number, residual: number): number {
    const shift = Math.min(Math.ceil((scale - HIGHEST_UNITS) / LOG_UNITS), MOST_SHIFT);
    const bin = ((scale - shift * LOG_UNITS + BIN_UNITS / 2) >> 3) - LOWEST_HALF_OCTAVE;
    const magnitude = residual < 0 ? -residual : residual;
    const token = this.#token(role * BINS + (bin < BINS ? bin : BINS - 1), tokenOf(magnitude >>> shift));
    const start = starts[token]!;
    const above = (magnitude >>> shift) - start;
    const high =
      start +
      (token === ESCAPE ? codeVaruint(this.#coder, above) : codeWide(this.#coder, above, extras[token]!));
    const low = codeWide(this.#coder, magnitude & (2 ** shift - 1), shift);
    const value = high * 2 ** shift + low;
    return this.#coder.bits(residual < 0 ? 1 : 0, 1) === 1 ? 0 - value : value;
  }

  #token(table: number, token: number): number {
    const coder = this.#coder;
    const row = table * ROW;
    if (!coder.isDecoding) {
      coder.encodeInterval(frequencies[row + token]!, frequencies[row + token + 1]!);
      return token;
    }
    const frequency = coder.peekFrequency();
    let found = quick[table * QUICK + (frequency >> QUICK_SHIFT)]!;
    while (frequencies[row + found + 1]! <= frequency) found++;
    coder.decodedInterval(frequencies[row + found]!, frequencies[row + found + 1]!);
    return found;
  }
}

function weightsAt(age: number): Int32Array {
  const weights = new Int32Array(ROLES * FEATURES);
  for (const [role, numbers] of WEIGHTS.entries()) {
    for (let index = 0; index < FEATURES; index++) {
      const slope = (numbers[FEATURES + index]! * age) / (2 * LOG_UNITS);
      weights[role * FEATURES + index] = Math.round(numbers[index]! + slope);
    }
    const square = (numbers[2 * FEATURES]! * age * age) / (4 * LOG_UNITS * LOG_UNITS);
    weights[role * FEATURES] = Math.round(weights[role * FEATURES]! + square);
  }
  return weights;
}
