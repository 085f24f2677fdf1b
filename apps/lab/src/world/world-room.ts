import { defineEntity, uint, vec2 } from "@paceline/protocol";
import {
  Room,
  aura,
  hexagons,
  quadtree,
  type InterestScheme,
  type Player,
  type RoomInterest,
  type ServerEntity,
} from "@paceline/server";
import type { RandomWaypoints } from "../interest/random-waypoints.js";
import { ArenaInput } from "../room/systems/arena-kinds.js";
import type { StepTimes } from "./step-times.js";
import { geometryOf, type SchemeName, type WorldShape } from "./world-shape.js";

export const WORLD_ROOM = "world";
export const PRECISION_M = 0.01;
/** As many as a room has players, so that rates fall in a crowd, but nobody disappears. */
const MAX_ENTITIES = 1000;

/** A walker that is sent whenever it has moved by a step of its precision. */
export const WorldWalker = defineEntity(
  "walker",
  {
    position: vec2({ range: [-4096, 4096], precision: PRECISION_M, unit: "m" }),
    index: uint({ range: [0, 4095] }),
  },
  { motion: "hold", threshold: { position: PRECISION_M } },
);

export interface WorldTypes {
  /** Number of the player's own walker. */
  readonly options: { readonly index: number };
}

const schemes: Readonly<Record<SchemeName, () => InterestScheme | undefined>> = {
  squares: () => undefined,
  hexagons,
  quadtree: () => quadtree(),
  aura: () => aura({ media: { sight: {} } }),
};

function interestOf(shape: WorldShape): RoomInterest<Player, ServerEntity> {
  const { radiusM, edgeM } = geometryOf(shape);
  return {
    radiusM,
    maxEntities: MAX_ENTITIES,
    scheme: schemes[shape.interest ?? "squares"](),
    world: { minX: 0, minY: 0, maxX: edgeM, maxY: edgeM },
  };
}

/** A room in which players see the walkers that are near their own. Set the static fields before the first join. */
export class WorldRoom extends Room<WorldTypes> {
  static shape: WorldShape;
  static steps: StepTimes;
  static walk: RandomWaypoints;
  override readonly tickHz = WorldRoom.shape.tickHz;
  override readonly entities = [WorldWalker];
  override readonly inputs = ArenaInput;
  override readonly stateBytesPerSecond = WorldRoom.shape.bytesPerSecond;
  override readonly interest: RoomInterest<Player, ServerEntity> = interestOf(WorldRoom.shape);
  override maxPlayers = WorldRoom.shape.receivers;
  readonly #walkers: (ServerEntity<typeof WorldWalker> | undefined)[] = [];

  override onCreate(): void {
    const { entities, receivers } = WorldRoom.shape;
    for (let index = receivers; index < entities; index++) this.#spawn(index);
  }

  override onJoin(player: Player): void {
    this.#spawn(player.options["index"] as number, player);
  }

  /** The walk begins with the room's first tick, so that a walker's place follows from the tick alone. */
  override onTick(): void {
    WorldRoom.steps.begin();
    WorldRoom.walk.walk();
    const { places } = WorldRoom.walk;
    for (const [index, walker] of this.#walkers.entries())
      walker?.position.set(places[2 * index]!, places[2 * index + 1]!);
  }

  #spawn(index: number, player?: Player): void {
    const { places } = WorldRoom.walk;
    const position = { x: places[2 * index]!, y: places[2 * index + 1]! };
    this.#walkers[index] = this.spawn(WorldWalker, { position, index }, player);
  }
}
