import type { Entity, EntityDefinition, Room } from "@paceline/client";

/** Notes which entities of a kind appear and disappear, by id, as a game with sprites would. */
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
