/** Rooms with an authority for `pnpm attack`, loaded by `relay-server --game FILE`. */
import { Room, type PlayerEntities } from "@paceline/server";
import { Car, Drive, type Numbered } from "./scene.js";

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

export const rooms = { arena: Arena, "honest-arena": HonestArena };
