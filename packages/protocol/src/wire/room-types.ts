import type { InputDefinition } from "../input/input-definition.js";

declare const directed: unique symbol;

/**
 * A message whose content differs between the two directions: `chat: Directed<{ text: string }, { name:
 * string; text: string }>`. `never`: not sent in this direction.
 */
export interface Directed<ToServer, ToClients = never> {
  readonly [directed]: { readonly toServer: ToServer; readonly toClients: ToClients };
}

/** The types that the two sides of a room with an authority share. They do not exist at run time. */
export interface RoomTypes {
  /** Join options of a client. */
  readonly options?: object;
  /** Messages of both directions by type; {@link Directed} for those that differ. */
  readonly messages?: object;
  /** Requests of a client, by type. */
  readonly requests?: object;
}

/** A kind of room as a client sees it. */
export interface RoomKind extends RoomTypes {
  /** Kinds of entities in the room. */
  readonly entity?: unknown;
  readonly inputs?: InputDefinition | undefined;
}

/** The room names of `typeof server`, for the client's types. */
export interface ServerTypes {
  readonly kinds: Readonly<Record<string, RoomKind>>;
}

/** Messages from a client by type: those that a room declares, or any. */
export type MessagesToServer<T> = T extends { readonly messages: infer M extends object }
  ? Sent<{ readonly [Type in keyof M]: M[Type] extends Directed<infer Up, unknown> ? Up : M[Type] }>
  : AnyMessages;
/** Messages from the room by type. */
export type MessagesToClients<T> = T extends { readonly messages: infer M extends object }
  ? Sent<{ readonly [Type in keyof M]: M[Type] extends Directed<unknown, infer Down> ? Down : M[Type] }>
  : AnyMessages;
/** Messages without those that are not sent in this direction. */
type Sent<M> = { readonly [Type in keyof M as [M[Type]] extends [never] ? never : Type]: M[Type] };
/** Requests of a client, by type. */
export type RequestsOf<T> = T extends { readonly requests: infer M extends object } ? M : AnyMessages;
/** Join options of a client. */
export type JoinOptionsOf<T> = T extends { readonly options: infer O extends object } ? O : AnyMessages;
export type AskOf<R> = R extends { readonly ask: infer A } ? A : unknown;
export type AnswerOf<R> = R extends { readonly answer: infer A } ? A : unknown;
type AnyMessages = Record<string, unknown>;
