import type { EntityDefinition } from "@paceline/protocol";
import type { BodyLayout } from "../body/body-layout.js";
import { HistoryReckoner } from "./history-reckoner.js";
import type { Reckoner, ReckoningModelName } from "./reckoner.js";
import { decisionWith, type SendDecision } from "./send-decision.js";
import { SteppedReckoner, type StepModel } from "./stepped-reckoner.js";
import { TurnReckoner } from "./turn-reckoner.js";
import { WorldReckoner } from "./world-reckoner.js";
import { RowByName } from "../row-by-name.js";

/** A motion model by name, or the game's own. */
export type ReckoningModel = ReckoningModelName | StepModel;

const byName: Readonly<Record<ReckoningModelName, (layout: BodyLayout) => Reckoner>> = {
  hold: (layout) => new WorldReckoner(layout, 0),
  velocity: (layout) => new WorldReckoner(layout, 1),
  acceleration: (layout) => new WorldReckoner(layout, 2),
  turn: (layout) => new TurnReckoner(layout),
  history: (layout) => new HistoryReckoner(layout),
};

/** Creates the reckoner of one entity. */
export function newReckoner(layout: BodyLayout, model: ReckoningModel): Reckoner {
  return typeof model === "function" ? new SteppedReckoner(model) : byName[model](layout);
}

/** Creates the reckoner of one entity with a motion, by any model. */
export function reckonerOf(definition: EntityDefinition): Reckoner {
  return newReckoner(definition.motionLayout!, reckoningModelOf(definition));
}

/** Returns a decision when to send an entity, by any model; undefined if it has no motion. */
export function sendDecisionOf(definition: EntityDefinition, tickSeconds: number): SendDecision | undefined {
  return decisionWith(definition, tickSeconds, reckonerOf);
}

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
