import type { QueueSettings } from "./queue-options.js";

/** A group of friends, or one player alone. */
export interface Party<Member> {
  readonly members: readonly Member[];
  /** Mean rank of the members. */
  readonly rank: number;
  /** Time at which the first member entered the queue, ms. */
  readonly sinceMs: number;
  /** True if all members are in the queue and connected. Other parties are not matched. */
  readonly isReady: boolean;
}

/** The result of one pass over the queue. */
export interface QueueOutcome<Member> {
  /** The parties of each match. */
  readonly matches: readonly (readonly Party<Member>[])[];
  /** Parties that have waited for the longest allowed time without a match. */
  readonly late: readonly Party<Member>[];
}

type Limits = Omit<QueueSettings, "rankOf" | "maxPerAddress">;

/** Most parties, by rank distance, that are considered for a match with one party. */
const MAX_CANDIDATES = 64;

/** Returns the accepted difference of ranks after a wait. */
export function spreadAfter({ spread, spreadPerSecond, maxSpread }: Limits, waitedMs: number): number {
  return Math.min(maxSpread, spread + (spreadPerSecond * Math.max(0, waitedMs)) / 1000);
}

/**
 * Forms matches. The party with the longest wait chooses first, from the parties within its accepted
 * difference of ranks, nearest first. A party is never split, so the sizes of a match must add up.
 */
export function matchQueue<Member>(
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
    const waitedMs = nowMs - party.sinceMs;
    const isLate = waitedMs >= limits.maxWaitSeconds * 1000;
    const least = isLate ? limits.leastPlayers : limits.players;
    const near = nearest(party, byRank, taken, spreadAfter(limits, waitedMs));
    const match = party.isReady ? matchFor(party, near, limits.players, least) : undefined;
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

/** Returns a match of the party that chooses, the largest from `players` down to `least`. */
function matchFor<Member>(
  first: Party<Member>,
  others: Iterable<Party<Member>>,
  players: number,
  least: number,
): readonly Party<Member>[] | undefined {
  /** The first parties found that have this many players together, by number of players. */
  const partiesBySize: (readonly Party<Member>[] | undefined)[] = [];
  partiesBySize[first.members.length] = [first];
  for (const other of others) {
    if (partiesBySize[players]) break;
    const size = other.members.length;
    for (let count = players - size; count > 0; count--) {
      const parties = partiesBySize[count];
      if (parties && !partiesBySize[count + size]) partiesBySize[count + size] = [...parties, other];
    }
  }
  while (players > least && !partiesBySize[players]) players -= 1;
  return partiesBySize[players];
}

/** Yields the unmatched parties within a rank distance, the nearest first. */
function* nearest<Member>(
  first: Party<Member>,
  byRank: readonly Party<Member>[],
  taken: ReadonlySet<Party<Member>>,
  within: number,
): Iterable<Party<Member>> {
  const at = byRank.indexOf(first);
  let [below, above] = [at - 1, at + 1];
  for (let found = 0; found < MAX_CANDIDATES && (below >= 0 || above < byRank.length);) {
    const [low, high] = [byRank[below], byRank[above]];
    const isLower = low && (!high || first.rank - low.rank <= high.rank - first.rank);
    const next = isLower ? low : high!;
    if (Math.abs(next.rank - first.rank) > within) return;
    if (isLower) below -= 1;
    else above += 1;
    if (taken.has(next)) continue;
    found += 1;
    yield next;
  }
}
