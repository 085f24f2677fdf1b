/** Measurements of one path to a peer. */
export interface PathReading {
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Share of packets that do not come through on one way, 0 to 1; 0 on a path that repeats them. */
  readonly lossRatio: number;
  /** Loss of the last few packets: tells whether a path is good now that was bad before. */
  readonly recentLossRatio: number;
}

/** Cost of lost states: at this many ms per lost share, 5 % count as much as 50 ms of delay. */
const LOSS_COST_MS = 1000;
/** A direct path must be worse than the relay by this much of the relay's cost, and by so many ms, ... */
const WORSE_RATIO = 1.3;
const WORSE_MS = 30;
/** ... for so long without a break, before traffic leaves it. */
const LEAVE_AFTER_MS = 4000;
/** It is good again when it costs no more than the relay and this. */
const AS_GOOD_MS = 10;
/** The time for which a path must be as good before traffic returns to it: doubled each time it was left, up to the longest. */
const FIRST_RETURN_AFTER_MS = 4000;
const LONGEST_RETURN_AFTER_MS = 128_000;
/** A path that carried the traffic for so long was good: the next return comes soon again. */
const GOOD_AFTER_MS = 120_000;

/** Mean age of a state at its arrival, roughly, ms: delay, what jitter adds, and what is missing. */
function costMs({ rttMs, jitterMs }: PathReading, lossRatio: number): number {
  return rttMs / 2 + 2 * jitterMs + lossRatio * LOSS_COST_MS;
}

/**
 * Direct or through the relay, where both are open: direct, unless it is clearly and lastingly the worse of the two. A
 * path that was left gets another chance, later each time. Pure: time comes in.
 */
export class PathChoice {
  #choice: "direct" | "relay" = "direct";
  #reason = "";
  #sinceMs: number | undefined;
  #returnAfterMs = FIRST_RETURN_AFTER_MS;
  #returnedAtMs = Number.NEGATIVE_INFINITY;

  get choice(): "direct" | "relay" {
    return this.#choice;
  }

  /** Why, in a sentence; empty before the first change. */
  get reason(): string {
    return this.#reason;
  }

  /** Takes what both paths are like; undefined for one that is not open. True where the choice has changed. */
  observe(direct: PathReading | undefined, relay: PathReading | undefined, nowMs: number): boolean {
    if (!direct || !relay || !this.#wantsChange(direct, relay)) {
      this.#sinceMs = undefined;
      return false;
    }
    this.#sinceMs ??= nowMs;
    const patienceMs = this.#choice === "direct" ? LEAVE_AFTER_MS : this.#returnAfterMs;
    if (nowMs - this.#sinceMs < patienceMs) return false;
    this.#change(direct, relay, nowMs);
    return true;
  }

  #wantsChange(direct: PathReading, relay: PathReading): boolean {
    const relayMs = costMs(relay, relay.lossRatio);
    return this.#choice === "direct"
      ? costMs(direct, direct.lossRatio) > relayMs * WORSE_RATIO + WORSE_MS
      : costMs(direct, direct.recentLossRatio) <= relayMs + AS_GOOD_MS;
  }

  #change(direct: PathReading, relay: PathReading, nowMs: number): void {
    this.#sinceMs = undefined;
    const relayed = `relay ${inWords(relay, relay.lossRatio)}`;
    if (this.#choice === "direct") {
      this.#choice = "relay";
      if (nowMs - this.#returnedAtMs > GOOD_AFTER_MS) this.#returnAfterMs = FIRST_RETURN_AFTER_MS;
      this.#reason = `the direct path is worse than the relay (direct ${inWords(direct, direct.lossRatio)}; ${relayed})`;
      return;
    }
    this.#choice = "direct";
    this.#returnedAtMs = nowMs;
    this.#reason = `the direct path is as good as the relay again (direct ${inWords(direct, direct.recentLossRatio)}; ${relayed})`;
    this.#returnAfterMs = Math.min(this.#returnAfterMs * 2, LONGEST_RETURN_AFTER_MS);
  }
}

function inWords({ rttMs, jitterMs }: PathReading, lossRatio: number): string {
  return `${rttMs.toFixed(0)} ms ± ${jitterMs.toFixed(0)}, ${(lossRatio * 100).toFixed(1)} % lost`;
}
