import { sendDecisionOf, type DecisionOf } from "@paceline/netcode";
import { motionCode } from "../entities/motion.js";

/** Returns the decision when to send an entity; undefined without a motion, and before its code is loaded. */
export const decisionOf: DecisionOf = (...entity) => (motionCode() ? sendDecisionOf(...entity) : undefined);
