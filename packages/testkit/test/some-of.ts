/**
 * Returns the first `quick` cases of a simulation that is repeated, such as its seeds. `npm test` plays these; the slow
 * tier runs the file again with all.
 */
export function someOf<Case>(cases: readonly Case[], quick: number): readonly Case[] {
  return process.env["PACELINE_ALL_CASES"] === undefined ? cases.slice(0, quick) : cases;
}

/** Returns the seeds 1, 2, 3, ... */
export const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);
