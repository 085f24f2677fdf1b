import { copyRow, isFiniteRow, type BodyLayout, type Components } from "../body/body-layout.js";
import { Convergence, RATE_SECONDS, type ConvergenceOptions } from "../convergence/convergence.js";
import { newReckoner, type ReckoningModel } from "./new-reckoner.js";
import type { Reckoner } from "./reckoner.js";

/** An error of one entity, for the game's error event. The entity holds its last good pose. */
export interface MotionFault {
  readonly kind: "threw" | "not-finite";
  readonly cause?: unknown;
}

export interface RemoteBodyOptions {
  readonly layout: BodyLayout;
  readonly model: ReckoningModel;
  readonly convergence: ConvergenceOptions;
  /** No further ahead than this: then the entity holds its last predicted pose. */
  readonly extrapolationLimitMs: number;
  /** Told once when the model fails, and again after it has worked in between. */
  readonly onFault?: (fault: MotionFault) => void;
}

/** Why a state was not taken. */
export type RefusedState = "outdated" | "future" | "not-finite";

/** A state this far ahead of the receiver's clock is a mistake, or an attack: it would block all that follow. */
export const FUTURE_SECONDS = 2;

/** Shows one remote entity, by dead reckoning or by interpolation. Times are s of the owner's simulation. */
export interface ShownBody {
  /**
   * Takes a state; a reason where it is not taken.
   *
   * @param isJump the entity did not move there but jump (teleport, respawn): it is shown there at once
   */
  receive(
    state: Components,
    stateSeconds: number,
    nowSeconds: number,
    isJump?: boolean,
  ): RefusedState | undefined;
  /** Writes what to draw. False where it is no new pose. */
  show(nowSeconds: number, into: Components): boolean;
}

/** A state that has come and is not taken yet, because nobody has looked since. */
class Waiting {
  readonly row: Float64Array;
  stateSeconds = 0;
  nowSeconds = 0;
  isJump = false;

  constructor(width: number) {
    this.row = new Float64Array(width);
  }
}

/** A body that nobody looks at keeps this many corrections to blend; older ones are not blended. */
const MAX_WAITING = 16;

/**
 * The shown pose of one remote entity by dead reckoning: its newest state, continued to now, with corrections blended
 * in. All times are seconds of the owner's simulation (its ticks, unwrapped, times the length of a tick).
 *
 * A state is kept when it comes and taken when the body is read, as of the time at which it came. So a body shows the
 * same however often it is read, unless more than 16 states came in between: then it shows what these alone make of it.
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
  /** Oldest first; those from `#waitingCount` on are free. */
  readonly #waiting: Waiting[] = [];
  #waitingCount = 0;
  #stateSeconds: number | undefined;
  /** Time of the state that the reckoner has. */
  #takenSeconds: number | undefined;
  #isFaulty = false;

  /** @param width components of a row */
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

  /** Takes a state of `stateSeconds`, at `nowSeconds`. A jump (teleport, respawn) is shown without blending. */
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
    if (this.#waitingCount === MAX_WAITING) this.#passOver();
    const waiting = (this.#waiting[this.#waitingCount++] ??= new Waiting(state.length));
    copyRow(state, waiting.row);
    waiting.stateSeconds = stateSeconds;
    waiting.nowSeconds = nowSeconds;
    waiting.isJump = isJump;
    return undefined;
  }

  /** Writes what to draw at `nowSeconds` into `into`. False where the model failed: `into` is the last good pose. */
  show(nowSeconds: number, into: Components): boolean {
    for (let index = 0; index < this.#waitingCount; index++) this.#take(this.#waiting[index]!);
    this.#waitingCount = 0;
    return this.#show(nowSeconds, into);
  }

  /** @param isBlended false for the prediction alone */
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
    this.#isFaulty = false;
    return true;
  }

  /** Goes over from what was to be seen when the state came to what it says. */
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

  /** The oldest state that waits is taken without blending. */
  #passOver(): void {
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
