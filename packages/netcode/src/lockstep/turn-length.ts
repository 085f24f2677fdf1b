import { ConfigError } from "@paceline/protocol";

export interface TurnLengthOptions {
  readonly minMs: number;
  readonly maxMs: number;
}

export const DEFAULT_TURN_LENGTH: TurnLengthOptions = Object.freeze({ minMs: 50, maxMs: 1000 });

/** Turns grow at once, since too short a turn stalls everybody; they shrink by this share per turn. */
const SHRINKS = 0.05;

/**
 * How long a turn has to be. Commands given in turn n are executed in turn n + 2: they have one whole turn for their
 * way to the slowest peer, who then needs a frame to take them up.
 */
export class TurnLength {
  readonly #options: TurnLengthOptions;

  constructor(options: TurnLengthOptions = DEFAULT_TURN_LENGTH) {
    const { minMs, maxMs } = options;
    if (!(minMs > 0 && minMs <= maxMs)) {
      throw new ConfigError({
        field: "minMs",
        value: minMs,
        expected: `above 0, at most maxMs, ${maxMs} ms`,
      });
    }
    this.#options = options;
  }

  /** What this peer wishes, from its largest round trip, the spread of it, and the time its frames take, ms. */
  wish({ rttMs, jitterMs, frameMs }: { rttMs: number; jitterMs: number; frameMs: number }): number {
    const wish = rttMs / 2 + 2 * jitterMs + frameMs;
    return Math.round(this.#clamp(Number.isFinite(wish) ? wish : this.#options.maxMs));
  }

  /** The next turn's length from the present one and everybody's wishes: the same on every peer. Whole ms. */
  next(presentMs: number, wishes: readonly number[]): number {
    const largest = Math.max(this.#options.minMs, ...wishes);
    const target = this.#clamp(largest);
    return target >= presentMs
      ? Math.round(target)
      : Math.max(Math.round(target), Math.floor(presentMs * (1 - SHRINKS)));
  }

  #clamp(lengthMs: number): number {
    return Math.min(Math.max(lengthMs, this.#options.minMs), this.#options.maxMs);
  }
}
