// A player's side: one's own cells at once, the others as they were a moment ago, the leaders and the chat.
import type { HostedRoom } from "@paceline/client";
import type { GameServer } from "./rooms.js";
import { Cell, Steer, moveCells, type Messages } from "./world.js";

type ArenaRoom = HostedRoom<GameServer["kinds"]["arena"]>;

export class ArenaGame {
  /** Write where the pointer is, seen from the middle of the screen, -1 to 1. */
  readonly steer;
  readonly heard: string[] = [];
  leaders: Messages["leaders"] = [];

  constructor(room: ArenaRoom) {
    this.steer = room.input(Steer);
    room.predict(Cell, Steer, (cell, steer, seconds) => moveCells([cell], steer, seconds));
    room.onMessage("say", (line) => this.heard.push(line));
    room.onMessage("leaders", (leaders) => (this.leaders = leaders));
  }
}
