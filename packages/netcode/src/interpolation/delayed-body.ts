import { isFiniteRow, positionErrorM, speedOf, type Components } from "../body/body-layout.js";
import { FUTURE_SECONDS, type RefusedState } from "../reckoning/reckoner.js";
import type { ShownBody } from "../reckoning/remote-body.js";
import { InterpolatedBody, type InterpolatedBodyOptions } from "./interpolated-body.js";
import type { InterpolationDelay } from "./interpolation-delay.js";

/** Speed below which an entity rests, m/s, and distance below which two poses are the same, m. */
const RESTING_MPS = 0.02;
const SAME_M = 0.001;
/** Intervals of silence after a resting state that do not count as loss. */
const SILENT_INTERVALS = 2;

export interface DelayedBodyOptions extends InterpolatedBodyOptions {
  /** The delay estimate that all entities with one delay share. */
  readonly delay: InterpolationDelay;
  /** Returns the owner's time to show when it is `nowSeconds` there, s. It stands still rather than go back a little. */
  renderSeconds(nowSeconds: number): number;
  /** Returns the time between two states of a moving entity, ms. */
  intervalMs(): number;
}

/**
 * A remote entity shown by interpolation, behind its owner by a delay that all such entities share. The owner
 * sends nothing while its entity rests. After such a silence, interpolation starts at the end of the rest,
 * not at its last state.
 */
export class DelayedBody implements ShownBody {
  readonly #options: DelayedBodyOptions;
  readonly #body: InterpolatedBody;
  readonly #newest: Float64Array;
  #isAtRest = false;

  /** @param width components per row */
  constructor(options: DelayedBodyOptions, width: number) {
    this.#options = options;
    this.#body = new InterpolatedBody(options, width);
    this.#newest = new Float64Array(width);
  }

  receive(
    state: Components,
    stateSeconds: number,
    nowSeconds: number,
    isJump = false,
  ): RefusedState | undefined {
    if (!isFiniteRow(state) || !Number.isFinite(stateSeconds)) return "not-finite";
    if (stateSeconds > nowSeconds + FUTURE_SECONDS) return "future";
    const before = this.#body.newestSeconds;
    const intervalSeconds = this.#options.intervalMs() / 1000;
    const isSilence =
      before !== undefined && stateSeconds - before > SILENT_INTERVALS * intervalSeconds && this.#isAtRest;
    if (isSilence) this.#body.receive(this.#newest, stateSeconds - intervalSeconds);
    if (!this.#body.receive(state, stateSeconds, isJump)) return "outdated";
    if (before !== undefined && stateSeconds <= before) return undefined;
    // The first state here may be old, so it tells nothing about the path.
    if (before !== undefined) {
      this.#options.delay.observe(stateSeconds * 1000, nowSeconds * 1000, !isSilence);
    }
    this.#isAtRest = this.#rests(state, before !== undefined);
    this.#newest.set(state);
    return undefined;
  }

  show(nowSeconds: number, into: Components): boolean {
    return this.#body.show(this.#options.renderSeconds(nowSeconds), into) !== "none";
  }

  #rests(state: Components, hasBefore: boolean): boolean {
    const { layout } = this.#options;
    if (layout.velocity !== undefined) return speedOf(layout, state) < RESTING_MPS;
    return hasBefore && positionErrorM(layout, state, this.#newest) < SAME_M;
  }
}
