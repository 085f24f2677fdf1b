import {
  Room,
  hexagons,
  quadtree,
  type Player,
  type RoomInterest,
  type ServerEntity,
} from "@paceline/server";
import { Crowd, stepTowards, type Point } from "../world/crowd.js";
import {
  WHOLE_WORLD,
  WORLD_BOTS,
  WORLD_M,
  WORLD_TICK_HZ,
  Walker,
  allChoices,
  ringsOf,
  roomNameOf,
  type WorldChoice,
  type WorldTypes,
} from "../world/world-kinds.js";

const VISITOR_SPEED_MPS = 14;
const SCHEMES = { squares: undefined, hexagons: hexagons(), quadtree: quadtree({ splitAt: 16, levels: 2 }) };

/** The walkers of this process. */
const crowd = new Crowd(WORLD_BOTS, WORLD_M);

interface Visitor {
  readonly walker: ServerEntity<typeof Walker>;
  goal: Readonly<Point>;
}

/** A flat world of walkers, in which visitors walk where they like. */
export class WorldRoom extends Room<WorldTypes> {
  override readonly entities = [Walker];
  override readonly tickHz = WORLD_TICK_HZ;
  override maxPlayers = 32;
  readonly #visitors = new Map<Player, Visitor>();
  #walkers: readonly ServerEntity<typeof Walker>[] = [];

  override onCreate(): void {
    this.#walkers = crowd.walkers.map((position) => this.spawn(Walker, { position }));
    this.onMessage("walk", (player, { x, y }) => {
      const visitor = this.#visitors.get(player);
      if (visitor && isPlace(x) && isPlace(y)) visitor.goal = { x, y };
    });
  }

  override onJoin(player: Player, { x, y }: WorldTypes["options"]): void {
    const position = isPlace(x) && isPlace(y) ? { x, y } : { x: WORLD_M / 2, y: WORLD_M / 2 };
    const walker = this.spawn(Walker, { position, isVisitor: true }, player);
    this.#visitors.set(player, { walker, goal: position });
  }

  override onLeave(player: Player): void {
    this.#visitors.delete(player);
  }

  override onTick(seconds: number): void {
    crowd.advanceTo(performance.now());
    for (const [index, { x, y }] of crowd.walkers.entries()) this.#walkers[index]!.position.set(x, y);
    for (const { walker, goal } of this.#visitors.values())
      stepTowards(walker.position, goal, VISITOR_SPEED_MPS * seconds);
  }
}

function isPlace(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= WORLD_M;
}

/** Returns the room class for a choice. */
function roomFor(choice: WorldChoice): typeof WorldRoom {
  const scheme = SCHEMES[choice.scheme];
  const chosen: RoomInterest<Player, ServerEntity> = { rings: ringsOf(choice), ...(scheme && { scheme }) };
  return class extends WorldRoom {
    override readonly interest = chosen;
  };
}

/** The worlds by name: one for each choice, and one in which everybody gets everything. */
export const worldRooms: Readonly<Record<string, typeof WorldRoom>> = {
  [WHOLE_WORLD]: WorldRoom,
  ...Object.fromEntries(allChoices().map((choice) => [roomNameOf(choice), roomFor(choice)])),
};
