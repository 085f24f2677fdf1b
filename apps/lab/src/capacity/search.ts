export interface SearchOptions {
  readonly first: number;
  /** Sizes are whole multiples of it. */
  readonly step: number;
  readonly largest: number;
  /** Growth of the size until one fails. */
  readonly factor: number;
  /** The search ends when the smallest failed size exceeds the largest good one by at most this share. */
  readonly precision: number;
  readonly maxProbes: number;
  /** Probes of a size that fails before it counts as failed. */
  readonly attempts: number;
}

/** Finds the largest size that holds: it grows by a factor, then halves the interval. */
export class Search {
  /** The largest size that held. */
  held: number | undefined;
  /** The smallest size that failed. */
  failed: number | undefined;
  probes = 0;
  readonly #options: SearchOptions;
  #failures = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** True if no further probe can be wanted and the answer is as precise as asked. */
  get isPrecise(): boolean {
    const { largest, precision, step } = this.#options;
    if (this.held === undefined) return this.failed !== undefined && this.failed <= step;
    if (this.failed === undefined) return this.held >= this.#floor(largest);
    return this.failed <= this.held * (1 + precision) || this.failed - this.held <= step;
  }

  /** Returns the size of the next probe. Undefined if the search has ended. */
  next(): number | undefined {
    if (this.probes >= this.#options.maxProbes || this.isPrecise) return undefined;
    const { first, factor, step, largest } = this.#options;
    const { held, failed } = this;
    const top = this.#floor(largest);
    if (held === undefined)
      return failed === undefined ? Math.min(this.#floor(first), top) : this.#floor(failed / factor);
    if (failed === undefined) return Math.min(this.#floor(held * factor), top);
    return Math.min(Math.max(this.#floor(Math.sqrt(held * failed)), held + step), failed - step);
  }

  take(size: number, holds: boolean): void {
    this.probes += 1;
    if (holds) {
      this.held = Math.max(size, this.held ?? 0);
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (this.#failures < this.#options.attempts) return;
    this.#failures = 0;
    this.failed = Math.min(size, this.failed ?? Infinity);
  }

  #floor(size: number): number {
    const { step } = this.#options;
    return Math.max(step, Math.floor(size / step) * step);
  }
}
