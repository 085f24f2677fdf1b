export { ConfigError, type IceServer } from "@paceline/protocol";
export { silentLog, logLevels, type Log, type LogFields, type LogLevel } from "./log.js";
export type { AllowedOrigins } from "./origin-policy.js";
export { createRelay, type Relay, type RelayHealth } from "./relay.js";
export { limitTable, type LimitRow, type RelayLimits } from "./relay-limits.js";
export type { RelayOptions, RoomKindOptions } from "./relay-options.js";
export type { TurnOptions } from "./turn-credentials.js";
export type { WebRtcOptions } from "./webrtc-options.js";
