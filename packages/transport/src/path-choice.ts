/** Measurements of one path to a peer. */
export interface PathReading {
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Number of round trips that were measured so far. */
  readonly roundTrips: number;
  /** Share of packets lost on one way, 0 to 1. It is 0 on a path that repeats lost packets. */
  readonly lossRatio: number;
  /** Loss of the last few packets. It shows if a path that was bad is good again. */
  readonly recentLossRatio: number;
}

/** Cost of lost states: ms per lost share. 5 % of loss count as much as 50 ms of delay. */
const LOSS_COST_MS = 1000;
/** Traffic leaves a direct path that costs more than the relay's cost times this ratio plus these ms. */
const WORSE_RATIO = 1.3;
const WORSE_MS = 30;
/** Time without a break for which a direct path must be worse before traffic leaves it. */
const LEAVE_AFTER_MS = 4000;
/**
 * Round trips of each path before a change: three of the five in a median, and one that may have begun before. What
 * made one path worse may have reached the other as well, which older ones do not show.
 */
const FRESH_ROUND_TRIPS = 4;
/** A direct path is good again if its cost exceeds the relay's by at most this, ms. */
const AS_GOOD_MS = 10;
/**
 * Time for which a direct path must be good before traffic returns to it. It doubles at each return, up to
 * the longest.
 */
const FIRST_RETURN_AFTER_MS = 4000;
const LONGEST_RETURN_AFTER_MS = 128_000;
/**
 * A direct path that carried the traffic for this time was good: the next return takes the first time again.
 */
const GOOD_AFTER_MS = 120_000;

/** Returns the approximate mean age of a state at its arrival, ms: delay, jitter and loss. */
function costMs({ rttMs, jitterMs }: PathReading, lossRatio: number): number {
  return rttMs / 2 + 2 * jitterMs + lossRatio * LOSS_COST_MS;
}

interface Doubt {
  readonly sinceMs: number;
  /** Round trips of the direct path and of the relay at its beginning. */
  readonly counts: readonly [number, number];
}

/**
 * Chooses between a direct path and the relay while both are open. Chooses the direct one unless it is
 * clearly worse for some time. Traffic returns to it when it is good again, later each time. Has no clock of
 * its own.
 */
export class PathChoice {
  choice: "direct" | "relay" = "direct";
  /** The reason of the last change, in a sentence. Empty before the first change. */
  reason = "";
  #doubt: Doubt | undefined;
  #returnAfterMs = FIRST_RETURN_AFTER_MS;
  #returnedAtMs = -Infinity;

  /** True while a change is wanted and waits. The owner then measures both paths often. */
  get isInDoubt(): boolean {
    return this.#doubt !== undefined;
  }

  /**
   * Takes the readings of both paths, undefined for a path that is not open. Returns true if the choice has
   * changed.
   */
  observe(direct: PathReading | undefined, relay: PathReading | undefined, nowMs: number): boolean {
    if (!direct || !relay || !this.#wantsChange(direct, relay)) {
      this.#doubt = undefined;
      return false;
    }
    const counts = [direct.roundTrips, relay.roundTrips] as const;
    const doubt = (this.#doubt ??= { sinceMs: nowMs, counts });
    const patienceMs = this.choice === "direct" ? LEAVE_AFTER_MS : this.#returnAfterMs;
    const fresh = Math.min(counts[0] - doubt.counts[0], counts[1] - doubt.counts[1]);
    // Another link counts from 0.
    if (fresh < 0) this.#doubt = undefined;
    if (nowMs - doubt.sinceMs < patienceMs || fresh < FRESH_ROUND_TRIPS) return false;
    this.#change(direct, relay, nowMs);
    return true;
  }

  #wantsChange(direct: PathReading, relay: PathReading): boolean {
    const relayMs = costMs(relay, relay.lossRatio);
    return this.choice === "direct"
      ? costMs(direct, direct.lossRatio) > relayMs * WORSE_RATIO + WORSE_MS
      : costMs(direct, direct.recentLossRatio) <= relayMs + AS_GOOD_MS;
  }

  #change(direct: PathReading, relay: PathReading, nowMs: number): void {
    this.#doubt = undefined;
    const relayed = `relay ${inWords(relay, relay.lossRatio)}`;
    if (this.choice === "direct") {
      this.choice = "relay";
      if (nowMs - this.#returnedAtMs > GOOD_AFTER_MS) this.#returnAfterMs = FIRST_RETURN_AFTER_MS;
      this.reason = `the direct path is worse than the relay (direct ${inWords(direct, direct.lossRatio)}; ${relayed})`;
      return;
    }
    this.choice = "direct";
    this.#returnedAtMs = nowMs;
    this.reason = `the direct path is as good as the relay again (direct ${inWords(direct, direct.recentLossRatio)}; ${relayed})`;
    this.#returnAfterMs = Math.min(this.#returnAfterMs * 2, LONGEST_RETURN_AFTER_MS);
  }
}

function inWords({ rttMs, jitterMs }: PathReading, lossRatio: number): string {
  return `${rttMs.toFixed(0)} ms ± ${jitterMs.toFixed(0)}, ${(lossRatio * 100).toFixed(1)} % lost`;
}
