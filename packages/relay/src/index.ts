export {
  ConfigError,
  assertRange,
  checkedLimits,
  type LimitRow,
  type IceServer,
  type MatchedSeat as Seat,
  type MatchRefusal,
  type RoomOptions,
} from "@paceline/protocol";
export { stackOf } from "./ops/faults.js";
export {
  LogThrottle,
  consoleLog,
  harmlessLog,
  silentLog,
  logLevels,
  type Log,
  type LogFields,
  type LogLevel,
} from "./ops/log.js";
export {
  OriginPolicy,
  type AllowedOrigins,
  type OriginPolicyOptions,
  type OriginRefusal,
  type RequestHead,
} from "./admission/origin-policy.js";
export { AddressBuckets } from "./limits/address-buckets.js";
export { networkOf } from "./limits/network-address.js";
export { guardHttp, type HttpEntrance } from "./admission/http-entrance.js";
export { createRelay, Relay, type HttpHandlers, type RelayHealth, type RelayStopOptions } from "./relay.js";
export type {
  CountsByName,
  FaultPlace,
  LimitSubject,
  RelayCounts,
  TrafficCount,
} from "./ops/relay-counters.js";
export { groupOf } from "./matchmaking/match-request.js";
export type { RoomReport, SessionReport } from "./ops/report.js";
export { limitTable, type RelayLimits } from "./limits/relay-limits.js";
export type {
  Caller,
  Grant,
  JoinRequest,
  MatchedPlayer,
  MatchedRoom,
  OpenMatch,
  GameCapture,
  ParticipantCallbacks,
  RestoredRoom,
  RoomAuthority,
  RoomCallbacks,
  SeatRequest,
} from "./sessions/authority.js";
export type { Participant } from "./sessions/participant.js";
export type { Room as RelayRoom } from "./sessions/room.js";
export {
  relayOptionNames,
  type Persistence,
  type RelayOptions,
  type RoomKindOptions,
} from "./options/relay-options.js";
export type { TurnOptions } from "./options/turn-credentials.js";
export { privateCandidates, type PrivateCandidates, type WebRtcOptions } from "./options/webrtc-options.js";
export {
  describeSavedRoom,
  readSavedRoom,
  writeSavedRoom,
  type SavedGame,
  type SavedKind,
  type SavedList,
  type SavedPlayer,
  type SavedRoom,
} from "./saving/saved-room.js";
export type { LinkRequest } from "./upgrade-handler.js";
export { GuardedStore, type GuardCounts, type GuardedStoreOptions } from "./saving/guarded-store.js";
export type { RoomStore } from "./saving/room-store.js";
export { memoryStore } from "./saving/stores/memory-store.js";
export { driverStore, type DriverStoreOptions, type StorageDriver } from "./saving/stores/driver-store.js";
export { fileStore } from "./saving/stores/file-store.js";
export type { CountedStore, StoreCounts, StoreOptions } from "./saving/stores/slot-store.js";
export { sqliteStore } from "./saving/stores/sqlite-store.js";
export { savedFile, savedFiles, type SavedFile } from "./saving/stores/saved-files.js";
export type { OpenedSave } from "./saving/save-envelope.js";
