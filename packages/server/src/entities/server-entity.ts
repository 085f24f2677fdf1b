import type { EntityDefinition } from "@paceline/protocol";
import type { WritableFields } from "@paceline/netcode";
import type { Player } from "../players/player.js";

/**
 * An entity of a room, as the room's code sees it. A scalar or vector out of its range is clamped, and the log says so once;
 * other values that a field cannot have throw `ConfigError`. Of an entity that a player simulates, the fields are that player's newest word, checked.
 */
export type ServerEntity<D extends EntityDefinition = EntityDefinition> = WritableFields<D["fields"]> & {
  readonly id: number;
  /** The definition of the entity. */
  readonly kind: D;
  /** Whom it belongs to; undefined: to nobody. */
  readonly owner: Player | undefined;
};
