import { copyRow, isFiniteRow, type BodyLayout, type Components } from "../body/body-layout.js";
import {
  Convergence,
  RATE_SECONDS,
  type ConvergenceOptions,
  type MovingPose,
} from "../convergence/convergence.js";
import { type Reckoner, FUTURE_SECONDS, type RefusedState } from "./reckoner.js";
import { clampPosition } from "../body/pose.js";

/** An error of one entity's motion model, for the game's error event. The entity keeps its last good pose. */
export interface MotionFault {
  readonly kind: "threw" | "not-finite";
  readonly cause?: unknown;
}

export interface RemoteBodyOptions {
  readonly layout: BodyLayout;
  /** Continues the states of this entity alone. */
  readonly reckoner: Reckoner;
  readonly convergence: ConvergenceOptions;
  /** Longest extrapolation, ms. After it the entity keeps its last predicted pose. */
  readonly extrapolationLimitMs: number;
  /** Called when the model fails, and again only after it has worked in between. */
  readonly onFault?: (fault: MotionFault) => void;
}

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

/**
 * The shown pose of one remote entity by dead reckoning: its newest state, continued to now, with blended
 * corrections. All times are seconds of the owner's simulation (unwrapped ticks times the length of a tick).
 *
 * A state takes effect at the time of its arrival, so the shown pose does not depend on how often the game
 * reads the body.
 */
export class RemoteBody implements ShownBody {
  readonly #options: RemoteBodyOptions;
  readonly #reckoner: Reckoner;
  readonly #convergence: Convergence;
  readonly #shown: MovingPose;
  readonly #corrected: MovingPose;
  readonly #lastGood: Float64Array;
  /** Time of the newest state. */
  #takenSeconds: number | undefined;
  #isFaulty = false;

  /** @param width components per row */
  constructor(options: RemoteBodyOptions, width: number) {
    this.#options = options;
    this.#reckoner = options.reckoner;
    this.#convergence = new Convergence(options.layout, options.convergence);
    const row = (): Float64Array => new Float64Array(width);
    this.#shown = { now: row(), soon: row() };
    this.#corrected = { now: row(), soon: row() };
    this.#lastGood = row();
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
    const before = this.#takenSeconds;
    if (before !== undefined && stateSeconds <= before) return "outdated";
    if (stateSeconds > nowSeconds + FUTURE_SECONDS) return "future";
    const isBlended = before !== undefined && !isJump;
    if (isBlended) this.#showMoving(nowSeconds, this.#shown, true);
    this.#reckoner.take(state, before === undefined ? 0 : stateSeconds - before);
    if (before === undefined) copyRow(state, this.#lastGood);
    this.#takenSeconds = stateSeconds;
    const isPredicted = this.#showMoving(nowSeconds, this.#corrected, false);
    if (isPredicted) copyRow(this.#corrected.now, this.#lastGood);
    if (isBlended && isPredicted) this.#convergence.begin(this.#shown, this.#corrected, nowSeconds);
    else this.#convergence.end();
    return undefined;
  }

  #showMoving(nowSeconds: number, { now, soon }: MovingPose, isBlended: boolean): boolean {
    const isSoonShown = this.#pose(nowSeconds + RATE_SECONDS, soon, isBlended);
    return this.#pose(nowSeconds, now, isBlended) && isSoonShown;
  }

  /**
   * Writes the pose to draw at `nowSeconds` to `into`. Returns false if the model failed; then `into` is the
   * last good pose.
   */
  show(nowSeconds: number, into: Components): boolean {
    const isGood = this.#pose(nowSeconds, into, true);
    if (isGood) copyRow(into, this.#lastGood);
    return isGood;
  }

  /** @param isBlended false for the prediction without corrections */
  #pose(nowSeconds: number, into: Components, isBlended: boolean): boolean {
    if (this.#takenSeconds === undefined) return false;
    try {
      this.#predict(nowSeconds - this.#takenSeconds, into);
    } catch (cause) {
      return this.#fail({ kind: "threw", cause }, into);
    }
    if (isBlended) this.#convergence.apply(into, nowSeconds);
    // A model of the game, or a correction, may lead out of the range.
    clampPosition(this.#options.layout, into);
    if (!isFiniteRow(into)) return this.#fail({ kind: "not-finite" }, into);
    // A prediction over no time proves nothing: the model did not run.
    if (nowSeconds > this.#takenSeconds) this.#isFaulty = false;
    return true;
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
