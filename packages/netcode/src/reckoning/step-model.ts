import type { EntityDefinition } from "@paceline/protocol";
import type { Components } from "../body/body-layout.js";
import { defineCells } from "../entity-view.js";
import type { ReckoningModel } from "./new-reckoner.js";
import type { StepModel } from "./stepped-reckoner.js";

/** The model that continues entities of a definition: one of the SDK's, or the game's own. */
export function reckoningModelOf(definition: EntityDefinition): ReckoningModel {
  if (definition.motion !== "step") return definition.motion;
  return { step: stepModelOf(definition) };
}

/** The game's model, which knows fields by name, as one of rows. */
function stepModelOf(definition: EntityDefinition): StepModel {
  const step = definition.step as ((state: object, seconds: number) => void) | undefined;
  let row: Components = new Float64Array(definition.components.length);
  const state = defineCells({}, definition, {
    access: "free",
    get: (offset) => row[offset]!,
    set: (offset, value) => {
      row[offset] = value;
    },
    setAll: (offset, values) => row.set(values, offset),
    // Text is no part of a row: a model that reads it would not predict the same everywhere.
    text: () => "",
    setText: () => undefined,
  });
  return (of, _input, seconds) => {
    row = of;
    step?.(state, seconds);
  };
}
