import type { Clock } from "@paceline/transport";

/**
 * The simulation's tick. A game that steps a simulation says its tick after every step; for one that does not, ticks
 * pass with the clock.
 */
export class TickSource {
  readonly #clock: Clock;
  readonly tickHz: number;
  readonly #startedAtMs: number;
  #tick: number | undefined;

  constructor(clock: Clock, tickHz: number) {
    this.#clock = clock;
    this.tickHz = tickHz;
    this.#startedAtMs = clock.nowMs();
  }

  /** Whether the game says the ticks itself. */
  get isDriven(): boolean {
    return this.#tick !== undefined;
  }

  /** 32 bits, circular. */
  get tick(): number {
    if (this.#tick !== undefined) return this.#tick;
    return Math.floor(((this.#clock.nowMs() - this.#startedAtMs) * this.tickHz) / 1000) >>> 0;
  }

  set tick(tick: number) {
    this.#tick = tick >>> 0;
  }
}
