// The server's side of a dark cave: it walks the heroes, and gives each chest to the one who opens it first.
import { Room, type Player, type Server, type ServerEntity } from "@paceline/server";
import { CHESTS, Chest, Hero, TORCH_M, type Messages, type Requests } from "./world.js";

const SPEED = 5;
const REACH_M = 3;
const MIDDLE = { x: 50, y: 50 };

export class Cave extends Room<{ messages: Messages; requests: Requests }> {
  override readonly entities = [Hero, Chest];
  override readonly tickHz = 20;
  override maxPlayers = 8;
  // Nothing that lies in the dark is in a byte of the player. Heroes have torches, and are seen from everywhere.
  override readonly interest = { radiusM: TORCH_M, cellM: 2, kinds: [{ definition: Hero, always: true }] };
  readonly #heroes = new Map<Player, { hero: ServerEntity<typeof Hero>; goal: { x: number; y: number } }>();

  override onCreate(): void {
    for (let chest = 0; chest < CHESTS; chest++) this.spawn(Chest, { position: placeOf(chest) });
    this.onMessage("walk", (player, { x, y }) => {
      // A message is a client's word, and a modified client can say anything.
      if (Number.isFinite(x) && Number.isFinite(y)) this.#heroes.get(player)!.goal = { x, y };
    });
    this.onMessage("say", (player, { text }) => {
      if (typeof text === "string") this.broadcast("say", { from: player.number, text: text.slice(0, 200) });
    });
    this.onRequest("open", (player, id) => {
      const { hero } = this.#heroes.get(player)!;
      const chest = this.entitiesOf(Chest).find((each) => each.id === id);
      if (!chest || chest.isOpen || distance(chest.position, hero.position) > REACH_M) return false;
      chest.isOpen = true;
      hero.gold += 10;
      return true;
    });
  }
  override onJoin(player: Player): void {
    this.#heroes.set(player, { hero: this.spawn(Hero, { position: MIDDLE }, player), goal: MIDDLE });
  }
  override onLeave(player: Player): void {
    this.#heroes.delete(player);
  }
  override onTick(seconds: number): void {
    for (const { hero, goal } of this.#heroes.values()) {
      const { x, y } = hero.position;
      const part = Math.min(1, (SPEED * seconds) / (distance(hero.position, goal) || 1));
      hero.position.set(x + (goal.x - x) * part, y + (goal.y - y) * part);
    }
  }
}

type Point = { readonly x: number; readonly y: number };
/** On a circle around the middle, each beyond the light of a torch at the next one. */
const placeOf = (angle: number): Point => ({ x: 50 + 30 * Math.cos(angle), y: 50 + 30 * Math.sin(angle) });
const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

export const rooms = { cave: Cave };
/** For `new Client<GameServer>(...)`. */
export type GameServer = Server<typeof rooms>;
