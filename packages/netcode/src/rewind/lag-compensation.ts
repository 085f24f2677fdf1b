import { ConfigError } from "@paceline/protocol";
import type { BodyLayout, Components } from "../body/body-layout.js";
import { PoseHistory } from "./pose-history.js";

export interface LagCompensationOptions {
  readonly layout: BodyLayout;
  readonly tickSeconds: number;
  /** Limit of rewinding, ms; default 250. Players with more lag must aim ahead of the target. */
  readonly maxRewindMs?: number;
}

/** The world at the time of a shooter's view. */
export interface RewoundWorld<Id> {
  /** The rewound tick: the requested one, clamped to the allowed window. */
  readonly tick: number;
  /** True if the server clamped the request and rewound less. */
  readonly isCapped: boolean;
  /** Writes an entity's pose at that tick. Returns false if the entity was not there. */
  poseOf(id: Id, into: Components): boolean;
}

const DEFAULT_MAX_REWIND_MS = 250;

/**
 * A server's history of poses, for judging a shot by the view of the shooter. The shooter's render time lies
 * in the past by network delay and interpolation delay (Bernier 2001). Times are the server's ticks,
 * unwrapped.
 */
export class LagCompensation<Id> {
  readonly #options: LagCompensationOptions;
  readonly #maxTicks: number;
  readonly #histories = new Map<Id, PoseHistory>();
  #tick = 0;

  constructor(options: LagCompensationOptions) {
    const { maxRewindMs = DEFAULT_MAX_REWIND_MS, tickSeconds } = options;
    if (!(maxRewindMs >= 0 && maxRewindMs <= 2000)) {
      throw new ConfigError("maxRewindMs", maxRewindMs, "0 to 2000 ms");
    }
    if (!(tickSeconds > 0)) throw new ConfigError("tickSeconds", tickSeconds, "more than 0 s");
    this.#options = options;
    this.#maxTicks = maxRewindMs / 1000 / tickSeconds;
  }

  /** Records an entity's pose at the server's current tick. */
  record(id: Id, tick: number, row: Components, isJump = false): void {
    const { layout } = this.#options;
    const history = this.#histories.get(id) ?? new PoseHistory(layout, Math.ceil(this.#maxTicks) + 2);
    this.#histories.set(id, history);
    history.record(tick, row, isJump);
    this.#tick = Math.max(this.#tick, tick);
  }

  forget(id: Id): void {
    this.#histories.delete(id);
  }

  /**
   * Runs `fn` with the world at `toTick`, the shooter's render time, which may lie between two ticks. A
   * client may lie about it, so the tick is clamped to the allowed window. Returns the result of `fn`.
   */
  rewind<Result>(toTick: number, fn: (world: RewoundWorld<Id>) => Result): Result {
    const earliest = this.#tick - this.#maxTicks;
    // NaN counts as the farthest allowed past.
    const wanted = Number.isNaN(toTick) ? earliest : toTick;
    const tick = Math.min(Math.max(wanted, earliest), this.#tick);
    return fn({
      tick,
      isCapped: tick > wanted || Number.isNaN(toTick),
      poseOf: (id, into) => this.#histories.get(id)?.at(tick, this.#options.tickSeconds, into) ?? false,
    });
  }
}
