export { type HeldBands, type Inputs, inputsOf, measuredBands } from "./bands.js";
export { type Circumstances, circumstancesOf, type Measured, type Surroundings } from "./circumstances.js";
export { decide, planFor } from "./decide.js";
export { explainPlan, type PlanRow } from "./explain-plan.js";
export type { Baselines, Content, Delivery, PairsWith, Plan, PlannedLink, Reason, Route } from "./plan.js";
export {
  type Favour,
  favours,
  type Genre,
  genres,
  type Profile,
  type ProfileNumbers,
  profileRanges,
  topologies,
  type Topology,
  validateProfile,
  type ViewStyle,
  viewStyles,
} from "./profile.js";
export { profileNamed, profiles } from "./profiles.js";
export {
  type Answers,
  type Conditions,
  type Effect,
  END,
  type Facts,
  type LinkOrders,
  type Question,
  type Row,
} from "./question.js";
export { decisionTree } from "./tree.js";
