import { ConfigError } from "@paceline/protocol";

export interface TurnLengthOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** Turns are whole multiples of this, such as a simulation's tick, ms. Default 1. */
  readonly stepMs?: number;
}

/** The measurements behind one peer's turn length, ms. */
export interface TurnNeeds {
  /** Round trip of the slowest path. */
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Until a command that has arrived is taken up. */
  readonly frameMs: number;
  /** Shorter turns are not wanted on any path. Default 0. */
  readonly leastMs?: number;
}

export const DEFAULT_TURN_LENGTH: TurnLengthOptions = Object.freeze({ minMs: 50, maxMs: 1000 });

/** Turns grow at once, since too short a turn stalls everybody; they shrink by this share per turn. */
const SHRINKS = 0.05;
/** Share of a step: a whole number of steps must not become the next one for its last bit. */
const ROUNDING = 1e-6;

/**
 * Computes the length of a turn. Commands given in turn n are executed in turn n + 2: they have one whole turn for their
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

  /** The turn length that this peer asks for. Whole ms. */
  wish({ rttMs, jitterMs, frameMs, leastMs = 0 }: TurnNeeds): number {
    const wish = Math.max(leastMs, rttMs / 2 + 2 * jitterMs + frameMs);
    return Math.round(this.#clamp(Number.isFinite(wish) ? wish : this.#options.maxMs));
  }

  /** The next turn's length from the present one and everybody's wishes: the same on every peer. */
  next(presentMs: number, wishes: readonly number[]): number {
    const { minMs, stepMs = 1 } = this.#options;
    const target = this.#clamp(Math.ceil(Math.max(minMs, ...wishes) / stepMs - ROUNDING) * stepMs);
    if (target >= presentMs) return target;
    const shrunk = Math.floor((presentMs * (1 - SHRINKS)) / stepMs) * stepMs;
    return Math.max(target, shrunk);
  }

  #clamp(lengthMs: number): number {
    return Math.min(Math.max(lengthMs, this.#options.minMs), this.#options.maxMs);
  }
}
