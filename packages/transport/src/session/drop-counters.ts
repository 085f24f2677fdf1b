import type { DropReason } from "@paceline/protocol";

/** Counts of drops by reason. */
export class DropCounters {
  readonly #counts = new Map<DropReason, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  count(reason: DropReason): void {
    this.#total += 1;
    this.#counts.set(reason, this.of(reason) + 1);
  }

  of(reason: DropReason): number {
    return this.#counts.get(reason) ?? 0;
  }

  /** Returns the reasons that occurred, with their counts. */
  toRecord(): Partial<Record<DropReason, number>> {
    return Object.fromEntries(this.#counts);
  }
}
