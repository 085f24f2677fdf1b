import type { EntityDefinition, Fields, InputDefinition, StepState } from "@paceline/protocol";
import type { Components } from "../body/body-layout.js";
import { defineCells, type ReadonlyFields } from "../entity-view.js";

/** A game's physics for one tick, by the names of fields: moves `state` on, under the player's `input`. */
export type InputStep<F extends Fields = Fields, I extends Fields = Fields> = (
  state: StepState<F>,
  input: ReadonlyFields<I>,
  seconds: number,
) => void;

/** The same over rows of components. */
export type RowStep = (state: Components, input: Float32Array, seconds: number) => void;

/** Lets physics that know fields by name move rows. */
export function rowStepOf(definition: EntityDefinition, inputs: InputDefinition, step: InputStep): RowStep {
  let row: Components = new Float64Array(definition.components.length);
  let pressed: Components = new Float32Array(inputs.definition.components.length);
  const state = defineCells({}, definition, {
    access: "free",
    get: (offset) => row[offset]!,
    set: (offset, value) => {
      row[offset] = value;
    },
    setAll: (offset, values) => row.set(values, offset),
    // Text is no part of a row.
    text: () => "",
    setText: () => undefined,
  });
  const input = defineCells({}, inputs.definition, {
    access: "read",
    get: (offset) => pressed[offset]!,
    set: () => undefined,
    setAll: () => undefined,
    text: () => "",
    setText: () => undefined,
  });
  return (of, by, seconds) => {
    row = of;
    pressed = by;
    step(state, input, seconds);
  };
}
