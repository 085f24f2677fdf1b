/** Numbers of a row with the step (in their unit) and the bits that they have on the wire. */
export interface WireField {
  readonly at: number;
  readonly count: number;
  readonly step: number;
  readonly bits: number;
}

/** Returns the row rounded to the values that a receiver would decode. */
export function quantised(row: Float64Array, fields: readonly WireField[]): Float64Array {
  const rounded = Float64Array.from(row);
  for (const { at, count, step, bits } of fields) {
    // A real sender writes positions relative to a near origin, so `bits` limits only narrow fields.
    const limit = bits < 16 ? step * 2 ** (bits - 1) : Infinity;
    for (let index = at; index < at + count; index++) {
      const value = Math.round(row[index]! / step) * step;
      rounded[index] = Math.max(-limit, Math.min(limit, value));
    }
  }
  return rounded;
}
