import { ConfigError } from "@paceline/protocol";

export interface TurnLengthOptions {
  readonly minMs: number;
  readonly maxMs: number;
  /** Turn lengths are multiples of this, such as a simulation's tick, ms. Default 1. */
  readonly stepMs?: number;
}

/** The measurements for one peer's turn length, ms. */
export interface TurnNeeds {
  /** Round trip of the slowest path. */
  readonly rttMs: number;
  readonly jitterMs: number;
  /** Time until an arrived command is processed: a frame. */
  readonly frameMs: number;
  /** Shortest acceptable turn on any path. Default 0. */
  readonly leastMs?: number;
}

export const DEFAULT_TURN_LENGTH: TurnLengthOptions = Object.freeze({ minMs: 50, maxMs: 1000 });

/** Largest decrease per turn, as a share. Turns grow at once, because too short a turn stalls all peers. */
const SHRINKS = 0.05;
/** Tolerance in steps: a rounding error must not add a step. */
const ROUNDING = 1e-6;

/**
 * Computes the length of a turn. Commands given in turn n are executed in turn n + 2. So they have one whole
 * turn to reach the slowest peer, which then needs a frame to process them.
 */
export class TurnLength {
  readonly #options: TurnLengthOptions;

  constructor(options: TurnLengthOptions = DEFAULT_TURN_LENGTH) {
    const { minMs, maxMs } = options;
    if (!(minMs > 0 && minMs <= maxMs)) {
      throw new ConfigError("minMs", minMs, `above 0, at most maxMs, ${maxMs} ms`);
    }
    this.#options = options;
  }

  /** Returns the turn length that this peer needs, in whole ms. */
  wish({ rttMs, jitterMs, frameMs, leastMs = 0 }: TurnNeeds): number {
    const wish = Math.max(leastMs, rttMs / 2 + 2 * jitterMs + frameMs);
    return Math.round(this.#clamp(Number.isFinite(wish) ? wish : this.#options.maxMs));
  }

  /**
   * Returns the next turn's length from the current one and all peers' wishes. All peers compute the same.
   */
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
