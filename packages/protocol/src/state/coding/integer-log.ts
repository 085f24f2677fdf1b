/** Units per octave of {@link integerLog}. */
export const LOG_UNITS = 16;

/** log2(1 + n / 32) in sixteenths, n from 0 to 31, rounded. */
const FRACTIONS = Uint8Array.of(
  0,
  1,
  1,
  2,
  3,
  3,
  4,
  5,
  5,
  6,
  6,
  7,
  7,
  8,
  8,
  9,
  9,
  10,
  10,
  11,
  11,
  12,
  12,
  13,
  13,
  13,
  14,
  14,
  15,
  15,
  15,
  16,
);

/** log2(1 + value) in sixteenths, integers only: Math.log2 may differ between engines. `value`: 0 to 2^31 - 2. */
export function integerLog(value: number): number {
  const number = value + 1;
  const zeros = Math.clz32(number);
  return (31 - zeros) * LOG_UNITS + FRACTIONS[((number << zeros) >>> 26) & 31]!;
}
