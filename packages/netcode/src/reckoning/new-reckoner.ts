import type { BodyLayout } from "../body/body-layout.js";
import { HistoryReckoner } from "./history-reckoner.js";
import type { Reckoner, ReckoningModelName } from "./reckoner.js";
import { SteppedReckoner, type StepModel } from "./stepped-reckoner.js";
import { TurnReckoner } from "./turn-reckoner.js";
import { WorldReckoner } from "./world-reckoner.js";

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
