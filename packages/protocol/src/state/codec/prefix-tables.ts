/** Symbols of a table. A mask uses 16 of them. */
export const TOKENS = 25;
/** The symbol for a size that no token holds. */
export const ESCAPE = TOKENS - 1;

/**
 * First of the 16 tables for masks of four columns: one for each set of columns that moved in the last
 * interval.
 */
export const MASKS = 0;
/** Columns with an expected class below this have a mask bit. */
export const MASKED_BELOW = 4;
/**
 * First of the tables for sizes of columns without a mask bit, one for each expected class. They include the
 * size 0.
 */
export const SIZES = 16;
/** Larger expected residuals count as this size. */
export const WIDEST_SIZE = 0x100000;
/** From this class on all tables would have the same shape. */
export const WIDEST = 16;
/**
 * First of the tables for sizes of columns with a mask bit, one for each expected class. The mask bit says
 * that the size is not 0.
 */
export const MOVES = SIZES + WIDEST - MASKED_BELOW + 1;
export const WIDEST_MOVE = 9;
/** The table of sizes for a value that stood still. */
export const STEPS = MOVES + WIDEST_MOVE + 1;
export const TABLES = STEPS + 1;
/** Bits of the longest code. */
export const LONGEST = 9;

/** The smallest size that no token holds. */
export const LARGE = 4096;

/** Canonical prefix codes: shorter codes first, codes of equal length in the order of their symbols. */
export interface PrefixTables {
  /**
   * Entry per table and symbol: 4 bits length of the code, 4 bits {@link extraBitsOf} of the token, then the
   * code.
   */
  readonly codes: Int32Array;
  /**
   * Entry per table and next {@link LONGEST} bits: the same 8 bits, then a mask, or the least size of a
   * token.
   */
  readonly slots: Int32Array;
}

/** @param digits length of the code of each symbol, table by table */
export function prefixTables(digits: string): PrefixTables {
  const lengths = Uint8Array.from(digits, Number);
  const codes = new Int32Array(lengths.length);
  const slots = new Int32Array((lengths.length / TOKENS) << LONGEST);
  const tables = lengths.length / TOKENS;
  for (let table = 0; table < tables; table++) {
    const first = table << LONGEST;
    let slot = first;
    for (const { symbol, length } of canonicalOrder(lengths.subarray(table * TOKENS, (table + 1) * TOKENS))) {
      const size = 1 << (LONGEST - length);
      const isMask = table < SIZES;
      const low = (isMask ? 0 : extraBitsOf(symbol) << 4) | length;
      codes[table * TOKENS + symbol] = (((slot - first) / size) << 8) | low;
      slots.fill(((isMask ? symbol : leastSizeOf(symbol)) << 8) | low, slot, slot + size);
      slot += size;
    }
  }
  return { codes, slots };
}

/** Returns the number of extra bits after a token: the place within its sizes, and the sign. */
function extraBitsOf(token: number): number {
  if (token === ESCAPE) return 0;
  return token < 4 ? Math.min(token, 1) : token >> 1;
}

function leastSizeOf(token: number): number {
  return token < 4 ? token : (2 + (token & 1)) << ((token - 2) >> 1);
}

/** Returns the token of a size: sizes below 4 have their own token, larger ones two tokens per octave. */
export function halfOctave(size: number): number {
  if (size < 4) return size;
  const top = 31 - Math.clz32(size);
  return 2 * top + ((size >> (top - 1)) & 1);
}

/** The token of each size below {@link LARGE}. */
export const TOKEN_OF = Uint8Array.from({ length: LARGE }, (_, size) => halfOctave(size));

function canonicalOrder(lengths: Uint8Array): { readonly symbol: number; readonly length: number }[] {
  return Array.from(lengths, (length, symbol) => ({ symbol, length }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.length - b.length || a.symbol - b.symbol);
}
