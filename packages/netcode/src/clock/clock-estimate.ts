import { OffsetFilter, type PingSample } from "./offset-filter.js";
import { SlewedClock } from "./slewed-clock.js";

/** Packet stamps in a row that contradict the estimate by more than a second: the other clock has jumped. */
const CONTRADICTIONS = 3;
const CONTRADICTION_MS = 1000;
/** Time between pings until the estimate is good, and from then on. */
const EAGER_PING_MS = 25;
const CALM_PING_MS = 500;
const EAGER_SAMPLES = 72;

/**
 * Another machine's time, on this one: offset from pings, checked against the stamps of packets, shown by a clock
 * that is slewed and never runs backwards. All times in ms; `localMs` is the local monotonic clock, which may have a
 * step of 1 ms. A constant difference between the delays of both ways cannot be seen by anybody; half of it is the
 * error.
 *
 * It keeps round trips of its own, which nobody is shown: of the last 30 s, to find the pings that waited least. The
 * transport's estimate is the median of the last five, and would bring the wait of a queue into the offset.
 */
export class ClockEstimate {
  readonly #filter = new OffsetFilter();
  readonly #clock = new SlewedClock();
  #contradictions = 0;
  #errorMs = Infinity;

  /** Whether there is an estimate. */
  get isReady(): boolean {
    return this.#clock.isSet;
  }

  /** Standard error of the estimate, ms; Infinity before the first. */
  get errorMs(): number {
    return this.#errorMs;
  }

  /** Number of forward steps of the shown time after this machine, or the other one, had slept. */
  get steps(): number {
    return this.#clock.steps;
  }

  /** When to ping next, after the last ping: often at first, and after a jump. */
  get pingIntervalMs(): number {
    return this.#filter.taken < EAGER_SAMPLES ? EAGER_PING_MS : CALM_PING_MS;
  }

  /** A pong came. False where its stamps make no sense. */
  observePing(sample: PingSample): boolean {
    if (!this.#filter.add(sample)) return false;
    const result = this.#filter.result();
    if (!result) return false;
    this.#errorMs = result.errorMs;
    this.#clock.aim(result.offsetMs, sample.receivedMs);
    return true;
  }

  /**
   * A packet came, stamped with the sender's time. It must have left before now, and not long ago; where several in a
   * row say otherwise, one of the clocks has jumped and the estimate starts again.
   */
  observeStamp(remoteMs: number, localMs: number): void {
    if (!this.isReady || !Number.isFinite(remoteMs)) return;
    const aheadMs = remoteMs - this.#clock.nowMs(localMs);
    if (Math.abs(aheadMs) <= CONTRADICTION_MS) {
      this.#contradictions = 0;
      return;
    }
    this.#contradictions += 1;
    if (this.#contradictions < CONTRADICTIONS) return;
    this.#contradictions = 0;
    const halfRttMs = (this.#filter.minRttMs ?? 0) / 2;
    this.#filter.clear();
    this.#errorMs = halfRttMs + CONTRADICTION_MS;
    this.#clock.aim(remoteMs + halfRttMs - localMs, localMs);
  }

  /** The other machine's time at a local time, ms; the local time itself before there is an estimate. */
  nowMs(localMs: number): number {
    return this.#clock.nowMs(localMs);
  }
}
