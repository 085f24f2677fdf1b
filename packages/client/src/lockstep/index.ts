/** Lockstep, in an entry of its own so that other games do not download it: see docs/MOTION.md. */
export {
  LockstepSession,
  type LockstepSessionOptions,
  type LockstepStart,
  type PlayerCommand,
} from "./lockstep-session.js";
export { StateHash, type Desync } from "@paceline/netcode";
