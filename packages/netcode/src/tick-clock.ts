/** Share of an arrival's deviation that moves the estimate (RFC 6298 smooths round trips with the same gain). */
const GAIN = 1 / 8;
/** The estimate moves by at most this share of elapsed time, so that nobody sees it. */
const SLEW = 0.05;
/** Deviation beyond which the estimate jumps: the sender paused, or its page was hidden. */
const JUMP_MS = 250;
/** All arrivals have to be so late for this long: a packet that was lost and repeated comes late too. */
const LATE_FOR_MS = 300;

/**
 * When another participant's simulation ticks happen, on this machine's clock: the usual difference between arrival
 * and tick time, less the usual one-way time. Both are smoothed alike, so that jitter, which delays pings as it does
 * states, cancels out.
 */
export class TickClock {
  readonly #msPerTick: number;
  #origin: number | undefined;
  #offsetMs: number | undefined;
  #observedAtMs = 0;
  /** Since when every arrival has been far too late; undefined while they are not. */
  #lateSinceMs: number | undefined;

  /** @param tickHz the sender's simulation steps per second */
  constructor(tickHz: number) {
    this.#msPerTick = 1000 / tickHz;
  }

  /** A state of `tick` (32 bits, circular) arrived at `nowMs`; the path's round trip takes `rttMs`. */
  observe(tick: number, nowMs: number, rttMs: number): void {
    this.#origin ??= tick;
    const sampleMs = nowMs - this.#ticksSinceOrigin(tick) * this.#msPerTick - rttMs / 2;
    this.#offsetMs ??= sampleMs;
    const lateByMs = sampleMs - this.#offsetMs;
    if (this.#isLeap(lateByMs, nowMs)) {
      this.#offsetMs = sampleMs;
      this.#lateSinceMs = undefined;
    } else if (this.#lateSinceMs === undefined) {
      const limitMs = SLEW * (nowMs - this.#observedAtMs);
      this.#offsetMs += Math.max(-limitMs, Math.min(limitMs, GAIN * lateByMs));
    }
    this.#observedAtMs = nowMs;
  }

  /** How long ago, in seconds, the sender was at `tick`; 0 before the first observation. Never negative. */
  secondsSince(tick: number, nowMs: number): number {
    if (this.#offsetMs === undefined) return 0;
    return Math.max(0, nowMs - this.#offsetMs - this.#ticksSinceOrigin(tick) * this.#msPerTick) / 1000;
  }

  /** Whether the sender's time has taken a leap, rather than a packet its time. */
  #isLeap(lateByMs: number, nowMs: number): boolean {
    if (lateByMs <= JUMP_MS) {
      this.#lateSinceMs = undefined;
      // Nothing can come too early: that is believed at once.
      return lateByMs < -JUMP_MS;
    }
    this.#lateSinceMs ??= nowMs;
    return nowMs - this.#lateSinceMs >= LATE_FOR_MS;
  }

  #ticksSinceOrigin(tick: number): number {
    return (tick - this.#origin!) | 0;
  }
}
