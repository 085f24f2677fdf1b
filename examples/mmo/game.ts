// A player's side of the world.
import type { HostedRoom } from "@paceline/client";
import type { GameServer } from "./rooms.js";
import { Creature } from "./world.js";

export class MmoGame {
  readonly heard: { readonly from: number; readonly text: string }[] = [];
  /** Where creatures were when they left the view. Each comes back as another entity with the same id. */
  readonly lastSeen = new Map<number, { readonly x: number; readonly y: number }>();
  readonly room: HostedRoom<GameServer["kinds"]["world"]>;

  constructor(room: HostedRoom<GameServer["kinds"]["world"]>) {
    this.room = room;
    room.onMessage("say", (line) => this.heard.push(line));
    room.onSpawn(Creature, ({ id }) => this.lastSeen.delete(id));
    room.onDespawn(Creature, ({ id, position: { x, y } }, why) => {
      if (why === "out-of-view") this.lastSeen.set(id, { x, y });
    });
  }

  walkTo(x: number, y: number): void {
    this.room.send("walk", { x, y });
  }

  say(text: string): void {
    this.room.send("say", { text });
  }
}
