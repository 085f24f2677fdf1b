import { ConfigError } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";

/**
 * The simulation's tick. A game that steps a simulation says its tick after every step; for one that does not, ticks
 * pass with the clock. It never goes back, since peers drop what is older than what they have: where a game begins to
 * count late, or anew with every round, its count goes on from here.
 */
export class TickSource {
  readonly #clock: Clock;
  readonly tickHz: number;
  readonly #startedAtMs: number;
  #tick: number | undefined;
  /** How far the ticks are ahead of the game's count. */
  #ahead = 0;
  #held: number | undefined;

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
    if (this.#held !== undefined) return this.#held;
    return Math.floor(((this.#clock.nowMs() - this.#startedAtMs) * this.tickHz) / 1000) >>> 0;
  }

  /** Runs something for which the tick stands still: states and the packets that carry them must name the same. */
  during(use: (tick: number) => void): void {
    this.#held = this.tick;
    try {
      use(this.#held);
    } finally {
      this.#held = undefined;
    }
  }

  /** Throws {@link ConfigError} for what is no tick. */
  set tick(tick: number) {
    if (!Number.isSafeInteger(tick) || tick < 0) {
      throw new ConfigError({ field: "tick", value: tick, expected: "a whole number of steps, 0 or more" });
    }
    const before = this.tick;
    if (((tick + this.#ahead - before) | 0) < 0) this.#ahead = before + 1 - tick;
    this.#tick = (tick + this.#ahead) >>> 0;
  }
}
