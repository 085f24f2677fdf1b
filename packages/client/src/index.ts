export {
  ConfigError,
  NetError,
  angle,
  bytes,
  defineEntity,
  defineInput,
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
  type EntityDefinition,
  type EntityOptions,
  type Fields,
  type InputDefinition,
  type Directed,
  type ServerTypes,
  type MotionModel,
  type Range,
  type ShowStyle,
  type StepFunction,
  type StepState,
} from "@paceline/protocol";
export type {
  InitialFields,
  InputStep,
  Quat,
  ReadonlyFields,
  Vec2,
  Vec3,
  WritableFields,
} from "@paceline/netcode";
export {
  profiles,
  type Genre,
  type Profile,
  type ProfileChoice,
  type ProfileNumbers,
  type ProfileOverrides,
  type Scheduler,
} from "@paceline/transport";
export type { Prediction, PredictionStats } from "./authority/prediction.js";
export * from "./client.js";
export type { AuthToken, IdentityStorage } from "./credentials.js";
export { connectionTransitions, type ConnectionState } from "./connection-state.js";
export type { TransportKind } from "./environment.js";
export type { Entity, OwnedEntity } from "./entity.js";
export type { Unsubscribe } from "./listeners.js";
export type { Group, JoinTerms, RoomListing, RoomOptions } from "./match-request.js";
export type { Page, PageEvent, PageFrames } from "./page.js";
export type { Tab, TabLocks, TabStorage } from "./tab-seat.js";
export type { LoopStep } from "./game-loop.js";
export type { MessageLoss, Peer, PeerState } from "./peer.js";
export type { OnlyEntity, OnlyHostedEntity } from "./only-entity.js";
export type { HostedRoom, KindsOf, OptionsFor, RoomFor, RoomNames } from "./typed-room.js";
export type { Queueing, QueueProgress, QueueWish } from "./queueing.js";
export type { Room } from "./room.js";
export type { RoomClock } from "./room-clock.js";
export type { EndpointLatency, LatencyOptions, RelayChoice, RelayLatencies } from "./nearest.js";
export type { PathQuality, ServerStats } from "./path-stats.js";
export type { PeerRates } from "./rate-meter.js";
export type { Explanation, RoomTransport, TransportChange, TransportSettings } from "./room-transport.js";
export type { SendOptions } from "./send-options.js";
export type { SimulatedNetwork } from "./simulation.js";
export type { SocketCount } from "./stripes.js";
