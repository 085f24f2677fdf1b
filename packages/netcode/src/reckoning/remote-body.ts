import { copyRow, isFiniteRow, type BodyLayout, type Components } from "../body/body-layout.js";
import { Convergence, RATE_SECONDS, type ConvergenceOptions } from "../convergence/convergence.js";
import { newReckoner, type ReckoningModel } from "./new-reckoner.js";
import type { Reckoner } from "./reckoner.js";

/** An error of one entity's motion model, for the game's error event. The entity keeps its last good pose. */
export interface MotionFault {
  readonly kind: "threw" | "not-finite";
  readonly cause?: unknown;
}

export interface RemoteBodyOptions {
  readonly layout: BodyLayout;
  readonly model: ReckoningModel;
  readonly convergence: ConvergenceOptions;
  /** Longest extrapolation, ms. After it the entity keeps its last predicted pose. */
  readonly extrapolationLimitMs: number;
  /** Called when the model fails, and again only after it has worked in between. */
  readonly onFault?: (fault: MotionFault) => void;
}

/** Reason for refusing a state. */
export type RefusedState = "outdated" | "future" | "not-finite";

/**
 * A state further ahead of the receiver's clock than this is an error or an attack. It would block all later
 * states.
 */
export const FUTURE_SECONDS = 2;

/**
 * Shows one remote entity, by dead reckoning or by interpolation. Times are in s of the owner's simulation.
 */
export interface ShownBody {
  /**
   * Takes a state, or returns the reason for refusing it.
   *
   * @param isJump true after a teleport or respawn: the entity is shown there at once
   */
  receive(
    state: Components,
    stateSeconds: number,
    nowSeconds: number,
    isJump?: boolean,
  ): RefusedState | undefined;
  /** Writes the pose to draw. Returns false if it is not a new pose. */
  show(nowSeconds: number, into: Components): boolean;
}

/** A received state that the reckoner takes at the next `show`. */
class Waiting {
  readonly row: Float64Array;
  stateSeconds = 0;
  nowSeconds = 0;
  isJump = false;

  constructor(width: number) {
    this.row = new Float64Array(width);
  }
}

/** Most waiting states whose corrections are blended, if the body is not read. Older ones are not blended. */
const MAX_WAITING = 16;

/**
 * The shown pose of one remote entity by dead reckoning: its newest state, continued to now, with blended
 * corrections. All times are seconds of the owner's simulation (unwrapped ticks times the length of a tick).
 *
 * A received state waits until the body is read, and then takes effect as of its arrival. So the shown pose
 * does not depend on how often the body is read, unless more than 16 states arrive between two reads: then
 * only these 16 are blended.
 */
export class RemoteBody implements ShownBody {
  readonly #options: RemoteBodyOptions;
  readonly #reckoner: Reckoner;
  readonly #convergence: Convergence;
  readonly #shownNow: Float64Array;
  readonly #shownSoon: Float64Array;
  readonly #newNow: Float64Array;
  readonly #newSoon: Float64Array;
  readonly #lastGood: Float64Array;
  /** Waiting states, oldest first. Elements from `#waitingCount` on are free for reuse. */
  readonly #waiting: Waiting[] = [];
  #waitingCount = 0;
  #stateSeconds: number | undefined;
  /** Time of the reckoner's state. */
  #takenSeconds: number | undefined;
  #isFaulty = false;

  /** @param width components per row */
  constructor(options: RemoteBodyOptions, width: number) {
    this.#options = options;
    this.#reckoner = newReckoner(options.layout, options.model);
    this.#convergence = new Convergence(options.layout, options.convergence);
    this.#shownNow = new Float64Array(width);
    this.#shownSoon = new Float64Array(width);
    this.#newNow = new Float64Array(width);
    this.#newSoon = new Float64Array(width);
    this.#lastGood = new Float64Array(width);
  }

  /**
   * Receives a state of `stateSeconds` at `nowSeconds`. A jump (teleport, respawn) is shown without blending.
   */
  receive(
    state: Components,
    stateSeconds: number,
    nowSeconds: number,
    isJump = false,
  ): RefusedState | undefined {
    if (!isFiniteRow(state) || !Number.isFinite(stateSeconds)) return "not-finite";
    if (this.#stateSeconds !== undefined && stateSeconds <= this.#stateSeconds) return "outdated";
    if (stateSeconds > nowSeconds + FUTURE_SECONDS) return "future";
    this.#stateSeconds = stateSeconds;
    if (this.#waitingCount === MAX_WAITING) this.#dropOldest();
    const waiting = (this.#waiting[this.#waitingCount++] ??= new Waiting(state.length));
    copyRow(state, waiting.row);
    waiting.stateSeconds = stateSeconds;
    waiting.nowSeconds = nowSeconds;
    waiting.isJump = isJump;
    return undefined;
  }

  /**
   * Writes the pose to draw at `nowSeconds` to `into`. Returns false if the model failed; then `into` is the
   * last good pose.
   */
  show(nowSeconds: number, into: Components): boolean {
    for (let index = 0; index < this.#waitingCount; index++) this.#take(this.#waiting[index]!);
    this.#waitingCount = 0;
    return this.#show(nowSeconds, into);
  }

  /** @param isBlended false for the prediction without corrections */
  #show(nowSeconds: number, into: Components, isBlended = true): boolean {
    if (this.#takenSeconds === undefined) return false;
    try {
      this.#predict(nowSeconds - this.#takenSeconds, into);
    } catch (cause) {
      return this.#fail({ kind: "threw", cause }, into);
    }
    if (isBlended) this.#convergence.apply(into, nowSeconds);
    if (!isFiniteRow(into)) return this.#fail({ kind: "not-finite" }, into);
    copyRow(into, this.#lastGood);
    // A prediction over no time proves nothing: the model did not run.
    if (nowSeconds > this.#takenSeconds) this.#isFaulty = false;
    return true;
  }

  /** Takes a state, and begins the blend from the pose that was visible at its arrival. */
  #take(state: Waiting): void {
    const { nowSeconds, isJump } = state;
    const isBlended = this.#takenSeconds !== undefined && !isJump;
    if (isBlended) {
      this.#show(nowSeconds, this.#shownNow);
      this.#show(nowSeconds + RATE_SECONDS, this.#shownSoon);
    }
    this.#reckonFrom(state);
    const isPredicted =
      this.#show(nowSeconds + RATE_SECONDS, this.#newSoon, false) &&
      this.#show(nowSeconds, this.#newNow, false);
    if (!isBlended || !isPredicted) {
      this.#convergence.end();
      return;
    }
    this.#convergence.begin(
      { now: this.#shownNow, soon: this.#shownSoon },
      { now: this.#newNow, soon: this.#newSoon },
      nowSeconds,
    );
  }

  /** Takes the oldest waiting state without blending. */
  #dropOldest(): void {
    const oldest = this.#waiting.shift()!;
    this.#reckonFrom(oldest);
    this.#convergence.end();
    this.#waiting.push(oldest);
    this.#waitingCount -= 1;
  }

  #reckonFrom({ row, stateSeconds }: Waiting): void {
    const before = this.#takenSeconds;
    this.#reckoner.take(row, before === undefined ? 0 : stateSeconds - before);
    if (before === undefined) this.#lastGood.set(row);
    this.#takenSeconds = stateSeconds;
  }

  #predict(ageSeconds: number, into: Components): void {
    const limit = this.#options.extrapolationLimitMs / 1000;
    this.#reckoner.predict(ageSeconds > 0 ? Math.min(ageSeconds, limit) : 0, into);
  }

  #fail(fault: MotionFault, into: Components): false {
    into.set(this.#lastGood);
    if (!this.#isFaulty) this.#options.onFault?.(fault);
    this.#isFaulty = true;
    return false;
  }
}
