import type { EntityDefinition } from "@paceline/protocol";
import type { RoomInterest } from "../interest/room-interest.js";
import type { Player } from "./player.js";
import type { ServerEntity } from "./room-entities.js";

/** An entity of one of these kinds. */
type EntityOf<D extends EntityDefinition> = D extends unknown ? ServerEntity<D> : never;

/**
 * Returns the interest of a room as it is. Its functions have their types from here: `relevant` gets a {@link Player} and an
 * entity, which is of the kinds that the room names: `defineInterest<typeof Unit>({ radiusM: 80, relevant })`.
 */
export function defineInterest<D extends EntityDefinition = EntityDefinition, P extends Player = Player>(
  interest: RoomInterest<P, EntityOf<D>>,
): RoomInterest<Player, ServerEntity> {
  return interest as unknown as RoomInterest<Player, ServerEntity>;
}
