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
  /** By table and symbol; 0 where there is no code. */
  readonly lengths: Uint8Array;
  readonly codes: Uint16Array;
  /** By table and the next {@link LONGEST} bits: symbol and length. */
  readonly slots: Uint16Array;
}

/** @param digits of each symbol of each table the length of its code */
export function prefixTables(digits: string): PrefixTables {
  const lengths = Uint8Array.from(digits, Number);
  const codes = new Uint16Array(lengths.length);
  const slots = new Uint16Array((lengths.length / TOKENS) << LONGEST);
  for (let table = 0; table < lengths.length / TOKENS; table++) {
    const first = table << LONGEST;
    let slot = first;
    for (let length = 1; length <= LONGEST; length++) {
      const size = 1 << (LONGEST - length);
      for (let symbol = 0; symbol < TOKENS; symbol++) {
        const at = table * TOKENS + symbol;
        if (lengths[at] !== length) continue;
        codes[at] = (slot - first) / size;
        slots.fill((symbol << 4) | length, slot, slot + size);
        slot += size;
      }
    }
  }
  return { lengths, codes, slots };
}
