/** Largest change of a player's simulation speed, as a share. Players do not feel it. */
const MAX_CHANGE = 0.05;
/** Error at which the change reaches its limit, ticks. */
const FULL_AT_TICKS = 4;
/** Smaller errors are ignored. */
const DEADBAND_TICKS = 0.5;

/**
 * Time dilation on the player's side: adjusts the duration of ticks to the server's request. Each tick
 * reduces the remaining error, because the next answer takes a round trip.
 */
export class InputPace {
  readonly #tickSeconds: number;
  #errorTicks = 0;

  constructor(tickSeconds: number) {
    this.#tickSeconds = tickSeconds;
  }

  /** Takes the server's request, ticks. Positive: the player should be further ahead. */
  hint(leadErrorTicks: number): void {
    if (Number.isFinite(leadErrorTicks)) this.#errorTicks = leadErrorTicks;
  }

  /** Returns the real duration of the next tick, s. Call it once per tick. */
  nextTickSeconds(): number {
    if (Math.abs(this.#errorTicks) < DEADBAND_TICKS) return this.#tickSeconds;
    const share = Math.max(-1, Math.min(1, this.#errorTicks / FULL_AT_TICKS));
    const change = share * MAX_CHANGE;
    this.#errorTicks -= change;
    return this.#tickSeconds * (1 - change);
  }
}
