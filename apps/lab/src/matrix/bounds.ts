import { atLeast, atMost, type Bound } from "../result/bound.js";
import type { MatrixCase } from "./cases.js";
import type { MatrixRow } from "./outcome.js";

/** Time until the SDK abandons a dead path. */
const DEADLINE_MS = 1000;
/**
 * A direct link takes five to seven round trips of the pair: signalling, ICE, one to three of DTLS, SCTP, and
 * the probe that proves it (docs/LAB.md).
 */
const BEST_PATH_MS = 800;
const BEST_PATH_ROUND_TRIPS = 7;
const RELIABLE_MESSAGES = 10_000;
const MIGRATIONS = 100;

/** Kinds of trouble in which a good path remains or appears at once. */
const GAP_BOUND: ReadonlySet<string> = new Set(["udp-dies", "migrations", "hidden"]);

export function boundsOf(
  rows: readonly MatrixRow[],
  cases: readonly MatrixCase[],
  isWhole: boolean,
): Bound[] {
  const bounds = rows.flatMap((row) => {
    const of = cases.find(({ name }) => name === row.case);
    return of ? caseBounds(row, of) : [];
  });
  if (!isWhole) return bounds;
  const total = (part: (row: MatrixRow) => number) => rows.reduce((sum, row) => sum + part(row), 0);
  return [
    ...bounds,
    atLeast(
      "reliable messages in all",
      total(({ reliableSent }) => reliableSent),
      RELIABLE_MESSAGES,
    ),
    atLeast(
      "migrations in all",
      total(({ migrations }) => migrations),
      MIGRATIONS,
    ),
  ];
}

function caseBounds(row: MatrixRow, { name, rttMs, best, trouble }: MatrixCase): Bound[] {
  const pairRttMs = 2 * rttMs;
  return [
    // The simulator does not simulate joins.
    ...(row.joinedMs === undefined
      ? []
      : [
          atMost(`${name}: in the room, ms`, row.joinedMs, 2 * rttMs + 60),
          atMost(`${name}: playable, ms`, row.playableMs, 2 * rttMs + 60),
        ]),
    ...(best === "direct"
      ? [atMost(`${name}: best path, ms`, row.bestPathMs, BEST_PATH_MS + BEST_PATH_ROUND_TRIPS * pairRttMs)]
      : []),
    ...(trouble?.kind === "cut"
      ? [
          atMost(
            `${name}: gap beyond the cut, ms`,
            row.longestGapMs - trouble.forMs,
            DEADLINE_MS + 2 * pairRttMs,
          ),
        ]
      : []),
    ...(trouble && GAP_BOUND.has(trouble.kind)
      ? [atMost(`${name}: gap, ms`, row.longestGapMs, DEADLINE_MS + 2 * pairRttMs)]
      : []),
    atMost(`${name}: lost, repeated, out of order`, row.lost + row.repeated + row.outOfOrder, 0),
  ];
}
