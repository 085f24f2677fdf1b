export {
  ConfigError,
  NetError,
  defineEntity,
  defineInput,
  angle,
  bytes,
  enumOf,
  flag,
  group,
  int,
  list,
  quat,
  scalar,
  string,
  uint,
  vec2,
  vec3,
  type Directed,
  type EntityDefinition,
  type Fields,
  type InputDefinition,
  type RoomTypes,
} from "@paceline/protocol";
export type { Log, LogFields, LogLevel, RelayHealth, RelayLimits } from "@paceline/relay";
export type { Scheduler } from "@paceline/transport";
export { guestAuth, type GuestAuthOptions } from "./auth/guest-auth.js";
export { hasRole, identityOf, requireRole, type Authenticator, type Identity } from "./auth/identity.js";
export { jwtAuth } from "./auth/jwt-auth.js";
export type { JwtAuthOptions } from "./auth/jwt-options.js";
export type { ClassReport } from "./ops/class-report.js";
export { defineServer, type RoomEntry, type Server, type ServerOptions } from "./define-server.js";
export type { ProcessGuardOptions } from "./room/process-guard.js";
export { Histogram } from "./ops/histogram.js";
export type { BreachAnswer, PlayerEntities } from "./connections/owned-states.js";
export {
  MotionCheck,
  RateCheck,
  type Breach,
  type MotionLimits,
  type Position,
} from "./players/plausibility.js";
export type { InputOf, Player } from "./players/player.js";
export { playerLimitTable, type PlayerLimits } from "./players/player-limits.js";
export { type MessageLimits } from "./players/message-allowance.js";
export type { AsItWas, Past } from "./entities/rewind-history.js";
export type { QueueOptions } from "./queue/queue-options.js";
export { Refusal, type RefusalKind } from "./room/refusal.js";
export type { RoomClock } from "./room/room-clock.js";
export type { RoomCounters } from "./ops/room-counters.js";
export type { RoomReport } from "./ops/room-report.js";
export {
  Room,
  type AuthRequest,
  type BroadcastOptions,
  type RoomClass,
  type UncaughtAnswer,
} from "./room/room.js";
export type { ServerEntity } from "./entities/server-entity.js";
