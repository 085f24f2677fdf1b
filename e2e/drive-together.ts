import type { PositionError } from "./position-error.js";
import type { RacePage } from "./race-page.js";

/** The watching page and the watched car. */
export interface Pair {
  readonly viewer: RacePage;
  readonly driver: RacePage;
}

const ROUND_MS = 6000;
const MAX_ROUNDS = 6;
const MAX_DRIVES = 3;
/** Frames of each pair that a result needs: fewer may all be from the moments around standstills. */
export const ENOUGH_FRAMES = 120;

/**
 * Drives and records all pages for one round, and on a busy machine for more. There, pages often stand still,
 * and such frames
 * do not count; rounds go on until every pair has enough frames.
 */
export async function driveTogether(
  pages: readonly RacePage[],
  pairs: readonly Pair[],
): Promise<PositionError[]> {
  for (let round = 1; ; round += 1) {
    await Promise.all(pages.map((page) => page.drive(ROUND_MS)));
    for (const page of pages) await page.fetchRecording();
    const errors = pairs.map(({ viewer, driver }) => viewer.errorOf(driver));
    if (round === MAX_ROUNDS || errors.every(({ count }) => count >= ENOUGH_FRAMES)) return errors;
  }
}

/**
 * Records drives until one of them has kept the limit for each pair, and returns each pair's best errors. A process that others
 * hold up shows old positions, so the machine must be free for a pair in one of the drives.
 */
export async function driveWithin(
  pages: readonly RacePage[],
  pairs: readonly Pair[],
  maxP95M: number,
): Promise<PositionError[]> {
  let best: readonly PositionError[] = [];
  for (let drive = 1; ; drive += 1) {
    for (const page of pages) await page.startRecording();
    const errors = await driveTogether(pages, pairs);
    best = errors.map((error, pair) => (best[pair] ? betterOf(best[pair], error) : error));
    const isEnough = best.every(({ count, p95M }) => count >= ENOUGH_FRAMES && p95M < maxP95M);
    if (drive === MAX_DRIVES || isEnough) return [...best];
  }
}

/** Returns the smaller error of the two that have enough frames, or else the one with more frames. */
function betterOf(first: PositionError, second: PositionError): PositionError {
  if (Math.min(first.count, second.count) < ENOUGH_FRAMES) return first.count < second.count ? second : first;
  return first.p95M < second.p95M ? first : second;
}
