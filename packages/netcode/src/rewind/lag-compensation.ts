import { ConfigError } from "@paceline/protocol";
import type { BodyLayout, Components } from "../body/body-layout.js";
import { PoseHistory } from "./pose-history.js";

/** Options of a server's history of poses. */
export interface LagCompensationOptions {
  readonly layout: BodyLayout;
  readonly tickSeconds: number;
  /** No shot reaches further back: who lags more has to lead the target. */
  readonly maxRewindMs?: number;
}

/** The world as a shooter saw it. */
export interface RewoundWorld<Id> {
  /** The tick that is looked at: the wanted one, or as far back as is allowed. */
  readonly tick: number;
  /** True if the server clamped the request and rewound less. */
  readonly isCapped: boolean;
  /** Writes an entity's pose at that tick; false where it was not there. */
  poseOf(id: Id, into: Components): boolean;
}

const DEFAULT_MAX_REWIND_MS = 250;

/**
 * A server's memory of where everything was, so that a shot is judged against what the shooter saw: his render time,
 * which lies behind by his delay and his interpolation (Bernier 2001). Times are the server's ticks, unwrapped.
 */
export class LagCompensation<Id> {
  readonly #options: LagCompensationOptions;
  readonly #maxTicks: number;
  readonly #histories = new Map<Id, PoseHistory>();
  #tick = 0;

  constructor(options: LagCompensationOptions) {
    const { maxRewindMs = DEFAULT_MAX_REWIND_MS, tickSeconds } = options;
    if (!(maxRewindMs >= 0 && maxRewindMs <= 2000)) {
      throw new ConfigError({ field: "maxRewindMs", value: maxRewindMs, expected: "0 to 2000 ms" });
    }
    if (!(tickSeconds > 0)) {
      throw new ConfigError({ field: "tickSeconds", value: tickSeconds, expected: "more than 0 s" });
    }
    this.#options = options;
    this.#maxTicks = maxRewindMs / 1000 / tickSeconds;
  }

  /** Notes where an entity is at the server's present tick. */
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
   * Runs `fn` with the world as it was at `toTick` (the render time that the shooter says he saw; it may lie between
   * two ticks). It is his word: the future and the far past are cut off. Returns what `fn` returns.
   */
  rewind<Result>(toTick: number, fn: (world: RewoundWorld<Id>) => Result): Result {
    const earliest = this.#tick - this.#maxTicks;
    // NaN of a client is as good as the farthest past.
    const wanted = Number.isNaN(toTick) ? earliest : toTick;
    const tick = Math.min(Math.max(wanted, earliest), this.#tick);
    return fn({
      tick,
      isCapped: tick > wanted || Number.isNaN(toTick),
      poseOf: (id, into) => this.#histories.get(id)?.at(tick, this.#options.tickSeconds, into) ?? false,
    });
  }
}
