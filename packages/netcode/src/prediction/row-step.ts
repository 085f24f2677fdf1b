import type { EntityDefinition, Fields, InputDefinition, StepState } from "@paceline/protocol";
import type { Components } from "../body/body-layout.js";
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
