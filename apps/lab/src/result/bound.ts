/** A promised limit of a figure, and the measured value. */
export interface Bound {
  readonly bound: string;
  readonly value: number;
  readonly limit: number;
  readonly holds: boolean;
}

export function atMost(bound: string, value: number | undefined, limit: number): Bound {
  // A figure that was not measured misses its bound.
  const measured = value ?? Number.POSITIVE_INFINITY;
  return { bound, value: measured, limit, holds: measured <= limit };
}

export function atLeast(bound: string, value: number, limit: number): Bound {
  return { bound, value, limit, holds: value >= limit };
}

/** Returns one line for each bound, the missed ones first. */
export function boundLines(bounds: readonly Bound[]): string {
  return bounds
    .toSorted((a, b) => Number(a.holds) - Number(b.holds))
    .map(({ bound, value, limit, holds }) => {
      return `${holds ? "ok  " : "MISS"} ${bound}: ${printed(value)} (limit ${printed(limit)})`;
    })
    .join("\n");
}

function printed(value: number): string {
  if (!Number.isFinite(value)) return "not measured";
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
