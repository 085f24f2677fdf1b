/** Largest change of a player's simulation speed, as a share. Players do not feel it. */
const MAX_CHANGE = 0.05;
/** Error at which the change reaches its limit, ticks. */
const FULL_AT_TICKS = 4;
/**
 * A player that is farther ahead, after the server stood still, slows down more, since the server executes all
 * that the player does too late: each further tick makes its ticks longer by this share, to twice as long at most.
 */
const LONGER_PER_FURTHER_TICK = 1 / 20;
const MAX_LONGER = 1;
/** Smaller errors are ignored. */
const DEADBAND_TICKS = 0.5;
/** Ticks whose changes are remembered: more than a round trip. */
const KEPT_TICKS = 128;

/**
 * Time dilation on the player's side: adjusts the duration of ticks to the server's request. Each tick
 * reduces the remaining error, because the next answer takes a round trip.
 */
export class InputPace {
  readonly #tickSeconds: number;
  #errorTicks = 0;
  /** Sum of all changes after each of the newest ticks, as a ring. */
  readonly #sums = new Float64Array(KEPT_TICKS);
  #ticks = 0;

  constructor(tickSeconds: number) {
    this.#tickSeconds = tickSeconds;
  }

  /**
   * Takes the server's request, ticks. Positive: the player should be further ahead.
   * @param unseenTicks number of the newest ticks that the server did not know: what they have changed counts
   */
  hint(leadErrorTicks: number, unseenTicks = 0): void {
    if (!Number.isFinite(leadErrorTicks)) return;
    const unseen = Math.max(0, Math.min(unseenTicks, this.#ticks, KEPT_TICKS - 1));
    const changed = this.#sumAfter(this.#ticks) - this.#sumAfter(this.#ticks - unseen);
    this.#errorTicks = leadErrorTicks - changed;
  }

  /** Returns the real duration of the next tick, s. Call it once per tick. */
  nextTickSeconds(): number {
    const change = this.#nextChange();
    const sum = this.#sumAfter(this.#ticks) + change;
    this.#ticks += 1;
    this.#sums[this.#ticks % KEPT_TICKS] = sum;
    this.#errorTicks -= change;
    return this.#tickSeconds * (1 - change);
  }

  #nextChange(): number {
    if (Math.abs(this.#errorTicks) < DEADBAND_TICKS) return 0;
    const share = Math.max(-1, Math.min(1, this.#errorTicks / FULL_AT_TICKS));
    const furtherTicks = Math.max(0, -this.#errorTicks - FULL_AT_TICKS);
    const slower = share * MAX_CHANGE - furtherTicks * LONGER_PER_FURTHER_TICK;
    return Math.max(-MAX_LONGER, slower);
  }

  #sumAfter(tick: number): number {
    return this.#sums[tick % KEPT_TICKS]!;
  }
}
