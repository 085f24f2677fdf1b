import type { QueueSettings } from "./queue-options.js";

/** Players who want to be together: friends, or one alone. */
export interface Party<Member> {
  readonly members: readonly Member[];
  /** Mean of its members'. */
  readonly rank: number;
  /** Since the first of them has waited. */
  readonly sinceMs: number;
  /** All of them are here. Others are not matched. */
  readonly isReady: boolean;
}

/** The result of one pass over the queue. */
export interface QueueOutcome<Member> {
  /** Parties that are to play each other. */
  readonly matches: readonly (readonly Party<Member>[])[];
  /** Parties that have waited for too long. */
  readonly late: readonly Party<Member>[];
}

type Limits = Omit<QueueSettings, "rankOf" | "maxPerAddress">;

/** For one who has waited, so many of those nearest by rank are looked at. */
const MAX_CANDIDATES = 64;

/** The accepted difference of ranks after that wait. */
export function spreadAfter({ spread, spreadPerSecond, maxSpread }: Limits, waitedMs: number): number {
  return Math.min(maxSpread, spread + (spreadPerSecond * Math.max(0, waitedMs)) / 1000);
}

/**
 * Finds who plays whom. Who has waited longest chooses first, of those whose ranks are within what it accepts by now,
 * the nearest first; parties are never parted, so that a match is made where sizes add up.
 */
export function lookAtQueue<Member>(
  parties: readonly Party<Member>[],
  limits: Limits,
  nowMs: number,
): QueueOutcome<Member> {
  const byRank = parties.filter(({ isReady }) => isReady).sort((a, b) => a.rank - b.rank);
  const taken = new Set<Party<Member>>();
  const matches: (readonly Party<Member>[])[] = [];
  const late: Party<Member>[] = [];
  for (const party of [...parties].sort((a, b) => a.sinceMs - b.sinceMs)) {
    if (taken.has(party)) continue;
    const isLate = nowMs - party.sinceMs >= limits.maxWaitSeconds * 1000;
    const match = party.isReady ? matchFor(party, byRank, taken, { limits, nowMs, isLate }) : undefined;
    if (match) {
      matches.push(match);
      for (const each of match) taken.add(each);
    } else if (isLate) {
      late.push(party);
      taken.add(party);
    }
  }
  return { matches, late };
}

interface Look {
  readonly limits: Limits;
  readonly nowMs: number;
  readonly isLate: boolean;
}

/** A match for the one who chooses: of the wanted size, or of the largest that will do where it is late. */
function matchFor<Member>(
  first: Party<Member>,
  byRank: readonly Party<Member>[],
  taken: ReadonlySet<Party<Member>>,
  { limits, nowMs, isLate }: Look,
): readonly Party<Member>[] | undefined {
  const { players, leastPlayers } = limits;
  const within = spreadAfter(limits, nowMs - first.sinceMs);
  /** For each number of players: the first parties found, the nearest first, that have so many together. */
  const reached: (readonly Party<Member>[] | undefined)[] = [];
  reached[first.members.length] = [first];
  for (const other of nearest(first, byRank, taken)) {
    if (reached[players]) break;
    if (Math.abs(other.rank - first.rank) > within) break;
    const size = other.members.length;
    for (let count = players - size; count > 0; count--) {
      const some = reached[count];
      if (some && !reached[count + size]) reached[count + size] = [...some, other];
    }
  }
  if (reached[players] || !isLate) return reached[players];
  for (let count = players; count >= leastPlayers; count--) if (reached[count]) return reached[count];
  return undefined;
}

/** Others who are free, the nearest by rank first. */
function* nearest<Member>(
  first: Party<Member>,
  byRank: readonly Party<Member>[],
  taken: ReadonlySet<Party<Member>>,
): Iterable<Party<Member>> {
  const at = byRank.indexOf(first);
  let [below, above] = [at - 1, at + 1];
  for (let found = 0; found < MAX_CANDIDATES && (below >= 0 || above < byRank.length);) {
    const [low, high] = [byRank[below], byRank[above]];
    const isLower = low && (!high || first.rank - low.rank <= high.rank - first.rank);
    const next = isLower ? low : high!;
    if (isLower) below -= 1;
    else above += 1;
    if (taken.has(next)) continue;
    found += 1;
    yield next;
  }
}
