import { FREQUENCY_TOTAL } from "./entropy-coder.js";

/** Tokens of a magnitude: 0 to 3 stand for themselves, then two per octave; the last one is an escape. */
export const TOKENS = 32;
export const ESCAPE = TOKENS - 1;

/** Scales for which there is a distribution: half octaves from 2^-2 to 2^13.5 steps. */
export const BINS = 32;
export const LOWEST_HALF_OCTAVE = -4;

const POWERS: readonly ((u: number) => number)[] = [
  (u) => u,
  (u) => u * Math.sqrt(u),
  (u) => u * u,
  (u) => u * u * u,
];
const TAILS: readonly ((y: number) => number)[] = [
  (y) => 1 / Math.sqrt(y),
  (y) => 1 / y,
  (y) => 1 / (y * y),
  (y) => 1 / (y * y * y * y),
];

/** The smallest magnitude of a token. */
export function tokenStart(token: number): number {
  return token < 4 ? token : (2 + (token & 1)) << ((token - 2) >> 1);
}

export function tokenOf(magnitude: number): number {
  if (magnitude < 4) return magnitude;
  const octave = 31 - Math.clz32(magnitude);
  const token = 2 * octave + ((magnitude >> (octave - 1)) & 1);
  return token < ESCAPE ? token : ESCAPE;
}

/**
 * Cumulative frequencies of all tokens, bin after bin, TOKENS + 1 per bin. Each bin has a shape, two letters: the
 * first names power p and tail q of the survival function (1 + (m / s)^p)^-q (Burr, 1942), the second the scale s.
 * Only +, -, *, / and square roots, which IEEE 754 defines to the last bit: every engine builds the same table.
 */
export function buildFrequencies(shapes: string): Uint16Array {
  const frequencies = new Uint16Array(BINS * (TOKENS + 1));
  for (let bin = 0; bin < BINS; bin++) {
    const shape = shapes.charCodeAt(2 * bin) - 65;
    const halfOctaves = bin + LOWEST_HALF_OCTAVE + shapes.charCodeAt(2 * bin + 1) - 77;
    const row = frequencies.subarray(bin * (TOKENS + 1), (bin + 1) * (TOKENS + 1));
    fillBin(row, POWERS[shape >> 2]!, TAILS[shape & 3]!, powerOfHalfOctaves(halfOctaves));
  }
  return frequencies;
}

/** Every token keeps at least two units, one for each sign, so that nothing is impossible. */
function fillBin(
  row: Uint16Array,
  power: (u: number) => number,
  tail: (y: number) => number,
  scale: number,
): void {
  const shared = FREQUENCY_TOTAL - 2 * TOKENS;
  for (let token = 1; token < TOKENS; token++) {
    const survival = tail(1 + power((tokenStart(token) - 0.5) / scale));
    row[token] = 2 * (token + Math.floor((shared / 2) * (1 - survival)));
  }
  row[TOKENS] = FREQUENCY_TOTAL;
}

function powerOfHalfOctaves(count: number): number {
  const octaves = Math.floor(count / 2);
  const whole = octaves >= 0 ? 2 ** octaves : 1 / 2 ** -octaves;
  return count % 2 === 0 ? whole : whole * Math.SQRT2;
}
