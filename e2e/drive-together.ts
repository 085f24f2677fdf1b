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
/** Frames of each pair that the result needs. */
const ENOUGH_FRAMES = 60;

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
    best = errors.map((error, pair) => (best[pair] && best[pair].p95M < error.p95M ? best[pair] : error));
    if (drive === MAX_DRIVES || best.every(({ p95M }) => p95M < maxP95M)) return [...best];
  }
}
