/** A player's simulation runs faster or slower by at most this share: it is felt by nobody. */
const MAX_CHANGE = 0.05;
/** The whole change from this many ticks of error on. */
const FULL_AT_TICKS = 4;
/** Errors of less than this are left alone. */
const DEADBAND_TICKS = 0.5;

/**
 * The player's side of time dilation: how long a tick takes, by what the server's input buffer asked for. The hint
 * ages: what was asked is worked off while the answer is on its way.
 */
export class InputPace {
  readonly #tickSeconds: number;
  #errorTicks = 0;

  constructor(tickSeconds: number) {
    this.#tickSeconds = tickSeconds;
  }

  /** The server's request: positive to be further ahead. */
  hint(leadErrorTicks: number): void {
    if (Number.isFinite(leadErrorTicks)) this.#errorTicks = leadErrorTicks;
  }

  /** Real seconds that the next tick should take; call once per tick. */
  nextTickSeconds(): number {
    if (Math.abs(this.#errorTicks) < DEADBAND_TICKS) return this.#tickSeconds;
    const share = Math.max(-1, Math.min(1, this.#errorTicks / FULL_AT_TICKS));
    const change = share * MAX_CHANGE;
    this.#errorTicks -= change;
    return this.#tickSeconds * (1 - change);
  }
}
