export { ConfigError, type IceServer } from "@paceline/protocol";
export { stackOf } from "./faults.js";
export {
  LogThrottle,
  consoleLog,
  harmlessLog,
  silentLog,
  logLevels,
  type Log,
  type LogFields,
  type LogLevel,
} from "./log.js";
export {
  OriginPolicy,
  type AllowedOrigins,
  type OriginPolicyOptions,
  type OriginRefusal,
} from "./origin-policy.js";
export { AddressBuckets } from "./address-buckets.js";
export { networkOf } from "./network-address.js";
export { answerFailure, createRelay, type Relay, type RelayHealth, type RelayStopOptions } from "./relay.js";
export type { CountsByName, FaultPlace, LimitSubject, RelayCounts, TrafficCount } from "./relay-counters.js";
export type { RoomReport, SessionReport } from "./report.js";
export { TokenBucket } from "./token-bucket.js";
export { limitTable, type LimitRow, type RelayLimitRow, type RelayLimits } from "./relay-limits.js";
export { type MatchRefusal, type RoomOptions } from "./match-request.js";
export type {
  Caller,
  Grant,
  Guest,
  HostedParticipant,
  HostedRoom,
  HostedSeat,
  JoinRequest,
  Meeting,
  RoomAuthority,
  RoomHost,
} from "./room-host.js";
export { relayOptionNames, type RelayOptions, type RoomKindOptions } from "./relay-options.js";
export type { TurnOptions } from "./turn-credentials.js";
export { privateCandidates, type PrivateCandidates } from "./candidate-policy.js";
export type { WebRtcOptions } from "./webrtc-options.js";
export type { Seat } from "./seat.js";
export type { LinkRequest } from "./link-door.js";
