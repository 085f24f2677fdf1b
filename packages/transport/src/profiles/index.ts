export { type Band, type HeldBands, type Inputs, inputsOf, measuredBands } from "./bands.js";
export { type Circumstances, circumstancesOf, type Measured, type Environment } from "./circumstances.js";
export * from "./decide.js";
export * from "./explain-plan.js";
export type {
  ChannelPolicies,
  ChannelPolicyOf,
  Delivery,
  Plan,
  PlannedClass,
  PlannedLink,
  PlanNumbers,
  Reason,
} from "./plan.js";
export {
  type Battery,
  checkBoolean,
  type Favour,
  favours,
  type Genre,
  genres,
  type Movement,
  movements,
  type Network,
  ordinaryTraffic,
  type Profile,
  type ProfileChoice,
  type ProfileNumbers,
  type ProfileOverrides,
  profileRanges,
  topologies,
  type Topology,
  type TrafficOverrides,
  type TrafficWeight,
  type TrafficWeights,
  type ViewStyle,
  viewStyles,
} from "./profile.js";
export { choiceAt, profileOf, profiles } from "./profiles.js";
export {
  type Answers,
  type Conditions,
  type Effect,
  END,
  type Facts,
  type Question,
  type Row,
} from "./question.js";
export { decisionTree } from "./tree.js";
