// A party of heroes explores a dark cave. A hero sees what its torch lights, and remembers the chests that it has seen.
import type { Entity, HostedRoom } from "@paceline/client";
import type { GameServer } from "./rooms.js";
import { Chest } from "./world.js";

export class RpgGame {
  /** By id. A chest that is in the dark again keeps its last look. */
  readonly chests = new Map<number, { readonly chest: Entity<typeof Chest>; readonly isLit: boolean }>();
  readonly heard: string[] = [];
  readonly room: HostedRoom<GameServer["kinds"]["cave"]>;

  constructor(room: HostedRoom<GameServer["kinds"]["cave"]>) {
    this.room = room;
    room.onMessage("say", ({ from, text }) => this.heard.push(`${from}: ${text}`));
    room.onSpawn(Chest, (chest) => this.chests.set(chest.id, { chest, isLit: true }));
    room.onDespawn(Chest, (chest, why) => {
      if (why === "out-of-view") this.chests.set(chest.id, { chest, isLit: false });
      else this.chests.delete(chest.id);
    });
  }
}
