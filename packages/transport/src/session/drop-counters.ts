import type { DropReason } from "@paceline/protocol";

/** Counts of drops by reason. */
export class DropCounters {
  readonly #counts = new Map<DropReason, number>();

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  count(reason: DropReason, times = 1): void {
    if (times > 0) this.#counts.set(reason, this.of(reason) + times);
  }

  of(reason: DropReason): number {
    return this.#counts.get(reason) ?? 0;
  }

  /** Returns the reasons that occurred, with their counts. */
  toRecord(): Partial<Record<DropReason, number>> {
    return Object.fromEntries(this.#counts);
  }
}
