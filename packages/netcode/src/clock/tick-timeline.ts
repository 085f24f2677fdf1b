import { SlewedClock } from "./slewed-clock.js";

/** Arrivals kept for the median, and the age at which one is dropped, ms. */
const KEPT = 32;
const MAX_AGE_MS = 4000;
/**
 * Number of consecutive arrivals, each off by more than CONTRADICTION_MS, that prove a pause or a clock jump
 * of the sender.
 */
const CONTRADICTIONS = 3;
const CONTRADICTION_MS = 250;
/** An arrival this much earlier than the others proves it alone: no packet arrives before it is sent. */
const EARLY_MS = 2000;
/** Number of consecutive pongs that prove that the sender has skipped ticks. Fewer may be caused by late ticks. */
const SKIP_PROOFS = 3;

/**
 * Estimates the times of another participant's simulation ticks, from the stamps of its packets and the round
 * trip: a packet arrives half a round trip after its tick. Ticks are circular 32-bit numbers on the wire;
 * here they do not wrap. When a queue builds up, the median arrival and the mean round trip shift alike.
 *
 * When a busy page handles packets late, they do not: all of the wait delays the arrivals, and half of it the
 * half round trip. Therefore pongs limit the estimate. A pong left the sender after the tick that arrived
 * before it, and before the one that arrives next, however late the page handles them.
 */
export class TickTimeline {
  readonly #msPerTick: number;
  #clock = new SlewedClock({ stepsBack: true });
  /** True while the time comes from guesses alone. */
  #isGuessed = false;
  /** Arrivals, oldest first: their times, and their times minus those of the ticks, constant but for jitter. */
  #times: number[] = [];
  #lags: number[] = [];
  /** Has the lags in ascending order. */
  #sorted: number[] = [];
  #newest: number | undefined;
  #contradictions = 0;
  /** Limits of the sender's clock at its tick 0, ms, from pongs. */
  #lowMs = -Infinity;
  #highMs = Infinity;
  /** Sender's time of the pong that arrived after the newest tick, ms. */
  #answeredMs: number | undefined;
  #skipProofs = 0;

  /** @param tickHz the sender's simulation steps per second */
  constructor(tickHz: number) {
    this.#msPerTick = 1000 / tickHz;
  }

  /** True after the first guess or observation. */
  get isReady(): boolean {
    return this.#clock.isSet;
  }

  /**
   * Converts a packet's tick (32 bits) to a number that does not wrap: the nearest one to the newest tick so
   * far.
   */
  unwrap(tick: number): number {
    if (this.#newest === undefined) return tick >>> 0;
    return this.#newest + ((tick - this.#newest) | 0);
  }

  /**
   * Records the arrival of a pong that left the sender when its clock was at `remoteMs`. Only for a path that
   * keeps pongs and ticks in the order of sending.
   */
  answered(remoteMs: number): void {
    if (this.#newest === undefined || !Number.isFinite(remoteMs)) return;
    this.#answeredMs = remoteMs;
    this.#highMs = Math.min(this.#highMs, remoteMs - this.#newest * this.#msPerTick);
    this.#lowMs = Math.min(this.#lowMs, this.#highMs);
  }

  /**
   * Records that a state of `tick` arrived at `nowMs`, which its sender sent at least `ageMs` ago: a message that was
   * repeated, or that a server has kept. The earliest guess counts until the first observation. Later only a state
   * that arrives before its time counts.
   */
  guess(tick: number, nowMs: number, ageMs: number, rttMs: number, offsetMs?: number): void {
    const unwrapped = this.unwrap(tick);
    const senderMs = this.secondsOf(unwrapped) * 1000 + ageMs;
    if (this.isReady && senderMs <= this.#clock.nowMs(nowMs)) return;
    this.#newest = Math.max(this.#newest ?? unwrapped, unwrapped);
    if (this.#lags.length > 0) return this.#arrived(nowMs - senderMs, nowMs, rttMs, offsetMs);
    this.#restart(senderMs - nowMs, nowMs);
    this.#isGuessed = true;
  }

  /**
   * Records that a packet of `tick` arrived at `nowMs`. The round trip to its sender takes `rttMs`.
   * @param offsetMs estimate of the sender's clock, that of {@link answered}, minus the local one
   */
  observe(tick: number, nowMs: number, rttMs: number, offsetMs?: number): void {
    const unwrapped = this.unwrap(tick);
    this.#limitBy(unwrapped);
    this.#newest = Math.max(this.#newest ?? unwrapped, unwrapped);
    this.#arrived(nowMs - unwrapped * this.#msPerTick, nowMs, rttMs, offsetMs);
  }

  #arrived(lagMs: number, nowMs: number, rttMs: number, offsetMs: number | undefined): void {
    this.#watchForJump(lagMs, nowMs);
    const [times, lags] = [this.#times, this.#lags];
    while (times.length === KEPT || nowMs - times[0]! > MAX_AGE_MS) {
      times.shift();
      this.#unsort(lags.shift()!);
    }
    while (times.at(-1)! > nowMs) {
      times.pop();
      this.#unsort(lags.pop()!);
    }
    times.push(nowMs);
    lags.push(lagMs);
    const sorted = this.#sorted;
    let at = sorted.length;
    while (at > 0 && sorted[at - 1]! > lagMs) at -= 1;
    sorted.splice(at, 0, lagMs);
    const halfRttMs = Number.isFinite(rttMs) && rttMs > 0 ? rttMs / 2 : 0;
    const aimMs = halfRttMs - sorted[sorted.length >> 1]!;
    const limitedMs = offsetMs === undefined ? aimMs : this.#limited(aimMs, offsetMs);
    if (this.#isGuessed) this.#restart(limitedMs, nowMs);
    else this.#clock.aim(limitedMs, nowMs);
    this.#isGuessed = false;
  }

  /** Returns the sender's simulation time at `nowMs`, s since its tick 0; 0 before the first guess or observation. */
  secondsAt(nowMs: number): number {
    return this.isReady ? this.#clock.nowMs(nowMs) / 1000 : 0;
  }

  /** Returns the time of a tick from {@link unwrap}, s on the same scale. */
  secondsOf(unwrappedTick: number): number {
    return (unwrappedTick * this.#msPerTick) / 1000;
  }

  /** Takes the first tick after a pong: it began after that. */
  #limitBy(tick: number): void {
    if (this.#answeredMs === undefined || tick <= this.#newest!) return;
    const lowMs = this.#answeredMs - tick * this.#msPerTick;
    this.#answeredMs = undefined;
    const isContradiction = lowMs > this.#highMs;
    this.#skipProofs = isContradiction ? this.#skipProofs + 1 : 0;
    if (isContradiction && this.#skipProofs < SKIP_PROOFS) return;
    if (isContradiction) this.#highMs = Infinity;
    this.#lowMs = Math.max(this.#lowMs, lowMs);
  }

  /** Returns the sender's tick time minus local time, ms, within the limits from pongs. */
  #limited(aimMs: number, offsetMs: number): number {
    return Math.max(offsetMs - this.#highMs, Math.min(offsetMs - this.#lowMs, aimMs));
  }

  /** Sets the time at once: what was guessed need not be continued. */
  #restart(offsetMs: number, nowMs: number): void {
    this.#clock = new SlewedClock({ stepsBack: true });
    this.#clock.aim(offsetMs, nowMs);
  }

  #watchForJump(lagMs: number, nowMs: number): void {
    const [times, lags] = [this.#times, this.#lags];
    if (times.length === 0) return;
    const laterMs = lagMs - lags[lags.length >> 1]!;
    const isContradiction = Math.abs(laterMs) > CONTRADICTION_MS || nowMs < times.at(-1)!;
    this.#contradictions = isContradiction ? this.#contradictions + 1 : 0;
    if (this.#contradictions < CONTRADICTIONS && laterMs > -EARLY_MS) return;
    this.#contradictions = 0;
    this.#times = [];
    this.#lags = [];
    this.#sorted = [];
    // Either this side stood still, and the limits hold, or the sender did: the next pong decides.
    this.#skipProofs = SKIP_PROOFS - 1;
  }

  #unsort(lagMs: number): void {
    const at = this.#sorted.indexOf(lagMs);
    this.#sorted.splice(at, 1);
  }
}
