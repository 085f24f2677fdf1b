import { isFiniteRow, positionErrorM, type BodyLayout, type Components } from "../body/body-layout.js";
import { Convergence, RATE_SECONDS, type ConvergenceOptions } from "../convergence/convergence.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { InputBuffer, type InputBufferOptions } from "./input-buffer.js";

/** Simulation of the player's own entity ahead of the server's state. */
export interface PredictedBodyOptions<Input> {
  readonly layout: BodyLayout;
  /** The game's physics for one tick, in place: the same on the server. */
  readonly step: (state: Components, input: Input, seconds: number) => void;
  readonly tickSeconds: number;
  /** Smoothing of a wrong prediction's error on screen. */
  readonly convergence: ConvergenceOptions;
  readonly inputs?: InputBufferOptions;
  readonly onFault?: (fault: MotionFault) => void;
}

/** A correction by a server's state. */
export interface Correction {
  /** Error of the prediction, m; the visible error begins with it and is smoothed away. */
  readonly distanceM: number;
  /** Inputs that were replayed. */
  readonly replayed: number;
  readonly isJump: boolean;
}

/**
 * An entity that the player controls under a server's authority: every input is simulated at once; a state of the server
 * replaces the prediction of its tick, and the inputs after it are simulated again from there.
 */
export class PredictedBody<Input> {
  readonly inputs: InputBuffer<Input>;
  readonly #options: PredictedBodyOptions<Input>;
  readonly #convergence: Convergence;
  readonly #state: Float64Array;
  readonly #replayed: Float64Array;
  readonly #scratch: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
  #tick: number;
  #confirmedTick: number;
  #isFaulty = false;

  /** @param state the first state, of `tick`; copied */
  constructor(options: PredictedBodyOptions<Input>, state: Components, tick: number) {
    this.#options = options;
    this.inputs = new InputBuffer<Input>(options.inputs);
    this.#convergence = new Convergence(options.layout, options.convergence);
    this.#state = Float64Array.from(state);
    this.#replayed = Float64Array.from(state);
    const row = (): Float64Array => new Float64Array(state.length);
    this.#scratch = [row(), row(), row(), row()];
    this.#tick = tick;
    this.#confirmedTick = tick;
  }

  /** The tick that is simulated up to. */
  get tick(): number {
    return this.#tick;
  }

  /** The predicted state at {@link tick}; read, do not write. */
  get state(): Components {
    return this.#state;
  }

  /** Simulates the next tick with this input; returns its number. */
  advance(input: Input): number {
    const tick = this.#tick + 1;
    this.inputs.add(tick, input);
    this.#tick = tick;
    this.#replayed.set(this.#state);
    if (this.#step(this.#replayed, input)) this.#state.set(this.#replayed);
    return tick;
  }

  /**
   * The server's state after `tick`, at the time `nowSeconds` of the local clock. Nothing for one that is older than
   * what it has confirmed, of a tick not simulated here yet, or without numbers.
   */
  reconcile(tick: number, serverState: Components, nowSeconds: number): Correction | undefined {
    if (tick <= this.#confirmedTick || tick > this.#tick || !isFiniteRow(serverState)) return undefined;
    this.#confirmedTick = tick;
    this.inputs.confirm(tick);
    const replay = this.inputs.pending;
    this.#replayed.set(serverState);
    for (const { input } of replay) if (!this.#step(this.#replayed, input)) return undefined;
    const distanceM = positionErrorM(this.#options.layout, this.#replayed, this.#state);
    const isJump = this.#smooth(nowSeconds);
    return { distanceM, replayed: replay.length, isJump };
  }

  /** Writes what to draw: the predicted state with what is left of the last error. */
  show(nowSeconds: number, into: Components): void {
    into.set(this.#state);
    this.#convergence.apply(into, nowSeconds);
  }

  /** Takes over the replayed state; what is shown goes on from where it is. */
  #smooth(nowSeconds: number): boolean {
    const [shownNow, shownSoon, newNow, newSoon] = this.#scratch;
    this.show(nowSeconds, shownNow);
    // Old and new prediction move on alike, by the same inputs: only what is left of an earlier error changes.
    shownSoon.set(this.#state);
    this.#convergence.apply(shownSoon, nowSeconds + RATE_SECONDS);
    newNow.set(this.#replayed);
    newSoon.set(this.#replayed);
    this.#state.set(this.#replayed);
    return this.#convergence.begin(
      { now: shownNow, soon: shownSoon },
      { now: newNow, soon: newSoon },
      nowSeconds,
    );
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
