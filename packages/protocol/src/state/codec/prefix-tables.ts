/** Symbols of a table: a mask uses 16 of them. */
export const TOKENS = 25;
/** Stands for every size that no token holds. */
export const ESCAPE = TOKENS - 1;

/** Masks of four columns, by which of the four moved last. */
export const MASKS = 0;
/** Columns that are expected to be off by less than this class have a mask bit. */
export const MASKED_BELOW = 4;
/** Sizes of the others, zero among them, by the expected class. */
export const SIZES = 16;
/** From this class on all tables would have the same shape. */
export const WIDEST = 16;
/** Sizes that are known not to be zero, by the expected class. */
export const MOVES = SIZES + WIDEST - MASKED_BELOW + 1;
export const WIDEST_MOVE = 9;
/** The same, of what stood still. */
export const STEPS = MOVES + WIDEST_MOVE + 1;
export const TABLES = STEPS + 1;
/** Bits of the longest code. */
export const LONGEST = 9;

/** Canonical prefix codes: shorter ones first, and of the same length in the order of their symbols. */
export interface PrefixTables {
  /** By table and symbol: code and, in the lowest four bits, its length; 0 where there is no code. */
  readonly codes: Uint16Array;
  /** By table and the next {@link LONGEST} bits: symbol and, in the lowest four bits, the length of its code. */
  readonly slots: Uint16Array;
}

/** @param digits of each symbol of each table the length of its code */
export function prefixTables(digits: string): PrefixTables {
  const lengths = Uint8Array.from(digits, Number);
  const codes = new Uint16Array(lengths.length);
  const slots = new Uint16Array((lengths.length / TOKENS) << LONGEST);
  const tables = lengths.length / TOKENS;
  for (let table = 0; table < tables; table++) {
    const first = table << LONGEST;
    let slot = first;
    for (const { symbol, length } of inOrder(lengths.subarray(table * TOKENS, (table + 1) * TOKENS))) {
      const size = 1 << (LONGEST - length);
      codes[table * TOKENS + symbol] = (((slot - first) / size) << 4) | length;
      slots.fill((symbol << 4) | length, slot, slot + size);
      slot += size;
    }
  }
  return { codes, slots };
}

function inOrder(lengths: Uint8Array): { readonly symbol: number; readonly length: number }[] {
  return Array.from(lengths, (length, symbol) => ({ symbol, length }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.length - b.length || a.symbol - b.symbol);
}
