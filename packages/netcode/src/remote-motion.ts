import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference, wrapAngle } from "./angle.js";
import { extrapolate } from "./dead-reckoning.js";

export interface RemoteMotionOptions {
  /** No further ahead than this: then the entity holds its last extrapolated pose. */
  readonly extrapolationLimitMs: number;
  /** Half of a correction is blended away in this time. */
  readonly blendHalfLifeMs: number;
  /** A correction of more is a jump: shown at once. */
  readonly snapDistanceM: number;
}

/** Blended away to less than a thousandth: no longer computed. */
const BLEND_ENDS_AFTER_HALF_LIVES = 10;

/**
 * What is shown of one remote entity: its newest state, continued to now, plus what is left of the difference
 * that the last correction made (error blending: exponential decay of the offset).
 */
export class RemoteMotion {
  readonly #definition: EntityDefinition;
  readonly #options: RemoteMotionOptions;
  /** Components that are blended: the position's axes and the heading. */
  readonly #blended: readonly number[];
  readonly #correction: Float32Array;
  readonly #shownBefore: Float32Array;
  #correctedAtMs = Number.NEGATIVE_INFINITY;
  #tick: number | undefined;

  constructor(definition: EntityDefinition, options: RemoteMotionOptions) {
    this.#definition = definition;
    this.#options = options;
    const layout = definition.motionLayout;
    const positions = layout
      ? Array.from({ length: layout.dimensions }, (_, axis) => layout.position + axis)
      : [];
    this.#blended = layout?.heading === undefined ? positions : [...positions, layout.heading];
    this.#correction = new Float32Array(this.#blended.length);
    this.#shownBefore = new Float32Array(definition.components.length);
  }

  /** The sender's tick of the newest state. */
  get tick(): number {
    return this.#tick ?? 0;
  }

  /** Whether a state of `tick` is newer than what is there. */
  isNews(tick: number): boolean {
    return this.#tick === undefined || ((tick - this.#tick) | 0) > 0;
  }

  /**
   * Takes a newer state into `state`. `secondsBefore` and `secondsAfter` tell how far the old and the new state
   * lie back; what is shown now goes on from where it is.
   */
  correct(
    state: Float32Array,
    news: Float32Array,
    tick: number,
    ages: { before: number; after: number },
    nowMs: number,
  ): void {
    const isFirst = this.#tick === undefined;
    if (!isFirst) this.show(state, ages.before, nowMs, this.#shownBefore);
    this.#correction.fill(0);
    state.set(news);
    this.#tick = tick;
    if (isFirst) return;
    const extrapolated = news;
    extrapolate(this.#definition, state, this.#limited(ages.after), extrapolated);
    this.#blended.forEach((component, index) => {
      this.#correction[index] = this.#difference(
        component,
        this.#shownBefore[component]!,
        extrapolated[component]!,
      );
    });
    if (this.#correctionM() > this.#options.snapDistanceM) this.#correction.fill(0);
    this.#correctedAtMs = nowMs;
  }

  /** Computes what to draw at `nowMs`, `ageSeconds` after the newest state, into `into`. */
  show(state: Float32Array, ageSeconds: number, nowMs: number, into: Float32Array): void {
    extrapolate(this.#definition, state, this.#limited(ageSeconds), into);
    const halfLives = (nowMs - this.#correctedAtMs) / this.#options.blendHalfLifeMs;
    if (halfLives > BLEND_ENDS_AFTER_HALF_LIVES) return;
    const left = 2 ** -halfLives;
    this.#blended.forEach((component, index) => {
      const shown = into[component]! + this.#correction[index]! * left;
      into[component] = this.#isAngle(component) ? wrapAngle(shown) : shown;
    });
  }

  #limited(ageSeconds: number): number {
    return Math.min(ageSeconds, this.#options.extrapolationLimitMs / 1000);
  }

  #difference(component: number, a: number, b: number): number {
    return this.#isAngle(component) ? angleDifference(a, b) : a - b;
  }

  #isAngle(component: number): boolean {
    return component === this.#definition.motionLayout?.heading;
  }

  #correctionM(): number {
    const dimensions = this.#definition.motionLayout?.dimensions ?? 0;
    return Math.hypot(...this.#correction.subarray(0, dimensions));
  }
}
