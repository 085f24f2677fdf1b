import type { Entity, EntityDefinition, Room } from "@paceline/client";

/** Records the spawns and despawns of a kind, by id, like a game with sprites. */
export class Sprites<Definition extends EntityDefinition> {
  readonly log: string[] = [];
  readonly shown = new Set<Entity<Definition>>();

  constructor(room: Room, kind: Definition) {
    room.onSpawn(kind, (entity) => {
      this.log.push(this.shown.has(entity) ? `${entity.id} twice` : `+${entity.id}`);
      this.shown.add(entity);
    });
    room.onDespawn(kind, (entity) => {
      this.log.push(this.shown.delete(entity) ? `-${entity.id}` : `${entity.id} unknown`);
    });
  }

  get ids(): number[] {
    return [...this.shown].map(({ id }) => id).sort((a, b) => a - b);
  }
}
