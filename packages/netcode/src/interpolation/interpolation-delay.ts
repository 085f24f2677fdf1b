/** Largest share of time in which no newer state than the shown time may have arrived. */
const STARVED_SHARE = 0.001;
/** Bounds of the delay, ms. */
const MIN_MS = 20;
const MAX_MS = 1000;
/** Arrivals kept: about 15 s at 20 states per second. */
const KEPT = 300;
/** With fewer arrivals, the spread is a guess. */
const FEW = 20;

/** States that arrive closer together than this share of their interval have waited for the same packet. */
const QUEUED_SHARE = 0.1;
/** Number of consecutive queued states ({@link QUEUED_SHARE}) that prove a wait. Jitter alone causes fewer. */
const QUEUED_STATES = 2;

/** Measurements of one arrival, ms. */
interface Arrival {
  /** The delay that would have bridged the time until this arrival: the age of the newest earlier state. */
  readonly needMs: number;
  /** Time between the state before and this one. */
  readonly spanMs: number;
  /** Time between the state's tick and its arrival. */
  readonly lateMs: number;
}

/**
 * Finds the smallest delay at which a snapshot is almost never missing. When a snapshot arrives, the age of
 * the newest earlier one is the delay that was needed until then. This need includes jitter, interval and
 * losses. The delay is the percentile of all needs that leaves the allowed share of time uncovered.
 *
 * A stream that waits for a lost packet pauses for longer than a useful delay: extrapolation covers such
 * waits. States that arrive together after the packet reveal the wait.
 */
export class InterpolationDelay {
  readonly #arrivals: Arrival[] = [];
  #newestMs: number | undefined;
  #arrivedMs = -Infinity;
  /** Number of consecutive states that waited for the same packet. */
  #queued = 0;
  /** The needed delay behind the sender's time, ms. */
  delayMs: number;

  /** @param startMs delay before the first arrival, ms */
  constructor(startMs = 100) {
    this.delayMs = limited(startMs);
  }

  /**
   * Records that a snapshot of `stateMs` arrived at the sender's time `serverMs`.
   *
   * @param isContinued false if the snapshot ends a deliberate silence of the sender, which says nothing
   * about the path
   */
  observe(stateMs: number, serverMs: number, isContinued = true): void {
    const before = this.#newestMs;
    if (before !== undefined && !(stateMs > before)) return;
    const spanMs = stateMs - (before ?? stateMs);
    const isQueued = serverMs - this.#arrivedMs < QUEUED_SHARE * spanMs;
    this.#newestMs = stateMs;
    this.#arrivedMs = serverMs;
    this.#queued = isQueued ? this.#queued + 1 : 0;
    const isUnknown = before === undefined || !isContinued || spanMs > MAX_MS;
    // The last states before a silence may have waited for a lost packet, and no states after them show it.
    if (isUnknown || this.#queued >= QUEUED_STATES) this.#forgetWait(serverMs - stateMs);
    else if (!isQueued)
      this.#count({ needMs: Math.max(0, serverMs - before), spanMs, lateMs: serverMs - stateMs });
    if (this.#arrivals.length > 0) this.delayMs = limited(this.#needed());
  }

  #count(arrival: Arrival): void {
    this.#arrivals.push(arrival);
    if (this.#arrivals.length > KEPT) this.#arrivals.shift();
  }

  /**
   * Drops the last arrivals that belong to the same wait: those later than `lateMs` by more than an interval.
   */
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
    // With few arrivals, the rare late one has not occurred yet.
    if (needs.length < FEW) return worst + this.#arrivals.at(-1)!.spanMs;
    let allowedMs = STARVED_SHARE * this.#arrivals.reduce((sum, { spanMs }) => sum + spanMs, 0);
    // Lower the delay from the worst need on. Each late arrival then leaves its own time uncovered.
    for (let late = 1; late < needs.length; late++) {
      const above = needs[needs.length - late]!;
      const step = above - needs[needs.length - 1 - late]!;
      if (step * late >= allowedMs) return above - allowedMs / late;
      allowedMs -= step * late;
    }
    return needs[0]!;
  }
}

function limited(delayMs: number): number {
  return Math.min(Math.max(delayMs, MIN_MS), MAX_MS);
}
