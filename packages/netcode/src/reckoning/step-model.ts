import type { EntityDefinition } from "@paceline/protocol";
import { wrapAngle } from "../angle.js";
import type { Components } from "../body/body-layout.js";
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
  const state = {};
  for (const [name, { kind }] of Object.entries(definition.fields)) {
    const at = definition.offsets[name]!;
    const property = (target: object, key: string, index: number): void => {
      Object.defineProperty(target, key, {
        enumerable: true,
        get: () => (kind === "flag" ? row[index] !== 0 : row[index]),
        set: (value: number | boolean) => {
          row[index] = kind === "angle" ? wrapAngle(Number(value)) : Number(value);
        },
      });
    };
    if (kind !== "vec2" && kind !== "vec3") {
      property(state, name, at);
      continue;
    }
    const vector = {};
    ["x", "y", "z"].slice(0, kind === "vec2" ? 2 : 3).forEach((axis, index) => {
      property(vector, axis, at + index);
    });
    Object.defineProperty(state, name, { enumerable: true, value: vector });
  }
  return (of, _input, seconds) => {
    row = of;
    step?.(state, seconds);
  };
}
