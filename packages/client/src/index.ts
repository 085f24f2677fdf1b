// Uses `export *`, because a bundler that splits by file would keep all names of one list together.
export * from "./api/errors.js";
export * from "./api/definitions.js";
export type {
  EntityList,
  InputStep,
  Quat,
  ReadonlyFields,
  Vec2,
  Vec3,
  WritableFields,
} from "@paceline/netcode";
export * from "./api/profiles.js";
export * from "./api/first-number.js";
export type { Prediction, PredictionStats } from "./modes/prediction.js";
export * from "./api/client.js";
export type { AuthToken } from "./connection/credentials.js";
export type { ClientInterest } from "./policy/client-interest.js";
export type { ConnectionState } from "./connection/connection-state.js";
export type { TransportKind } from "./browser/environment.js";
export type { Entity, OwnedEntity } from "./entities/entity.js";
export type { Unsubscribe } from "./listeners.js";
export type { JoinTerms } from "./connection/match-request.js";
export type {
  DespawnReason,
  Group,
  ItemList,
  ItemMap,
  ReadonlyItemList,
  ReadonlyItemMap,
  RoomListing,
  RoomOptions,
} from "@paceline/protocol";
export type { Page, PageEvent } from "./browser/page.js";
export type { LoopStep } from "./time/game-loop.js";
export type { Peer, PeerState } from "./peers/peer.js";
export type { OnlyEntity } from "./room/only-entity.js";
export type { HostedRoom } from "./room/typed-room.js";
export type { Queueing, QueueWish } from "./room/queueing.js";
export type { Room } from "./room/room.js";
export type { RoomClock } from "./time/room-clock.js";
export type { RelayLatencies } from "./connection/nearest.js";
export type { PathQuality } from "./stats/path-stats.js";
export type { Explanation } from "@paceline/transport";
export type { RoomTransport, TransportChange, TransportSettings } from "./room-transport/room-transport.js";
export type { SendOptions } from "./room/send-options.js";
export type { SimulatedNetwork } from "./room-transport/simulation.js";
