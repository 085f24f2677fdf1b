// The server's side: cells move, eat what is lighter, split, burst at a virus, and grow together again.
import { Room, type Player, type Server, type ServerEntity } from "@paceline/server";
import { Cell, Food, SIZE_M, Steer, Virus, moveCells, radiusOf, type Messages, type Point } from "./world.js";

const FOOD = 1000;
const VIRUSES = 50;
const VIRUS_MASS = 100;
const START_MASS = 20;
const MAX_CELLS = 16;
const RIPE_TICKS = 300;

type Body = ServerEntity<typeof Cell>;
type Thing = Body | ServerEntity<typeof Food> | ServerEntity<typeof Virus>;

export class Arena extends Room<{ options: { name?: string }; messages: Messages }> {
  override readonly entities = [Cell, Food, Virus];
  override readonly inputs = Steer;
  override readonly tickHz = 20;
  override maxPlayers = 60;
  // A page shows 200 x 150 m. What is farther away is in no byte of the player.
  override readonly interest = { radiusM: 150 };
  /** Ticks from which cells may grow together again. */
  readonly #ripeTick = new WeakMap<Body, number>();

  override onCreate(): void {
    for (let piece = 0; piece < FOOD; piece++) this.spawn(Food, { position: somewhere(), color: piece % 6 });
    for (let virus = 0; virus < VIRUSES; virus++) this.spawn(Virus, { position: somewhere() });
    this.clock.setInterval(() => this.broadcast("leaders", this.#leaders()), 1000);
    this.onMessage("split", (player) => this.cellsOf(player).forEach((cell) => this.#split(cell, 2)));
    this.onMessage("say", (player, { text }) => {
      // A message is a client's word, and a modified client can say anything.
      if (typeof text === "string") this.broadcast("say", `${nameOf(player)}: ${text.slice(0, 100)}`);
    });
  }
  override onTick(seconds: number): void {
    for (const player of this.players.values()) {
      const cells = this.cellsOf(player);
      if (cells.length === 0) this.#add(player, START_MASS, somewhere());
      for (const cell of cells) cell.ripe = this.tick > this.#ripeTick.get(cell)!;
      moveCells(cells, (player as Player<typeof Steer>).input, seconds);
    }
    this.#meet();
  }
  cellsOf(player: Player): Body[] {
    return this.entitiesOf(Cell).filter(({ owner }) => owner === player);
  }

  #add(player: Player, mass: number, position: Readonly<Point>): void {
    this.#ripeTick.set(this.spawn(Cell, { position, mass }, player), this.tick + RIPE_TICKS);
  }
  /** Into equal parts: the new ones lie around the first. */
  #split(cell: Body, parts: number): void {
    const owner = cell.owner!;
    const places = MAX_CELLS + 1 - this.cellsOf(owner).length;
    const count = Math.min(parts, places, Math.floor(cell.mass / START_MASS));
    if (count < 2) return;
    cell.mass = Math.floor(cell.mass / count);
    this.#ripeTick.set(cell, this.tick + RIPE_TICKS);
    for (let part = 1; part < count; part++)
      this.#add(owner, cell.mass, beside(cell.position, 3 * radiusOf(cell.mass), part / count));
  }
  /** Each cell meets what has its middle within it. Sorted by x, that is close by. */
  #meet(): void {
    const things = [Cell, Food, Virus].flatMap((kind) => [...this.entitiesOf<typeof kind>(kind)] as Thing[]);
    const places = things.map((thing) => ({ thing, x: thing.position.x, isEaten: false }));
    places.sort((one, other) => one.x - other.x);
    for (const [index, { thing: cell, x, isEaten }] of places.entries()) {
      if (!isCell(cell) || isEaten) continue;
      const radiusM = radiusOf(cell.mass);
      for (const step of [-1, 1])
        for (let at = index + step, near; (near = places[at]) && Math.abs(near.x - x) < radiusM; at += step)
          near.isEaten ||= distance(near.thing, cell) < radiusM && this.#eats(cell, near.thing);
    }
  }
  #eats(cell: Body, thing: Thing): boolean {
    if (isCell(thing)) {
      if (thing.owner === cell.owner ? !thing.ripe || !cell.ripe : cell.mass < 1.25 * thing.mass)
        return false;
      cell.mass += thing.mass;
    } else if (thing.kind === Food) {
      cell.mass += 1;
      this.spawn(Food, { position: somewhere(), color: cell.mass % 6 });
    } else {
      if (cell.mass < VIRUS_MASS) return false;
      this.#split(cell, MAX_CELLS);
      this.spawn(Virus, { position: somewhere() });
    }
    this.despawn(thing);
    return true;
  }
  #leaders(): Messages["leaders"] {
    const mass = (player: Player) => this.cellsOf(player).reduce((sum, cell) => sum + cell.mass, 0);
    const all = [...this.players.values()].map((player) => ({ name: nameOf(player), mass: mass(player) }));
    return all.toSorted((one, other) => other.mass - one.mass).slice(0, 10);
  }
}

const nameOf = ({ options, number }: Player): string =>
  typeof options.name === "string" ? options.name.slice(0, 20) : `player ${number}`;
const isCell = (thing: Thing): thing is Body => thing.kind === Cell;
const distance = ({ position: one }: Thing, { position: other }: Thing): number =>
  Math.hypot(one.x - other.x, one.y - other.y);
const somewhere = (): Point => ({ x: Math.random() * SIZE_M, y: Math.random() * SIZE_M });
const beside = ({ x, y }: Point, farM: number, turns: number): Point => ({
  x: x + farM * Math.cos(2 * Math.PI * turns),
  y: y + farM * Math.sin(2 * Math.PI * turns),
});

export const rooms = { arena: Arena };
/** For `new Client<GameServer>(...)`. */
export type GameServer = Server<typeof rooms>;
