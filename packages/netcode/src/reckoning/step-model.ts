import type { EntityDefinition } from "@paceline/protocol";
import { RowByName } from "../row-by-name.js";
import type { ReckoningModel } from "./new-reckoner.js";
import type { StepModel } from "./stepped-reckoner.js";

/** Returns the model that continues entities of a definition: one of the SDK's, or the game's own. */
export function reckoningModelOf(definition: EntityDefinition): ReckoningModel {
  if (definition.motion !== "step") return definition.motion;
  return stepModelOf(definition);
}

/** Converts the game's model over named fields to a model over rows. */
function stepModelOf(definition: EntityDefinition): StepModel {
  const step = definition.step as ((state: object, seconds: number) => void) | undefined;
  const state = new RowByName(definition, "free");
  return (of, seconds) => {
    state.row = of;
    step?.(state.view, seconds);
  };
}
