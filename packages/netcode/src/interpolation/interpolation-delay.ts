import { ConfigError } from "@paceline/protocol";

export interface InterpolationDelayOptions {
  /** Share of time in which nothing newer than the shown time may have arrived. */
  readonly starvedShare: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The delay before anything has arrived; default 100 ms. */
  readonly startMs?: number;
}

export const DEFAULT_INTERPOLATION_DELAY: InterpolationDelayOptions = Object.freeze({
  starvedShare: 0.001,
  minMs: 20,
  maxMs: 1000,
});

/** Arrivals that count: about 15 s at 20 states per second. */
const KEPT = 300;
/** Before this many the spread is a guess. */
const FEW = 20;

/**
 * How far behind to show so that hardly ever a snapshot is missing. When one arrives, the newest before it was this
 * old: so much delay would have been needed to have something to show until then. Jitter, the interval and losses are
 * all in that one number; the delay is the percentile of it that leaves the allowed share of time uncovered.
 */
export class InterpolationDelay {
  readonly #options: InterpolationDelayOptions;
  readonly #needsMs: number[] = [];
  readonly #spansMs: number[] = [];
  #newestMs: number | undefined;
  #delayMs: number;

  constructor(options: InterpolationDelayOptions = DEFAULT_INTERPOLATION_DELAY) {
    const { starvedShare, minMs, maxMs, startMs = 100 } = options;
    if (!(starvedShare > 0 && starvedShare < 1)) {
      throw new ConfigError({ field: "starvedShare", value: starvedShare, expected: "above 0, below 1" });
    }
    if (!(minMs >= 0 && minMs <= maxMs)) {
      throw new ConfigError({ field: "minMs", value: minMs, expected: `0 to maxMs, ${maxMs} ms` });
    }
    this.#options = options;
    this.#delayMs = Math.min(Math.max(startMs, minMs), maxMs);
  }

  /** The delay that is needed, ms behind the sender's now. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /**
   * A snapshot of `stateMs` arrived when the sender's time was `serverMs`.
   *
   * @param isContinued false for one that ends a silence of the sender's own making: such a wait is no fault of the path
   */
  observe(stateMs: number, serverMs: number, isContinued = true): void {
    const before = this.#newestMs;
    if (before !== undefined && !(stateMs > before)) return;
    this.#newestMs = stateMs;
    if (before === undefined || !isContinued || stateMs - before > this.#options.maxMs) return;
    this.#needsMs.push(Math.max(0, serverMs - before));
    this.#spansMs.push(stateMs - before);
    if (this.#needsMs.length > KEPT) {
      this.#needsMs.shift();
      this.#spansMs.shift();
    }
    this.#delayMs = Math.min(Math.max(this.#needed(), this.#options.minMs), this.#options.maxMs);
  }

  #needed(): number {
    const needs = Float64Array.from(this.#needsMs).sort();
    const worst = needs[needs.length - 1]!;
    // Among few arrivals the rare late one has not been seen yet.
    if (needs.length < FEW) return worst + this.#spansMs.at(-1)!;
    let allowedMs = this.#options.starvedShare * this.#spansMs.reduce((sum, span) => sum + span, 0);
    // Lowering the delay from the worst need on, each late arrival uncovers time of its own.
    for (let late = 1; late < needs.length; late++) {
      const above = needs[needs.length - late]!;
      const step = above - needs[needs.length - 1 - late]!;
      if (step * late >= allowedMs) return above - allowedMs / late;
      allowedMs -= step * late;
    }
    return needs[0]!;
  }
}
