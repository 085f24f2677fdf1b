// The server's side of a world with many creatures: players say where they want to go, and the server walks.
import { Room, type Player, type Server, type ServerEntity } from "@paceline/server";
import { Character, Creature, SIZE_M, type Messages } from "./world.js";

const CREATURES = 500;
const SPEED = 4;
const EARSHOT_M = 30;

type Walker = ServerEntity<typeof Character> | ServerEntity<typeof Creature>;

export class World extends Room<{ messages: Messages }> {
  override readonly entities = [Character, Creature];
  override readonly tickHz = 10;
  override maxPlayers = 100;
  // A page shows 125 m around the own character. What is far away is in no byte of the player.
  override readonly interest = { radiusM: 150 };
  readonly characters = new Map<Player, ServerEntity<typeof Character>>();
  readonly #goals = new Map<Walker, { x: number; y: number }>();

  override onCreate(): void {
    for (let count = 0; count < CREATURES; count++)
      this.#goals.set(this.spawn(Creature, { position: somewhere() }), somewhere());
    this.onMessage("walk", (player, { x, y }) => {
      // A message is a client's word, and a modified client can say anything.
      if (Number.isFinite(x) && Number.isFinite(y)) this.#goals.set(this.characters.get(player)!, { x, y });
    });
    this.onMessage("say", (player, { text }) => {
      if (typeof text !== "string") return;
      const { position } = this.characters.get(player)!;
      // Only those nearby hear it: a world of a hundred players would be loud, and costly.
      this.near(position, EARSHOT_M, "say", { from: player.number, text: text.slice(0, 200) });
    });
  }
  override onJoin(player: Player): void {
    const start = { x: SIZE_M / 2, y: SIZE_M / 2 };
    this.characters.set(player, this.spawn(Character, { position: start }, player));
  }
  override onLeave(player: Player): void {
    this.#goals.delete(this.characters.get(player)!);
    this.characters.delete(player);
  }
  override onTick(seconds: number): void {
    for (const [walker, goal] of this.#goals) {
      const [dx, dy] = [goal.x - walker.position.x, goal.y - walker.position.y];
      const distance = Math.hypot(dx, dy);
      const part = distance === 0 ? 0 : Math.min(1, (SPEED * seconds) / distance);
      walker.position.set(walker.position.x + dx * part, walker.position.y + dy * part);
      if (part === 1 && walker.kind.name === "creature") this.#goals.set(walker, somewhere());
    }
  }
}

function somewhere(): { x: number; y: number } {
  return { x: Math.random() * SIZE_M, y: Math.random() * SIZE_M };
}

export const rooms = { world: World };
/** For `new Client<GameServer>(...)`. */
export type GameServer = Server<typeof rooms>;
