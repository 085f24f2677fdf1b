/** Rooms with an authority for `pnpm attack`, loaded by `relay-server --game FILE`. */
import { Room, type PlayerEntities, type ServerEntity } from "@paceline/server";
import { CELLS, Car, Cell, Drive, cellAt, type Numbered } from "./scene.js";

/**
 * Each player owns a car and steers a marker of the server. The room repeats every message to all players.
 */
class Arena extends Room {
  override maxPlayers = 64;
  override readonly tickHz = 20;
  override readonly entities = [Car];
  override readonly inputs = Drive;
  override readonly reconnectSeconds = 1;
  override readonly playerEntities: readonly PlayerEntities[] = [{ definition: Car, most: 1 }];

  override onCreate(): void {
    this.spawn(Car, { position: { x: 1, y: 2 } });
    this.onMessage("say", (_player, message) => this.broadcast("said", message as Numbered));
  }
}

class HonestArena extends Arena {}

/** The room moves as many entities as it has bytes for by default, and decides on all. */
class Cells extends Room {
  override maxPlayers = 64;
  override readonly tickHz = 60;
  override readonly reconnectSeconds = 1;
  override readonly entities = [Cell];
  readonly #cells: ServerEntity<typeof Cell>[] = [];

  override onCreate(): void {
    for (let index = 0; index < CELLS; index++) this.#cells.push(this.spawn(Cell, { index }));
  }

  override onTick(): void {
    for (const [index, { position, velocity, aim }] of this.#cells.entries()) {
      const { x, y, vx, vy, aimX, aimY } = cellAt(index);
      position.set(x, y);
      velocity.set(vx, vy);
      aim.set(aimX, aimY);
    }
  }
}

export const rooms = { arena: Arena, "honest-arena": HonestArena, cells: Cells };
