// A player's side: one's own soldier at once, the others as they were a moment ago, and shots that say which moment.
import type { HostedRoom } from "@paceline/client";
import type { GameServer } from "./rooms.js";
import { Move, Soldier, walk } from "./world.js";

export class ShooterGame {
  /** Write what is pressed, from -1 to 1; it is taken once for each tick of the server. */
  readonly stick;
  readonly room: HostedRoom<GameServer["kinds"]["arena"]>;

  constructor(room: HostedRoom<GameServer["kinds"]["arena"]>) {
    this.room = room;
    this.stick = room.input(Move);
    room.predict(Soldier, Move, walk);
  }

  /** Shoots at a point where this player sees somebody. */
  shoot(x: number, y: number): void {
    this.room.send("shoot", { at: this.room.clock.shownTick, x, y });
  }
}
