import type {
  AnswerOf,
  AskOf,
  BroadcastsOf,
  EntityDefinition,
  InputDefinition,
  JoinOptionsOf,
  MessagesOf,
  RequestsOf,
  RoomKind,
  ServerTypes,
} from "@paceline/protocol";
import type { InitialFields, WritableFields } from "@paceline/netcode";
import type { Entity, OwnedEntity } from "./entity.js";
import type { Unsubscribe } from "./listeners.js";
import type { RoomOptions } from "./match-request.js";
import type { Peer } from "./peer.js";
import type { Room } from "./room.js";

/** Kinds of rooms that a server has, by name. */
export type RoomNames<S extends ServerTypes> = keyof S["kinds"] & string;

/** What one joins a kind of room with. */
export type OptionsFor<Kind> = RoomKind extends Kind ? RoomOptions : JoinOptionsOf<Kind>;

/** The room that one gets: of a kind that `typeof server` describes, one whose messages and entities are checked. */
export type RoomFor<Kind> = RoomKind extends Kind ? Room : HostedRoom<Kind>;

type Name<T> = keyof T & string;
type Definitions<Kind> = Kind extends { readonly entity: infer D }
  ? Extract<D, EntityDefinition>
  : EntityDefinition;
type InputsOf<Kind> = Kind extends { readonly inputs: infer I }
  ? Extract<I, InputDefinition>
  : InputDefinition;
type Replaced =
  "send" | "sendEvent" | "request" | "onMessage" | "entities" | "input" | "spawn" | "onSpawn" | "onDespawn";

/** A {@link Room} with an authority, as the compiler knows it from `typeof server`. */
export interface HostedRoom<Kind> extends Omit<Room, Replaced> {
  send<Type extends Name<MessagesOf<Kind>>>(type: Type, message: MessagesOf<Kind>[Type]): void;
  sendEvent<Type extends Name<MessagesOf<Kind>>>(type: Type, message: MessagesOf<Kind>[Type]): void;
  request<Type extends Name<RequestsOf<Kind>>>(
    type: Type,
    message: AskOf<RequestsOf<Kind>[Type]>,
    to?: Peer,
    timeoutMs?: number,
  ): Promise<AnswerOf<RequestsOf<Kind>[Type]>>;
  onMessage<Type extends Name<BroadcastsOf<Kind>>>(
    type: Type,
    listener: (message: BroadcastsOf<Kind>[Type], from: Peer) => void,
  ): Unsubscribe;
  entities<D extends Definitions<Kind>>(definition: D): Iterable<Entity<D>>;
  onSpawn<D extends Definitions<Kind>>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe;
  onDespawn<D extends Definitions<Kind>>(definition: D, listener: (entity: Entity<D>) => void): Unsubscribe;
  /** Wants to own an entity: only where the room lets its players. */
  spawn<D extends Definitions<Kind>>(definition: D, initial?: InitialFields<D["fields"]>): OwnedEntity<D>;
  input(definition: InputsOf<Kind>): WritableFields<InputsOf<Kind>["fields"]>;
}
