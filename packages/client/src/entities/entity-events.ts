import type { EntityDefinition } from "@paceline/protocol";
import type { Entity } from "./entity.js";
import { Listeners, guarded, type Unsubscribe } from "../events/listeners.js";

type EntityListener = (entity: Entity) => void;

/** The entities of one kind that the game knows of, and its listeners. */
interface KindEvents {
  readonly present: Set<Entity>;
  readonly spawns: Listeners<[Entity]>;
  readonly despawns: Listeners<[Entity]>;
}

/** Tells the game which entities of a kind appear and disappear, each exactly once. */
export class EntityEvents {
  readonly #kinds = new Map<EntityDefinition, KindEvents>();

  spawned(entity: Entity): void {
    const { present, spawns } = this.#of(entity.kind);
    present.add(entity);
    spawns.tell(entity);
  }

  despawned(entity: Entity): void {
    const { present, despawns } = this.#of(entity.kind);
    if (present.delete(entity)) despawns.tell(entity);
  }

  /** Calls the listener for those that are there, before it returns, and for those to come. */
  onSpawn(definition: EntityDefinition, listener: EntityListener): Unsubscribe {
    const { present, spawns } = this.#of(definition);
    const stop = spawns.add(listener);
    // The listener may despawn some of these, and is called for those that it spawns.
    for (const entity of Array.from(present)) if (present.has(entity)) guarded(() => listener(entity));
    return stop;
  }

  onDespawn(definition: EntityDefinition, listener: EntityListener): Unsubscribe {
    return this.#of(definition).despawns.add(listener);
  }

  #of(definition: EntityDefinition): KindEvents {
    const known = this.#kinds.get(definition);
    if (known) return known;
    const events: KindEvents = { present: new Set(), spawns: new Listeners(), despawns: new Listeners() };
    this.#kinds.set(definition, events);
    return events;
  }
}
