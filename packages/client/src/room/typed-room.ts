import {
  type RoomOptions,
  type AnswerOf,
  type AskOf,
  type DespawnReason,
  type EntityDefinition,
  type InputDefinition,
  type JoinOptionsOf,
  type MessagesToClients,
  type MessagesToServer,
  type RequestsOf,
  type RoomKind,
  type ServerTypes,
} from "@paceline/protocol";
import type { EntityList, InitialFields, WritableFields } from "@paceline/netcode";
import type { Entity, OwnedEntity } from "../entities/entity.js";
import type { Unsubscribe } from "../listeners.js";
import type { OnlyHostedEntity } from "./only-entity.js";
import type { Peer } from "../peers/peer.js";
import type { Room } from "./room.js";
import type { SendOptions } from "./send-options.js";

/**
 * Kinds of rooms by name, from `typeof server`. If the client's type argument is a game's messages instead,
 * every name is allowed, and players exchange these messages.
 */
export type KindsOf<S extends object> = S extends ServerTypes
  ? S["kinds"]
  : Readonly<Record<string, PeerRoomKind<S>>>;

/** Kind of room without an authority, in which players exchange `Messages`. */
interface PeerRoomKind<Messages extends object> {
  readonly peerMessages: Messages;
}

/** Names of the server's kinds of rooms. */
export type RoomNames<S extends object> = keyof KindsOf<S> & string;

/** The join options of a room name. */
export type OptionsFor<Kind> = RoomKind extends Kind
  ? RoomOptions
  : Kind extends PeerRoomKind<object>
    ? RoomOptions
    : JoinOptionsOf<Kind>;

/** Type of a joined room. Its messages and entities are checked if the client knows them. */
export type RoomFor<Kind> = RoomKind extends Kind
  ? Room
  : Kind extends PeerRoomKind<infer Messages>
    ? Room<Messages>
    : HostedRoom<Kind>;

type Name<T> = keyof T & string;
type Definitions<Kind> = Kind extends { readonly entity: infer D }
  ? Extract<D, EntityDefinition>
  : EntityDefinition;
type InputsOf<Kind> = Kind extends { readonly inputs: infer I }
  ? Extract<I, InputDefinition>
  : InputDefinition;
type Replaced =
  | "send"
  | "sendEvent"
  | "request"
  | "onMessage"
  | "entities"
  | "input"
  | "spawn"
  | "onSpawn"
  | "onDespawn"
  | "only";

/** A {@link Room} with an authority, typed by `typeof server`. */
export interface HostedRoom<Kind> extends Omit<Room, Replaced> {
  send<Type extends Name<MessagesToServer<Kind>>>(
    type: Type,
    message: MessagesToServer<Kind>[Type],
    terms?: SendOptions,
  ): void;
  sendEvent<Type extends Name<MessagesToServer<Kind>>>(
    type: Type,
    message: MessagesToServer<Kind>[Type],
  ): void;
  request<Type extends Name<RequestsOf<Kind>>>(
    type: Type,
    message: AskOf<RequestsOf<Kind>[Type]>,
    to?: Peer,
    timeoutMs?: number,
  ): Promise<AnswerOf<RequestsOf<Kind>[Type]>>;
  onMessage<Type extends Name<MessagesToClients<Kind>>>(
    type: Type,
    listener: (message: MessagesToClients<Kind>[Type], from: Peer) => unknown,
  ): Unsubscribe;
  entities<D extends Definitions<Kind>>(definition: D): EntityList<Entity<D>>;
  onSpawn<D extends Definitions<Kind>>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe;
  onDespawn<D extends Definitions<Kind>>(
    definition: D,
    listener: (entity: Entity<D>, why: DespawnReason) => void,
  ): Unsubscribe;
  only<D extends Definitions<Kind>>(definition: D): OnlyHostedEntity<D>;
  /** Creates an entity that this player owns, if the room allows that to its players. */
  spawn<D extends Definitions<Kind>>(definition: D, initial?: InitialFields<D["fields"]>): OwnedEntity<D>;
  input(definition: InputsOf<Kind>): WritableFields<InputsOf<Kind>["fields"]>;
}
