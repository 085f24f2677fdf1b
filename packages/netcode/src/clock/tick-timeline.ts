import { SlewedClock } from "./slewed-clock.js";

/** Arrivals whose median says when ticks happen, and for how long one counts. */
const KEPT = 32;
const MAX_AGE_MS = 4000;
/** Arrivals in a row this far from the estimate: the sender stood still, or its clock jumped. */
const CONTRADICTIONS = 3;
const CONTRADICTION_MS = 250;

interface Arrival {
  readonly atMs: number;
  /** Arrival minus time of the tick: constant but for jitter. */
  readonly lagMs: number;
}

/**
 * When another participant's simulation ticks happen, from the stamps of its packets and the round trip to it: half of
 * the round trip after its tick a packet is here. Ticks are 32 bits on the wire and circular; here they go on counting.
 * The median of late arrivals and the mean round trip shift alike when a queue builds up.
 */
export class TickTimeline {
  readonly #msPerTick: number;
  readonly #clock = new SlewedClock({ stepsBack: true });
  #arrivals: Arrival[] = [];
  #newest: number | undefined;
  #contradictions = 0;

  /** @param tickHz the sender's simulation steps per second */
  constructor(tickHz: number) {
    this.#msPerTick = 1000 / tickHz;
  }

  /** Whether there was an observation. */
  get isReady(): boolean {
    return this.#clock.isSet;
  }

  /** The tick of a packet (32 bits) as a number that does not wrap: the one nearest to the newest so far. */
  unwrap(tick: number): number {
    if (this.#newest === undefined) return tick >>> 0;
    return this.#newest + ((tick - this.#newest) | 0);
  }

  /** A packet of `tick` arrived at `nowMs`; the round trip to its sender takes `rttMs`. */
  observe(tick: number, nowMs: number, rttMs: number): void {
    const unwrapped = this.unwrap(tick);
    this.#newest = Math.max(this.#newest ?? unwrapped, unwrapped);
    const lagMs = nowMs - unwrapped * this.#msPerTick;
    this.#watchForJump(lagMs, nowMs);
    this.#arrivals = this.#arrivals
      .slice(1 - KEPT)
      .filter(({ atMs }) => nowMs - atMs <= MAX_AGE_MS && atMs <= nowMs);
    this.#arrivals.push({ atMs: nowMs, lagMs });
    const lags = Float64Array.from(this.#arrivals, (arrival) => arrival.lagMs).sort();
    const halfRttMs = Number.isFinite(rttMs) && rttMs > 0 ? rttMs / 2 : 0;
    this.#clock.aim(halfRttMs - lags[lags.length >> 1]!, nowMs);
  }

  /** The sender's simulation time at `nowMs`, s since its tick 0; 0 before the first observation. */
  secondsAt(nowMs: number): number {
    return this.isReady ? this.#clock.nowMs(nowMs) / 1000 : 0;
  }

  /** Time of a tick that {@link unwrap} gave, s on the same scale. */
  secondsOf(unwrappedTick: number): number {
    return (unwrappedTick * this.#msPerTick) / 1000;
  }

  #watchForJump(lagMs: number, nowMs: number): void {
    const last = this.#arrivals.at(-1);
    if (!last) return;
    const expected = this.#arrivals[this.#arrivals.length >> 1]!.lagMs;
    const isContradiction = Math.abs(lagMs - expected) > CONTRADICTION_MS || nowMs < last.atMs;
    this.#contradictions = isContradiction ? this.#contradictions + 1 : 0;
    if (this.#contradictions < CONTRADICTIONS) return;
    this.#contradictions = 0;
    this.#arrivals = [];
  }
}
