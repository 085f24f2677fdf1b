/** How far from where it was a car was shown, by the clock that all browsers of one machine share. */

export interface Sample {
  /** Wall clock. */
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
}

export interface PositionError {
  readonly count: number;
  readonly p50M: number;
  readonly p95M: number;
  readonly maxM: number;
}

/** Between two samples further apart than this the car may have been anywhere. */
const LONGEST_GAP_MS = 100;

/** Where the car was at that time, by its owner's own record; undefined where the record has a hole. */
function placeAt(own: readonly Sample[], atMs: number): { x: number; y: number } | undefined {
  const next = own.findIndex((sample) => sample.atMs >= atMs);
  const after = own[next];
  const before = own[next - 1];
  if (after === undefined || before === undefined) return undefined;
  const spanMs = after.atMs - before.atMs;
  if (spanMs > LONGEST_GAP_MS) return undefined;
  const share = spanMs === 0 ? 1 : (atMs - before.atMs) / spanMs;
  return { x: before.x + share * (after.x - before.x), y: before.y + share * (after.y - before.y) };
}

export function positionError(own: readonly Sample[], seen: readonly Sample[]): PositionError {
  const errors: number[] = [];
  for (const sample of seen) {
    const place = placeAt(own, sample.atMs);
    if (place !== undefined) errors.push(Math.hypot(sample.x - place.x, sample.y - place.y));
  }
  errors.sort((a, b) => a - b);
  const quantile = (share: number): number => errors[Math.ceil(share * errors.length) - 1] ?? Number.NaN;
  return { count: errors.length, p50M: quantile(0.5), p95M: quantile(0.95), maxM: quantile(1) };
}

/** Metres along the record: a car that only stood still proves nothing. */
export function distanceM(own: readonly Sample[]): number {
  let sum = 0;
  for (const [index, sample] of own.entries()) {
    const before = own[index - 1];
    if (before !== undefined) sum += Math.hypot(sample.x - before.x, sample.y - before.y);
  }
  return sum;
}
