/** What was measured of one path to a peer. */
export interface PathReading {
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Share of packets that do not come through, 0 to 1; 0 on a path that repeats them. */
  readonly lossRatio: number;
}

/** What a state's loss costs: with this many ms per lost share, 5 % count as much as 50 ms of delay. */
const LOSS_COST_MS = 1000;
/** A direct path must be worse than the relay by this much of the relay's cost, and by so many ms, ... */
const WORSE_RATIO = 1.3;
const WORSE_MS = 30;
/** ... for so long without a break, before traffic leaves it. */
const LEAVE_AFTER_MS = 4000;
/** It is good again when it costs no more than the relay and this. */
const AS_GOOD_MS = 10;
/** How long it must be as good before traffic goes back: doubled with every time that it was left, up to the longest. */
const FIRST_RETURN_AFTER_MS = 10_000;
const LONGEST_RETURN_AFTER_MS = 160_000;

/** Mean age of a state at its arrival, roughly, ms: delay, what jitter adds, and what is missing. */
function costMs({ rttMs, jitterMs, lossRatio }: PathReading): number {
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

  get choice(): "direct" | "relay" {
    return this.#choice;
  }

  /** Why, in a sentence; empty before the first change. */
  get reason(): string {
    return this.#reason;
  }

  /** Takes what both paths are like; undefined for one that is not open. True where the choice has changed. */
  observe(direct: PathReading | undefined, relay: PathReading | undefined, nowMs: number): boolean {
    if (!direct || !relay || !this.#wantsChange(costMs(direct), costMs(relay))) {
      this.#sinceMs = undefined;
      return false;
    }
    this.#sinceMs ??= nowMs;
    const patienceMs = this.#choice === "direct" ? LEAVE_AFTER_MS : this.#returnAfterMs;
    if (nowMs - this.#sinceMs < patienceMs) return false;
    this.#change(direct, relay);
    return true;
  }

  #wantsChange(directMs: number, relayMs: number): boolean {
    return this.#choice === "direct"
      ? directMs > relayMs * WORSE_RATIO + WORSE_MS
      : directMs <= relayMs + AS_GOOD_MS;
  }

  #change(direct: PathReading, relay: PathReading): void {
    this.#sinceMs = undefined;
    const both = `direct ${inWords(direct)}; relay ${inWords(relay)}`;
    if (this.#choice === "direct") {
      this.#choice = "relay";
      this.#reason = `the direct path is worse than the relay (${both})`;
      return;
    }
    this.#choice = "direct";
    this.#reason = `the direct path is as good as the relay again (${both})`;
    this.#returnAfterMs = Math.min(this.#returnAfterMs * 2, LONGEST_RETURN_AFTER_MS);
  }
}

function inWords({ rttMs, jitterMs, lossRatio }: PathReading): string {
  return `${rttMs.toFixed(0)} ms ± ${jitterMs.toFixed(0)}, ${(lossRatio * 100).toFixed(1)} % lost`;
}
