/** A coder of numbers of `count` bits, 1 to 16. */
export interface SmallCoder {
  bits(value: number, count: number): number;
}

/** Codes a number of `count` bits, 0 to 31, all values equally likely. */
export function codeWide(coder: SmallCoder, value: number, count: number): number {
  if (count <= 16) return count === 0 ? 0 : coder.bits(value, count);
  const high = coder.bits(value >>> 16, count - 16);
  return high * 0x10000 + coder.bits(value & 0xffff, 16);
}

/**
 * Codes a number from 0 to 2^16 - 2 that is probably small: n costs 2 * log2(n + 1) + 1 bits (Elias gamma).
 */
export function codeSmall(coder: SmallCoder, value: number): number {
  let length = 0;
  const wanted = 31 - Math.clz32(value + 1);
  while (length < 16 && coder.bits(length < wanted ? 1 : 0, 1) === 1) length += 1;
  const least = 1 << length;
  return least + codeWide(coder, value + 1 - least, length) - 1;
}
