import { ConfigError } from "@paceline/protocol";
import type { RoomEntities } from "./room-entities.js";

/** The game's own objects, and how entities are made and written from them. */
export interface Mirror<Item extends object> {
  readonly objects: Iterable<Item> | ReadonlyMap<unknown, Item>;
  spawn(object: Item): object;
  write(entity: object, object: Item): void;
}

interface Running {
  readonly mirror: Mirror<object>;
  /** Entities by the game's objects. */
  readonly entities: Map<object, object>;
}

/** Keeps entities as the game's own objects are: see `Room.mirror`. */
export class Mirrors {
  readonly #room: Pick<RoomEntities, "despawn" | "world">;
  readonly #running = new Set<Running>();
  readonly #made = new WeakSet();

  constructor(room: Pick<RoomEntities, "despawn" | "world">) {
    this.#room = room;
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** True for an entity that a mirror has spawned. A save leaves it out: the game saves its objects. */
  hasMade(entity: object): boolean {
    return this.#made.has(entity);
  }

  /** Begins a mirror, and spawns the entities of the objects that are there. Returns a function that ends it. */
  add<Item extends object>(mirror: Mirror<Item>): () => void {
    const running: Running = { mirror, entities: new Map() };
    this.#running.add(running);
    try {
      this.#run(running);
    } catch (error) {
      this.#running.delete(running);
      throw error;
    }
    return () => this.#running.delete(running);
  }

  /** Spawns, writes and despawns what has changed since the last tick. */
  step(): void {
    for (const running of this.#running) this.#run(running);
  }

  #run(running: Running): void {
    const { mirror, entities } = running;
    const { world } = this.#room;
    const objects = this.#objectsOf(running);
    for (const object of objects) {
      const entity = entities.get(object);
      // The room's code may have despawned it, or its owner has left.
      if (entity && world.records.of(entity)) mirror.write(entity, object);
      else {
        const spawned = mirror.spawn(object);
        this.#made.add(spawned);
        entities.set(object, spawned);
      }
    }
    for (const [object, entity] of entities) {
      if (objects.has(object)) continue;
      entities.delete(object);
      this.#room.despawn(world.recordOf(entity), "with the object that it mirrors");
    }
  }

  /** Returns the objects of a mirror. Throws {@link ConfigError} if one is there twice, or is no object. */
  #objectsOf(running: Running): ReadonlySet<object> {
    const { objects } = running.mirror;
    const found = new Set<object>();
    for (const object of objects instanceof Map ? objects.values() : (objects as Iterable<object>)) {
      if (typeof object !== "object" || object === null)
        throw new ConfigError("mirror", object, "an object: values alone cannot be told apart");
      const isElsewhere = [...this.#running].some((each) => each !== running && each.entities.has(object));
      if (isElsewhere || found.has(object))
        throw new ConfigError("mirror", object, "an object that is mirrored once");
      found.add(object);
    }
    return found;
  }
}
