/** A room with an authority for `pnpm lab loss`, loaded by `relay-server --game FILE`. */
import { Room, type Player } from "@paceline/server";
import { Ball } from "./scene.js";

class BallRoom extends Room {
  override readonly entities = [Ball];
  override readonly tickHz = 60;
  readonly #balls: { position: { x: number; set(x: number, y: number): void } }[] = [];

  override onJoin(player: Player): void {
    this.#balls.push(this.spawn(Ball, {}, player));
  }

  override onTick(): void {
    for (const { position } of this.#balls) position.set((position.x + 1) % 4000, 0);
  }
}

export const rooms = { ball: BallRoom };
