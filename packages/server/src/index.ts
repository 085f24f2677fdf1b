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
  map,
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
  type ItemList,
  type ItemMap,
  type ReadonlyItemList,
  type ReadonlyItemMap,
  type RoomTypes,
} from "@paceline/protocol";
export type { EntityList } from "@paceline/netcode";
export {
  aura,
  hexagons,
  quadtree,
  type AuraMedium,
  type AuraOptions,
  type InterestScheme,
  type Nimbus,
  type QuadtreeOptions,
} from "@paceline/netcode/interest";
export {
  driverStore,
  fileStore,
  memoryStore,
  sqliteStore,
  type CountedStore,
  type DriverStoreOptions,
  type Log,
  type LogFields,
  type RoomStore,
  type StorageDriver,
  type StoreCounts,
  type StoreOptions,
} from "@paceline/relay";
export type { Scheduler } from "@paceline/transport";
export { guestAuth } from "./auth/guest-auth.js";
export { hasRole, identityOf, requireRole, type Authenticator, type Identity } from "./auth/identity.js";
export { jwtAuth } from "./auth/jwt-auth.js";
export type { ClassReport, RoomReport } from "./ops/class-report.js";
export { defineServer, type RoomEntry, type Server, type ServerOptions } from "./define-server.js";
export type { ProcessGuardOptions } from "./hooks/process-guard.js";
export type { Histogram } from "./ops/histogram.js";
export type { BreachAnswer, PlayerEntities } from "./room/owned-states.js";
export { MotionCheck, RateCheck, type Breach, type MotionLimits } from "./players/plausibility.js";
export type { Player } from "./room/player.js";
export type { PlayerLimits } from "./players/player-limits.js";
export type { MessageLimits } from "./players/message-allowance.js";
export type { KindInterest, RoomInterest } from "./interest/room-interest.js";
export { defineInterest } from "./room/define-interest.js";
export type { Point } from "./entities/sight.js";
export type { Past } from "./entities/rewind-history.js";
export type { QueueOptions } from "./queue/queue-options.js";
export { Refusal } from "./hooks/hooks.js";
export type { BotInput, BotOptions, Bots } from "./room/room-bots.js";
export type { RoomClock } from "./room/room-clock.js";
export type { RoomCounters } from "./ops/room-counters.js";
export {
  Room,
  type AuthRequest,
  type BroadcastOptions,
  type RoomClass,
  type UncaughtAnswer,
} from "./room/room.js";
export type { ServerEntity } from "./room/room-entities.js";
