import { ConfigError } from "@paceline/protocol";
import { isFiniteRow, type Components } from "../body/body-layout.js";
import type { Reckoner } from "./reckoner.js";

/**
 * The game's own model: advances `state` by `seconds`, in place, under the owner's last input. Both are rows
 * of the entity's components; `input` is the row as sent (throttle and steering among its fields).
 */
export type StepModel = (state: Components, input: Components, seconds: number) => void;

export interface SteppedModelOptions {
  readonly step: StepModel;
  /** Length of one step, s; default 1/60. The last step of a prediction may be shorter. */
  readonly stepSeconds?: number;
  /** Most steps of one prediction; default 60. Beyond that, the entity holds. */
  readonly maxSteps?: number;
}

/** Continues a state with the game's own model. Exceptions of the model pass through `predict`. */
export class SteppedReckoner implements Reckoner {
  readonly #step: StepModel;
  readonly #stepSeconds: number;
  readonly #maxSteps: number;
  #input: Float64Array | undefined;
  /**
   * The state after `#steps` whole steps. It is kept because time mostly advances: no step is computed again
   * for each frame.
   */
  #stepped = new Float64Array(0);
  #steps = 0;

  constructor({ step, stepSeconds = 1 / 60, maxSteps = 60 }: SteppedModelOptions) {
    if (typeof step !== "function") throw new ConfigError("motion.step", step, "a function");
    if (!(stepSeconds > 0 && stepSeconds <= 1)) {
      throw new ConfigError("motion.stepSeconds", stepSeconds, "more than 0 s, at most 1 s");
    }
    if (!Number.isInteger(maxSteps) || maxSteps < 1 || maxSteps > 1000) {
      throw new ConfigError("motion.maxSteps", maxSteps, "1 to 1000 steps");
    }
    this.#step = step;
    this.#stepSeconds = stepSeconds;
    this.#maxSteps = maxSteps;
  }

  take(state: Components): void {
    if (this.#stepped.length !== state.length) this.#stepped = new Float64Array(state.length);
    this.#input ??= new Float64Array(state.length);
    this.#input.set(state);
    this.#restart(this.#input);
  }

  predict(seconds: number, into: Components): void {
    const input = this.#input;
    if (!input) return;
    const limited = Math.min(Math.max(seconds, 0), this.#maxSteps * this.#stepSeconds);
    const wanted = Math.floor(limited / this.#stepSeconds);
    if (wanted < this.#steps) this.#restart(input);
    for (; this.#steps < wanted; this.#steps++) this.#step(this.#stepped, input, this.#stepSeconds);
    into.set(this.#stepped);
    const rest = limited - wanted * this.#stepSeconds;
    if (rest > 1e-9) this.#step(into, input, rest);
    // Do not keep a state with NaN: the next prediction starts again from the input.
    if (!isFiniteRow(this.#stepped)) this.#restart(input);
  }

  #restart(input: Float64Array): void {
    this.#stepped.set(input);
    this.#steps = 0;
  }
}
