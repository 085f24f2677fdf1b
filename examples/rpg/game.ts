// A party of heroes explores a cave: each walks where its player clicks, and each chest belongs to the hero who opens it
// first. Nobody runs a server for that: the player who has been there for longest keeps the list of chests.
import { defineEntity, uint, vec2, type OwnedEntity, type Room } from "@paceline/client";

const SPEED = 3;
export const CHESTS = 8;

export const Hero = defineEntity(
  "hero",
  { position: vec2({ range: [0, 100], precision: 0.01, unit: "m" }), gold: uint({ range: [0, 9999] }) },
  { motion: "velocity" },
);
/** One bit for each chest. */
export const Cave = defineEntity("cave", { opened: uint({ range: [0, 2 ** CHESTS - 1] }) });

export interface Messages {
  say: { text: string };
}

export class RpgGame {
  readonly me: OwnedEntity<typeof Hero>;
  readonly cave;
  readonly heard: string[] = [];
  readonly room: Room<Messages>;
  goal = { x: 50, y: 50 };

  constructor(room: Room<Messages>) {
    this.room = room;
    this.me = room.spawn(Hero, { position: this.goal });
    this.cave = room.only(Cave);
    room.onRequest("open", (chest) => this.#give(Number(chest)));
    room.onMessage("say", ({ text }, from) => this.heard.push(`${from.number}: ${text}`));
    room.loop((seconds) => this.#walk(seconds));
  }

  /** Whether this hero got what was in the chest. */
  async open(chest: number): Promise<boolean> {
    // Two heroes may stand before the same chest: one player has to decide who was first.
    const keeper = this.cave.owner;
    const isMine = keeper ? await this.room.request("open", chest, keeper) : this.#give(chest);
    if (isMine === true) this.me.gold += 10;
    return isMine === true;
  }

  #give(chest: number): boolean {
    const bit = 2 ** chest;
    const isThere = Number.isInteger(chest) && chest >= 0 && chest < CHESTS;
    if (!isThere || (this.cave.opened & bit) !== 0) return false;
    this.cave.opened |= bit;
    return true;
  }

  #walk(seconds: number): void {
    const { x, y } = this.me.position;
    const [dx, dy] = [this.goal.x - x, this.goal.y - y];
    const distance = Math.hypot(dx, dy);
    const part = distance === 0 ? 0 : Math.min(1, (SPEED * seconds) / distance);
    this.me.position.set(x + dx * part, y + dy * part);
  }
}
