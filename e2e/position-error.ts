/** Distance of a car's shown place from its true one, by the clock that all browsers of one machine share. */

export interface Sample {
  /** Wall clock. */
  readonly atMs: number;
  readonly x: number;
  readonly y: number;
}

export interface PositionError {
  /** Frames that were compared. */
  readonly count: number;
  /** Frames left out, because one of the two pages had just stood still. */
  readonly disturbed: number;
  readonly p50M: number;
  readonly p95M: number;
  readonly maxM: number;
}

/**
 * A car that is driven without mercy, seen in another browser: in nearly every frame less than its own length off.
 * At 30 m/s that is a tenth of a second. Browsers that are not short of processor time show about one metre.
 */
export const BOUND_P95_M = 3;

/**
 * Longer between two frames, and the page stood still: its car did not move although time went on, and what it
 * shows is as old as its last look at the network. That is the machine's doing; three browsers share its few cores.
 */
const LONGEST_GAP_MS = 100;
/** So much later what is shown has settled again. */
const SETTLED_AFTER_MS = 1000;

/** Tells whether a moment is undisturbed, for moments that are asked for in rising order. */
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

/** The car's place at that time by its owner's own record; undefined where the record has a hole. */
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

/** @param pages the frames of both pages: what they showed just after standing still is left out, and counted */
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

/** Metres along the record: a car that only stood still proves nothing. */
export function distanceM(own: readonly Sample[]): number {
  let sum = 0;
  for (const [index, sample] of own.entries()) {
    const before = own[index - 1];
    if (before !== undefined) sum += Math.hypot(sample.x - before.x, sample.y - before.y);
  }
  return sum;
}
