import type { InputDefinition } from "./input/input-definition.js";

/** A question of a client and the answer to it. */
export interface RequestTypes {
  readonly ask: unknown;
  readonly answer: unknown;
}

/** What the two sides of a room with an authority say to each other: types only, nothing of it is there at run time. */
export interface RoomTypes {
  /** What a client joins with. */
  readonly options?: object;
  /** Messages from a client, by type. */
  readonly messages?: object;
  /** Messages from the room, by type. */
  readonly broadcasts?: object;
  /** Questions of a client, by type. */
  readonly requests?: object;
}

/** A kind of room as a client sees it. */
export interface RoomKind extends RoomTypes {
  /** Kinds of entities that there may be. */
  readonly entity?: unknown;
  readonly inputs?: InputDefinition | undefined;
}

/** What `typeof server` tells a client: the kinds of rooms by name. */
export interface ServerTypes {
  readonly kinds: Readonly<Record<string, RoomKind>>;
}

/** Messages from a client by type: those that a room declares, or any. */
export type MessagesOf<T> = T extends { readonly messages: infer M extends object } ? M : AnyMessages;
/** Messages from the room by type. */
export type BroadcastsOf<T> = T extends { readonly broadcasts: infer M extends object } ? M : AnyMessages;
/** Questions of a client by type. */
export type RequestsOf<T> = T extends { readonly requests: infer M extends object } ? M : AnyMessages;
/** What a client joins with. */
export type JoinOptionsOf<T> = T extends { readonly options: infer O extends object } ? O : AnyMessages;
export type AskOf<R> = R extends { readonly ask: infer A } ? A : unknown;
export type AnswerOf<R> = R extends { readonly answer: infer A } ? A : unknown;
type AnyMessages = Record<string, unknown>;
