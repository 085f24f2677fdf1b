import { Room, type Player, type RoomInterest, type ServerEntity } from "@paceline/server";
import { WORLD_M, WorldWalker } from "../net/world.js";

/** A flat world of 1 km, in which everybody owns a walker and sees 80 m around it: `pnpm bots --room world`. */
export class OpenWorldRoom extends Room {
  override maxPlayers = 1000;
  override readonly tickHz = 20;
  override readonly entities = [WorldWalker];
  override readonly playerEntities = [
    { definition: WorldWalker, limits: { maxSpeed: 50, maxStep: WORLD_M } },
  ];
  override readonly interest: RoomInterest<Player, ServerEntity> = {
    radiusM: 80,
    world: { minX: 0, minY: 0, maxX: WORLD_M, maxY: WORLD_M },
  };
}
