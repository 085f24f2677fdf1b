import { Search, type SearchOptions } from "./search.js";
import type { Probe, Verdict } from "./probe.js";

/** `one-room`: all see all. `rooms-of-16`: as many full rooms as fit. */
export type Shape = "one-room" | "rooms-of-16";

export const ROOM_OF_16 = 16;
/** Share of the time for the shapes before the last one. A single room takes longer, because of its joins. */
const SHARE_BEFORE_LAST = 0.6;

export interface Turn {
  readonly system: string;
  readonly shape: Shape;
  readonly players: number;
}

/** A search as it ended. */
export interface Found {
  readonly system: string;
  readonly shape: Shape;
  readonly search: Search;
  /** The last probe of the largest size that held. */
  readonly best: Probe | undefined;
  /** The last probe that ended, of any size. */
  readonly last: Probe | undefined;
  /** Why the smallest failed size failed; undefined if none did. */
  readonly limit: Limit | undefined;
  /** The first wrong state of any probe. A system with wrong states has no capacity. */
  readonly wrong: string | undefined;
}

export interface Limit {
  /** `error`: the probe did not end. */
  readonly limit: Verdict["limit"] | "error";
  readonly reason: string;
}

export interface Plan {
  readonly systems: readonly string[];
  readonly shapes: readonly Shape[];
  searchOf(system: string, shape: Shape): SearchOptions;
  /** No probe begins after this time, ms since the start. */
  readonly deadlineMs: number;
  probe(turn: Turn): Promise<Probe>;
  inWords(turn: Turn, outcome: Limit, probe: Probe | undefined): void;
}

/** A search with the probes that decided it. */
class SystemSearch {
  readonly search: Search;
  readonly system: string;
  readonly shape: Shape;
  #best: Probe | undefined;
  #last: Probe | undefined;
  readonly #limits = new Map<number, Limit>();
  #wrong: string | undefined;

  constructor(plan: Plan, system: string, shape: Shape) {
    this.system = system;
    this.shape = shape;
    this.search = new Search(plan.searchOf(system, shape));
  }

  next(): number | undefined {
    return this.#wrong === undefined ? this.search.next() : undefined;
  }

  take(players: number, outcome: Limit, probe: Probe | undefined): void {
    const holds = outcome.limit === "none";
    this.#last = probe ?? this.#last;
    if (holds) this.#best = (this.#best?.players ?? 0) <= players ? probe : this.#best;
    else this.#limits.set(players, outcome);
    if (outcome.limit === "wrong") this.#wrong = outcome.reason;
    this.search.take(players, holds);
  }

  found(): Found {
    const { system, shape, search } = this;
    const limit = search.failed === undefined ? undefined : this.#limits.get(search.failed);
    return { system, shape, search, best: this.#best, last: this.#last, limit, wrong: this.#wrong };
  }
}

/**
 * Searches the capacity of all systems. They take turns probe by probe, so that what else the machine does
 * falls on all of them.
 */
export async function runCapacity(plan: Plan): Promise<Found[]> {
  const startedMs = performance.now();
  const searches = plan.shapes.map((shape) =>
    plan.systems.map((system) => new SystemSearch(plan, system, shape)),
  );
  for (const [index, group] of searches.entries()) {
    const isLast = index === searches.length - 1;
    await runGroup(plan, group, startedMs + (isLast ? 1 : SHARE_BEFORE_LAST) * plan.deadlineMs);
  }
  return searches.flat().map((own) => own.found());
}

/** Searches until all have ended, or until the deadline. Every second round runs backwards. */
async function runGroup(plan: Plan, group: readonly SystemSearch[], deadlineMs: number): Promise<void> {
  for (let round = 0; ; round++) {
    const left = (round % 2 === 0 ? group : group.toReversed()).filter((own) => own.next() !== undefined);
    if (left.length === 0) return;
    for (const own of left) {
      if (performance.now() > deadlineMs) return;
      await probe(plan, own, own.next()!);
    }
  }
}

async function probe(plan: Plan, own: SystemSearch, players: number): Promise<void> {
  const turn = { system: own.system, shape: own.shape, players };
  let done: Probe | undefined;
  let outcome: Limit;
  try {
    done = await plan.probe(turn);
    outcome = done.verdict;
  } catch (error) {
    outcome = { limit: "error", reason: error instanceof Error ? error.message : String(error) };
  }
  plan.inWords(turn, outcome, done);
  own.take(players, outcome, done);
}
