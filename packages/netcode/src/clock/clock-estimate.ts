import { OffsetFilter, type PingSample } from "./offset-filter.js";
import { SlewedClock } from "./slewed-clock.js";

/**
 * Number of consecutive packet stamps, each off by more than CONTRADICTION_MS, that prove a jump of the other
 * clock.
 */
const CONTRADICTIONS = 3;
const CONTRADICTION_MS = 1000;
/**
 * Time between pings for the first EAGER_SAMPLES samples, and later. No multiple of the period of frames or
 * ticks: otherwise all pings would leave, and all pongs wait, at the same moment of a page's frame.
 */
const EAGER_PING_MS = 23;
const CALM_PING_MS = 487;
const EAGER_SAMPLES = 72;

/**
 * Estimates another machine's time from the offsets of pings, checked against the stamps of packets. The
 * shown clock is slewed and never runs backwards. All times in ms; `localMs` is the local monotonic clock,
 * which may have a step of 1 ms. A constant difference between the delays of the two directions cannot be
 * measured; half of it is the error.
 *
 * The filter keeps its own round trips of the last 30 s, to find the pings that waited least. The transport's
 * estimate is the median of the last five: it would add queueing delay to the offset.
 */
export class ClockEstimate {
  readonly #filter = new OffsetFilter();
  readonly #clock = new SlewedClock();
  #contradictions = 0;
  /** Standard error of the estimate, ms; Infinity before the first. */
  errorMs = Infinity;

  /** True after the first accepted sample. */
  get isReady(): boolean {
    return this.#clock.isSet;
  }

  /** Time from the last ping to the next, ms: short at first, and after a jump. */
  get pingIntervalMs(): number {
    return this.#filter.taken < EAGER_SAMPLES ? EAGER_PING_MS : CALM_PING_MS;
  }

  /** Adds a ping sample. Returns false if its time stamps are impossible. */
  observePing(sample: PingSample): boolean {
    if (!this.#filter.add(sample)) return false;
    const result = this.#filter.result();
    if (!result) return false;
    this.errorMs = result.errorMs;
    this.#clock.aim(result.offsetMs, sample.receivedMs);
    return true;
  }

  /**
   * Checks the sender's time stamp of a packet. It must be close to now. If several consecutive stamps are
   * not, one of the clocks has jumped, and the estimate restarts.
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
    this.errorMs = halfRttMs + CONTRADICTION_MS;
    this.#clock.aim(remoteMs + halfRttMs - localMs, localMs);
  }

  /**
   * Returns the other machine's time at a local time, ms; the local time itself before the first estimate.
   */
  nowMs(localMs: number): number {
    return this.#clock.nowMs(localMs);
  }
}
