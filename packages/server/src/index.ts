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
export type { ClassReport } from "./class-report.js";
export { defineServer, type RoomEntry, type Server, type ServerOptions } from "./define-server.js";
export type { ProcessGuardOptions } from "./process-guard.js";
export { Histogram } from "./histogram.js";
export type { BreachAnswer, PlayerEntities } from "./owned-states.js";
export { MotionCheck, RateCheck, type Breach, type MotionLimits, type Position } from "./plausibility.js";
export type { InputOf, Player } from "./player.js";
export { playerLimitTable, type PlayerLimits } from "./player-limits.js";
export { type MessageLimits } from "./message-allowance.js";
export type { AsItWas, Past } from "./rewind-history.js";
export type { QueueOptions } from "./queue/queue-options.js";
export { Refusal, type RefusalKind } from "./refusal.js";
export type { RoomClock } from "./room-clock.js";
export type { RoomCounters } from "./room-counters.js";
export type { RoomReport } from "./room-report.js";
export {
  Room,
  type AuthRequest,
  type BroadcastOptions,
  type RoomClass,
  type UncaughtAnswer,
} from "./room.js";
export type { ServerEntity } from "./server-entity.js";
