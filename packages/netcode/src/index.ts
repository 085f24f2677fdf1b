export { type BodyLayout, type Components, isFiniteRow, positionErrorM } from "./body/body-layout.js";
export { clampToRanges, wrapAngle } from "./body/pose.js";
export * from "./clock/clock-estimate.js";
export * from "./clock/render-clock.js";
export * from "./clock/session-clock.js";
export * from "./clock/tick-timeline.js";
export {
  type Blend,
  Convergence,
  type ConvergenceOptions,
  cubicBlend,
  DEFAULT_CONVERGENCE,
} from "./convergence/convergence.js";
export { DelayedBody } from "./interpolation/delayed-body.js";
export { InterpolatedBody } from "./interpolation/interpolated-body.js";
export * from "./interpolation/interpolation-delay.js";
export { type Desync, Lockstep, type Turn } from "./lockstep/lockstep.js";
export * from "./lockstep/state-hash.js";
export type { TurnMessage } from "./lockstep/turn-table.js";
export { InputBuffer } from "./prediction/input-buffer.js";
export * from "./prediction/input-pace.js";
export {
  type InputStep,
  PredictedBody,
  roundingsOf,
  type RowStep,
  rowStepOf,
} from "./prediction/predicted-body.js";
export { INPUT_CAPACITY_TICKS, ServerInputBuffer } from "./prediction/server-input-buffer.js";
export { Kinematics, kinematicsOf } from "./reckoning/kinematics.js";
export { FUTURE_SECONDS, type Reckoner } from "./reckoning/reckoner.js";
export { newReckoner, reckonerOf, reckoningModelOf, sendDecisionOf } from "./reckoning/reckoning-model.js";
export { worldReckonerOf } from "./reckoning/world-reckoner.js";
export { type MotionFault, RemoteBody, type ShownBody } from "./reckoning/remote-body.js";
export * from "./reckoning/send-decision.js";
export {
  isInterpolated,
  REPEAT_AFTER_MS,
  repeatAfterMsFor,
  type SendDecisionPolicy,
} from "./reckoning/send-policy.js";
export * from "./replica/derived-velocity.js";
export {
  lostAfterMsOf,
  ReceiverReplication,
  type ReplicatedEntity,
  type ReplicationMoment,
  type ReplicationPolicy,
} from "./replica/receiver-replication.js";
export * from "./replica/replica-store.js";
export * from "./replica/replica.js";
export * from "./replica/sample-motion.js";
export type { DecisionOf } from "./replica/sent-replica.js";
export * from "./replica/state-budget.js";
export { LagCompensation, type RewoundWorld } from "./rewind/lag-compensation.js";
export * from "./entity-list.js";
export { EntityTable, type Place } from "./entity-table.js";
export {
  assignFields,
  type Clamp,
  defineFields,
  type InitialFields,
  newFields,
  type Quat,
  type ReadonlyFields,
  type Vec2,
  type Vec3,
  type WritableFields,
} from "./entity-view.js";
