/** A position of a car at a time of the clock that all browsers of a machine share. */

export interface Sample {
  /** Wall clock, ms. */
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
}

export interface PositionError {
  /** Number of compared frames. */
  readonly count: number;
  /** Frames left out because one of the two pages had just stood still. */
  readonly disturbed: number;
  readonly p50M: number;
  readonly p95M: number;
  readonly maxM: number;
}

/**
 * Limit for a car that is driven hard, seen in another browser: in nearly every frame the error is less than
 * the car's length.
 * At 30 m/s that is a tenth of a second. Browsers with enough CPU time show about one metre.
 */
export const BOUND_P95_M = 3;

/**
 * A longer gap between two frames means that the page stood still: its car did not move, and it shows old
 * states. The machine
 * causes this, since three browsers share a few cores.
 */
const LONGEST_GAP_MS = 100;
/** Time after a standstill until the shown positions are right again. */
const SETTLED_AFTER_MS = 1000;

/** Returns a function that says whether a time is undisturbed. Its calls must have increasing times. */
function calmOf(frames: readonly { readonly atMs: number }[]): (atMs: number) => boolean {
  let index = 0;
  let stoodStillUntilMs = Number.NEGATIVE_INFINITY;
  return (atMs) => {
    for (; index < frames.length && frames[index]!.atMs <= atMs; index += 1) {
      const before = frames[index - 1]?.atMs ?? frames[index]!.atMs;
      if (frames[index]!.atMs - before > LONGEST_GAP_MS) stoodStillUntilMs = frames[index]!.atMs;
    }
    return atMs - stoodStillUntilMs > SETTLED_AFTER_MS;
  };
}

/** Returns the car's position at that time in its owner's record; undefined if the record has a gap there. */
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

/** @param pages frames of both pages, in which the time just after a standstill is left out and counted */
export function positionError(
  own: readonly Sample[],
  seen: readonly Sample[],
  pages: readonly (readonly { readonly atMs: number }[])[] = [],
): PositionError {
  const calm = pages.map(calmOf);
  const errors: number[] = [];
  let disturbed = 0;
  for (const sample of seen) {
    const place = placeAt(own, sample.atMs);
    const isCalm = calm.map((isCalmAt) => isCalmAt(sample.atMs)).every(Boolean);
    if (place === undefined || !isCalm) disturbed += 1;
    else errors.push(Math.hypot(sample.x - place.x, sample.y - place.y));
  }
  errors.sort((a, b) => a - b);
  const quantile = (share: number): number => errors[Math.ceil(share * errors.length) - 1] ?? Number.NaN;
  return { count: errors.length, disturbed, p50M: quantile(0.5), p95M: quantile(0.95), maxM: quantile(1) };
}

/** Returns the driven distance, m: a car that stood still proves nothing. */
export function distanceM(own: readonly Sample[]): number {
  let sum = 0;
  for (const [index, sample] of own.entries()) {
    const before = own[index - 1];
    if (before !== undefined) sum += Math.hypot(sample.x - before.x, sample.y - before.y);
  }
  return sum;
}
