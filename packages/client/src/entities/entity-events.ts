import type { DespawnReason, EntityDefinition } from "@paceline/protocol";
import type { Entity } from "./entity.js";
import { Listeners, guarded, type Unsubscribe } from "../listeners.js";

type EntityListener = (entity: Entity) => void;

interface KindEvents {
  readonly present: Set<Entity>;
  readonly spawns: Listeners<[Entity]>;
  readonly despawns: Listeners<[Entity, DespawnReason]>;
}

/** Reports each spawn and despawn of an entity to the game exactly once. */
export class EntityEvents {
  /** Called when an authority has given an entity to another owner. */
  readonly gifts = new Listeners<[Entity]>();
  readonly #kinds = new Map<EntityDefinition, KindEvents>();

  spawned(entity: Entity): void {
    const { present, spawns } = this.#of(entity.kind);
    present.add(entity);
    spawns.emit(entity);
  }

  despawned(entity: Entity, why: DespawnReason = "removed"): void {
    const { present, despawns } = this.#of(entity.kind);
    if (present.delete(entity)) despawns.emit(entity, why);
  }

  /** Calls the listener for the present entities before it returns, and for later ones as they spawn. */
  onSpawn(definition: EntityDefinition, listener: EntityListener): Unsubscribe {
    const { present, spawns } = this.#of(definition);
    const stop = spawns.add(listener);
    // The listener may despawn some of these entities. For those that it spawns, `spawned` calls it.
    for (const entity of Array.from(present)) if (present.has(entity)) guarded(() => listener(entity));
    return stop;
  }

  onDespawn(
    definition: EntityDefinition,
    listener: (entity: Entity, why: DespawnReason) => void,
  ): Unsubscribe {
    return this.#of(definition).despawns.add(listener);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#kinds.clear();
    this.gifts.clear();
  }

  #of(definition: EntityDefinition): KindEvents {
    const known = this.#kinds.get(definition);
    if (known) return known;
    const events: KindEvents = { present: new Set(), spawns: new Listeners(), despawns: new Listeners() };
    this.#kinds.set(definition, events);
    return events;
  }
}
