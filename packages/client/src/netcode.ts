export {
  LockstepSession,
  type LockstepSessionOptions,
  type LockstepStart,
  type PlayerCommand,
} from "./lockstep/lockstep-session.js";
/** Parts that only some games need, in an entry of their own so that other games do not download them: see docs/MOTION.md. */
export { LagCompensation, StateHash, type Desync } from "@paceline/netcode";
