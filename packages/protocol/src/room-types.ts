import type { EntityDefinition } from "./entity-definition.js";
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

/** Whether a definition is one of a room's. */
export type IsKnown<
  Definition extends EntityDefinition,
  Kind extends RoomKind,
> = Definition extends Kind["entity"] ? true : false;
