/** Steps in which numbers travel, in their units, and the bits that they take. */
export interface WireField {
  readonly at: number;
  readonly count: number;
  readonly step: number;
  readonly bits: number;
}

/** Rounds a row to what its bytes would say. */
export function quantised(row: Float64Array, fields: readonly WireField[]): Float64Array {
  const rounded = Float64Array.from(row);
  for (const { at, count, step, bits } of fields) {
    // A real sender gives positions relative to an origin near by, so `bits` limits only fields that are narrow.
    const limit = bits < 16 ? step * 2 ** (bits - 1) : Infinity;
    for (let index = at; index < at + count; index++) {
      const value = Math.round(row[index]! / step) * step;
      rounded[index] = Math.max(-limit, Math.min(limit, value));
    }
  }
  return rounded;
}
