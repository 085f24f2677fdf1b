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

/** States that come closer to each other than this share of the time between them had waited for the same packet. */
const QUEUED_SHARE = 0.1;
/** So many of them in a row are no chance: jitter alone brings two now and then. */
const QUEUED_STATES = 2;

/** Figures of one arrival, ms. */
interface Arrival {
  /** With this delay there would have been something to show until then: the age of the newest state before it. */
  readonly needMs: number;
  /** From the state before it to this one. */
  readonly spanMs: number;
  /** From its own moment until it came. */
  readonly lateMs: number;
}

/**
 * Finds the delay at which hardly ever a snapshot is missing. When one arrives, the newest before it was this
 * old: so much delay would have been needed to have something to show until then. Jitter, the interval and losses are
 * all in that one number; the delay is the percentile of it that leaves the allowed share of time uncovered.
 *
 * A stream that waits for a lost packet stands still for longer than a player may look back: such a wait is left to
 * extrapolation. It shows in the states that come all at once behind it.
 */
export class InterpolationDelay {
  readonly #options: InterpolationDelayOptions;
  readonly #arrivals: Arrival[] = [];
  #newestMs: number | undefined;
  #arrivedMs = Number.NEGATIVE_INFINITY;
  /** States in a row that had waited for the same packet as the one before. */
  #queued = 0;
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
    const spanMs = stateMs - (before ?? stateMs);
    const isQueued = serverMs - this.#arrivedMs < QUEUED_SHARE * spanMs;
    this.#newestMs = stateMs;
    this.#arrivedMs = serverMs;
    this.#queued = isQueued ? this.#queued + 1 : 0;
    const isUnknown = before === undefined || !isContinued || spanMs > this.#options.maxMs;
    // Before a silence it stays open whether the last states waited for a lost packet: none came behind them.
    if (isUnknown || this.#queued >= QUEUED_STATES) this.#forgetWait(serverMs - stateMs);
    else if (!isQueued)
      this.#count({ needMs: Math.max(0, serverMs - before), spanMs, lateMs: serverMs - stateMs });
    if (this.#arrivals.length > 0) {
      this.#delayMs = Math.min(Math.max(this.#needed(), this.#options.minMs), this.#options.maxMs);
    }
  }

  #count(arrival: Arrival): void {
    this.#arrivals.push(arrival);
    if (this.#arrivals.length > KEPT) this.#arrivals.shift();
  }

  /** The last arrivals that were an interval later than this belong to one wait. */
  #forgetWait(lateMs: number): void {
    let last = this.#arrivals.at(-1);
    while (last && last.lateMs - last.spanMs > lateMs) {
      this.#arrivals.pop();
      last = this.#arrivals.at(-1);
    }
  }

  #needed(): number {
    const needs = Float64Array.from(this.#arrivals, ({ needMs }) => needMs).sort();
    const worst = needs[needs.length - 1]!;
    // Among few arrivals the rare late one has not been seen yet.
    if (needs.length < FEW) return worst + this.#arrivals.at(-1)!.spanMs;
    let allowedMs = this.#options.starvedShare * this.#arrivals.reduce((sum, { spanMs }) => sum + spanMs, 0);
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
