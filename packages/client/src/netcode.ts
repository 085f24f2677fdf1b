export {
  LockstepSession,
  type LockstepSessionOptions,
  type LockstepStart,
  type PlayerCommand,
} from "./lockstep/lockstep-session.js";
/**
 * Parts that only some games need. They have their own entry, so that other games do not download them: see
 * docs/MOTION.md.
 */
export {
  DEFAULT_CONVERGENCE,
  INPUT_DELAY_TURNS,
  InputBuffer,
  InputPace,
  LagCompensation,
  Lockstep,
  PredictedBody,
  ServerInputBuffer,
  StateHash,
  type BodyLayout,
  type Components,
  type ConvergenceOptions,
  type Correction,
  type Desync,
  type LagCompensationOptions,
  type LockstepOptions,
  type PredictedBodyOptions,
  type RewoundWorld,
  type ServerInputBufferOptions,
  type Turn,
  type TurnMessage,
  type TurnNeeds,
} from "@paceline/netcode";
