import type { EntityDefinition } from "@paceline/protocol";
import type { WritableFields } from "@paceline/netcode";
import type { Player } from "./player.js";

/**
 * An entity of a room, for the room's code. A scalar or vector out of its range is clamped, and logged once
 * for each field. Other values that a field cannot have throw `ConfigError`. If a player simulates the
 * entity, its fields hold the player's newest checked state. A despawned entity keeps its last values: writes
 * and teleports have no effect then, and are logged once for each kind.
 */
export type ServerEntity<D extends EntityDefinition = EntityDefinition> = WritableFields<D["fields"]> & {
  readonly id: number;
  /** The definition of the entity. */
  readonly kind: D;
  /** The player that owns the entity. Undefined if none does. */
  readonly owner: Player | undefined;
  /** Makes the next state a teleport: clients show the entity there at once, without movement. */
  teleport(): void;
};
