import type { EntityDefinition, Fields, InputDefinition, StepState } from "@paceline/protocol";
import { wrapAngle } from "../body/pose.js";
import { isFiniteRow, positionErrorM, type BodyLayout, type Components } from "../body/body-layout.js";
import { Convergence, RATE_SECONDS, type ConvergenceOptions } from "../convergence/convergence.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { InputBuffer } from "./input-buffer.js";
import type { ReadonlyFields } from "../entity-view.js";
import { RowByName } from "../row-by-name.js";

/** A game's physics for one tick, by names of fields: advances `state` under the player's `input`. */
export type InputStep<F extends Fields = Fields, I extends Fields = Fields> = (
  state: StepState<F>,
  input: ReadonlyFields<I>,
  seconds: number,
) => void;

/** A game's physics over rows of components. */
export type RowStep = (state: Components, input: Float32Array, seconds: number) => void;

/** Converts physics over named fields to physics over rows. */
export function rowStepOf(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): RowStep {
  const state = new RowByName(definition, "free");
  const input = new RowByName(inputs.definition, "read");
  return (of, by, seconds) => {
    state.row = of;
    input.row = by;
    step(state.view as never, input.view as never, seconds);
  };
}

/** Settings for simulating the player's own entity ahead of the server's state. */
export interface PredictedBodyOptions<Input> {
  readonly layout: BodyLayout;
  /** The game's physics for one tick, in place. The server must run the same. */
  readonly step: (state: Components, input: Input, seconds: number) => void;
  readonly tickSeconds: number;
  /** Smoothing of the visible error after a wrong prediction. */
  readonly convergence: ConvergenceOptions;
  /**
   * Largest rounding of each component in the server's states: see {@link roundingsOf}. Without it, every
   * state replaces the prediction.
   */
  readonly roundings?: Components;
  readonly onFault?: (fault: MotionFault) => void;
}

/**
 * Error of floating point, as a share of a component's range. Float32 has 24 bits; the physics' sums may lose
 * a few.
 */
const FLOAT_ERROR = 2 ** -20;

/**
 * Returns the largest rounding of each component on the wire: half a step, or 0 for whole numbers, flags and
 * enums. Components that are not sent get Infinity: they are not compared.
 */
export function roundingsOf({ components }: EntityDefinition): Float64Array {
  return Float64Array.from(components, ({ kind, isSent, precision, min, max }) => {
    if (!isSent) return Infinity;
    const isExact = kind === "int" || kind === "flag" || kind === "enum";
    return isExact ? 0 : precision / 2 + Math.max(-min, max) * FLOAT_ERROR;
  });
}

/**
 * An entity that the player controls under a server's authority. Every input is simulated at once. If a
 * server state differs from the prediction of its tick, it replaces the prediction, and later inputs are
 * simulated again from there.
 */
export class PredictedBody<Input> {
  readonly inputs = new InputBuffer<Input>();
  readonly #options: PredictedBodyOptions<Input>;
  readonly #convergence: Convergence;
  readonly #state: Float64Array;
  readonly #replayed: Float64Array;
  /** Predicted states that the server has not confirmed, by tick. */
  readonly #past = new Map<number, Float64Array>();
  readonly #scratch: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
  #tick: number;
  #confirmedTick: number;
  #isFaulty = false;

  /** @param state first state, at `tick`; copied */
  constructor(options: PredictedBodyOptions<Input>, state: Components, tick: number) {
    this.#options = options;
    this.#convergence = new Convergence(options.layout, options.convergence);
    this.#state = Float64Array.from(state);
    this.#replayed = Float64Array.from(state);
    const row = (): Float64Array => new Float64Array(state.length);
    this.#scratch = [row(), row(), row(), row()];
    this.#tick = tick;
    this.#confirmedTick = tick;
  }

  /** Simulates the next tick with this input. */
  advance(input: Input): void {
    const tick = this.#tick + 1;
    this.inputs.add(tick, input);
    this.#tick = tick;
    this.#replayed.set(this.#state);
    if (this.#step(this.#replayed, input)) this.#state.set(this.#replayed);
    if (this.#options.roundings) this.#remember(tick);
  }

  /**
   * Compares the prediction with the server's state after `tick`. `nowSeconds` is the local clock. Returns the
   * error of the prediction, m: the visible error starts with it and is smoothed away. Returns undefined if
   * the state is outdated, of a tick not simulated here yet, or not finite.
   */
  reconcile(tick: number, serverState: Components, nowSeconds: number): number | undefined {
    if (tick <= this.#confirmedTick || tick > this.#tick || !isFiniteRow(serverState)) return undefined;
    this.#confirmedTick = tick;
    this.inputs.confirm(tick);
    const predicted = this.#past.get(tick);
    for (const past of this.#past.keys()) if (past <= tick) this.#past.delete(past);
    const { roundings } = this.#options;
    if (!predicted || !roundings) this.#replayed.set(serverState);
    else if (this.#admits(predicted, serverState, roundings)) return 0;
    for (const { tick: replayed, input } of this.inputs.pending) {
      if (!this.#step(this.#replayed, input)) return undefined;
      this.#past.get(replayed)?.set(this.#replayed);
    }
    const distanceM = positionErrorM(this.#options.layout, this.#replayed, this.#state);
    this.#smooth(nowSeconds);
    return distanceM;
  }

  /** Writes the pose to draw: the predicted state with the rest of the last visible error. */
  show(nowSeconds: number, into: Components): void {
    into.set(this.#state);
    this.#convergence.apply(into, nowSeconds);
  }

  #remember(tick: number): void {
    this.#past.set(tick, this.#state.slice());
    // Without the inputs after a state, it cannot be simulated again.
    for (const past of this.#past.keys()) {
      if (this.#past.size <= this.inputs.pending.length) break;
      this.#past.delete(past);
    }
  }

  /**
   * Finds the state nearest to the prediction that rounds to the server's state, and writes it to
   * {@link #replayed}. Returns true if that is the prediction itself: then rounding explains the difference.
   * Each server state narrows the possible error of the prediction.
   */
  #admits(predicted: Float64Array, state: Components, roundings: Components): boolean {
    const { heading } = this.#options.layout;
    const into = this.#replayed;
    let isSame = true;
    for (let index = 0; index < predicted.length; index++) {
      const value = state[index]!;
      const raw = predicted[index]! - value;
      const off = index === heading ? wrapAngle(raw) : raw;
      const rounding = roundings[index]!;
      const isWithin = Math.abs(off) <= rounding;
      into[index] = rounding < Infinity ? value + Math.min(Math.max(off, -rounding), rounding) : value;
      isSame &&= isWithin;
    }
    return isSame;
  }

  /** Adopts the replayed state. The shown pose continues from its place. */
  #smooth(nowSeconds: number): void {
    const [shownNow, shownSoon, newNow, newSoon] = this.#scratch;
    this.show(nowSeconds, shownNow);
    // The same inputs move the old and the new prediction, so both stand still here. The rate between the
    // two poses is then only that of an earlier correction, which may still run.
    shownSoon.set(this.#state);
    this.#convergence.apply(shownSoon, nowSeconds + RATE_SECONDS);
    newNow.set(this.#replayed);
    newSoon.set(this.#replayed);
    this.#state.set(this.#replayed);
    this.#convergence.begin({ now: shownNow, soon: shownSoon }, { now: newNow, soon: newSoon }, nowSeconds);
  }

  #step(state: Float64Array, input: Input): boolean {
    try {
      this.#options.step(state, input, this.#options.tickSeconds);
    } catch (cause) {
      return this.#fail({ kind: "threw", cause });
    }
    if (!isFiniteRow(state)) return this.#fail({ kind: "not-finite" });
    this.#isFaulty = false;
    return true;
  }

  #fail(fault: MotionFault): false {
    if (!this.#isFaulty) this.#options.onFault?.(fault);
    this.#isFaulty = true;
    return false;
  }
}
