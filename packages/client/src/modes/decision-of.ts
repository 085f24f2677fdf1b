import { decisionWith, type DecisionOf } from "@paceline/netcode";
import { motionCode, newReckonerOf } from "../entities/motion.js";

/** Returns the decision when to send an entity; undefined without a motion, and before its code is loaded. */
export const decisionOf: DecisionOf = (definition, tickSeconds) =>
  motionCode(definition.motion) && decisionWith(definition, tickSeconds, newReckonerOf);
