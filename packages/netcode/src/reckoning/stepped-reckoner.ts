import { isFiniteRow, type Components } from "../body/body-layout.js";
import type { Reckoner } from "./reckoner.js";

/** The game's own model: advances a row of the entity's components by `seconds`, in place. */
export type StepModel = (state: Components, seconds: number) => void;

/** Length of one step, s. The last step of a prediction may be shorter. */
const STEP_SECONDS = 1 / 60;
/** Limit of steps of one prediction. Beyond it, the entity holds. */
const MAX_STEPS = 60;

/** Continues a state with the game's own model. Exceptions of the model pass through `predict`. */
export class SteppedReckoner implements Reckoner {
  readonly #step: StepModel;
  /** The received state. */
  #taken: Float64Array | undefined;
  /**
   * The state after `#steps` whole steps. It is kept because time mostly advances: no step is computed again
   * for each frame.
   */
  #stepped = new Float64Array(0);
  #steps = 0;

  constructor(step: StepModel) {
    this.#step = step;
  }

  take(state: Components): void {
    if (this.#stepped.length !== state.length) this.#stepped = new Float64Array(state.length);
    this.#taken ??= new Float64Array(state.length);
    this.#taken.set(state);
    this.#restart(this.#taken);
  }

  predict(seconds: number, into: Components): void {
    const taken = this.#taken;
    if (!taken) return;
    const limited = Math.min(Math.max(seconds, 0), MAX_STEPS * STEP_SECONDS);
    const wanted = Math.floor(limited / STEP_SECONDS);
    if (wanted < this.#steps) this.#restart(taken);
    for (; this.#steps < wanted; this.#steps++) this.#step(this.#stepped, STEP_SECONDS);
    into.set(this.#stepped);
    const rest = limited - wanted * STEP_SECONDS;
    if (rest > 1e-9) this.#step(into, rest);
    // Do not keep a state with NaN: the next prediction starts again from the received state.
    if (!isFiniteRow(this.#stepped)) this.#restart(taken);
  }

  #restart(taken: Float64Array): void {
    this.#stepped.set(taken);
    this.#steps = 0;
  }
}
