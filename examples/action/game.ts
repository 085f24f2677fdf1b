// A brawl between players. Everybody simulates only what is theirs: a punch is a message to the one who is hit, and that
// player's game takes the damage. So two players never disagree about the same number.
import { defineEntity, uint, vec2, type Entity, type OwnedEntity, type Room } from "@paceline/client";

const SPEED = 5;
const REACH = 1.5;
const DAMAGE = 10;

export const Fighter = defineEntity(
  "fighter",
  {
    position: vec2({ range: [-20, 20], precision: 0.01, unit: "m" }),
    hp: uint({ range: [0, 100], default: 100 }),
    falls: uint({ range: [0, 999] }),
  },
  { motion: "velocity" },
);

export interface Messages {
  punch: { reach: number };
}

export class ActionGame {
  readonly me: OwnedEntity<typeof Fighter>;
  readonly stick = { x: 0, y: 0 };
  readonly room: Room<Messages>;

  constructor(room: Room<Messages>) {
    this.room = room;
    this.me = room.spawn(Fighter);
    this.#begin();
    room.onMessage("punch", (_, from) => {
      const attacker = [...room.entities(Fighter)].find(({ owner }) => owner === from);
      // A peer can send what it likes. Twice the reach: the attacker saw this fighter a moment ago.
      if (attacker && distance(attacker, this.me) < 2 * REACH) this.#takeDamage();
    });
    room.loop((seconds) => {
      const { x, y } = this.me.position;
      this.me.position.set(x + this.stick.x * SPEED * seconds, y + this.stick.y * SPEED * seconds);
    });
  }

  /** Hits everybody in reach, as this player sees them; returns how many. */
  punch(): number {
    let hits = 0;
    for (const fighter of this.room.entities(Fighter)) {
      if (fighter.isMine || distance(fighter, this.me) > REACH) continue;
      this.room.send("punch", { reach: REACH }, fighter.owner); // exactly once, in order
      hits += 1;
    }
    return hits;
  }

  #takeDamage(): void {
    if (this.me.hp > DAMAGE) this.me.hp -= DAMAGE;
    else {
      this.me.hp = 100;
      this.me.falls += 1;
      this.#begin();
    }
  }

  #begin(): void {
    this.me.teleport(); // a new place: nobody sees the fighter slide there
    this.me.position.set(4 * Math.cos(this.room.myNumber), 4 * Math.sin(this.room.myNumber));
  }
}

function distance(one: Entity<typeof Fighter>, other: Entity<typeof Fighter>): number {
  const [a, b] = [one.shown.position, other.shown.position];
  return Math.hypot(a.x - b.x, a.y - b.y);
}
