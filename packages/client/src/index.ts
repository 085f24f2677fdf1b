// Stars, because a bundler that splits whole files would tie all names of one list together.
export * from "./api/errors.js";
export * from "./api/definitions.js";
export * from "./api/inputs.js";
export type {
  InitialFields,
  InputStep,
  Quat,
  ReadonlyFields,
  Vec2,
  Vec3,
  WritableFields,
} from "@paceline/netcode";
export * from "./api/profiles.js";
export type { Prediction, PredictionStats } from "./modes/prediction.js";
export * from "./api/client.js";
export type { AuthToken, IdentityStorage } from "./connection/credentials.js";
export { connectionTransitions, type ConnectionState } from "./connection/connection-state.js";
export type { TransportKind } from "./browser/environment.js";
export type { Entity, OwnedEntity } from "./entities/entity.js";
export type { Unsubscribe } from "./events/listeners.js";
export type { JoinTerms } from "./connection/match-request.js";
export type { Group, RoomListing, RoomOptions } from "@paceline/protocol";
export type { Page, PageEvent, PageFrames } from "./browser/page.js";
export type { Tab, TabLocks, TabStorage } from "./browser/tab.js";
export type { LoopStep } from "./time/game-loop.js";
export type { MessageLoss, Peer, PeerState } from "./peers/peer.js";
export type { OnlyEntity, OnlyHostedEntity } from "./api/only-entity.js";
export type { HostedRoom, KindsOf, OptionsFor, RoomFor, RoomNames } from "./api/typed-room.js";
export type { Queueing, QueueProgress, QueueWish } from "./api/queueing.js";
export type { Room } from "./api/room.js";
export type { RoomClock } from "./time/room-clock.js";
export type { EndpointLatency, LatencyOptions, RelayChoice, RelayLatencies } from "./connection/nearest.js";
export type { PathQuality, ServerStats } from "./paths/path-stats.js";
export type { PeerRates } from "./paths/rate-meter.js";
export type { RoomTransport, TransportSettings } from "./report/room-transport.js";
export type { Explanation, TransportChange } from "./paths/choice.js";
export type { SendOptions } from "./api/send-options.js";
export type { SimulatedNetwork } from "./report/simulation.js";
export type { SocketCount } from "./connection/stripes.js";
export type { Link, LinkCounters, LinkFilter, LinkKind } from "@paceline/transport";
