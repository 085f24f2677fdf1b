// A player's side of the world.
import type { HostedRoom } from "@paceline/client";
import type { GameServer } from "./rooms.js";

export class MmoGame {
  readonly heard: { readonly from: number; readonly text: string }[] = [];
  readonly room: HostedRoom<GameServer["kinds"]["world"]>;

  constructor(room: HostedRoom<GameServer["kinds"]["world"]>) {
    this.room = room;
    room.onMessage("say", (line) => this.heard.push(line));
  }

  walkTo(x: number, y: number): void {
    this.room.send("walk", { x, y });
  }

  say(text: string): void {
    this.room.send("say", { text });
  }
}
