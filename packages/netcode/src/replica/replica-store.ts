import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { EntityTable, vacate, type Place } from "../entity-table.js";
import type { Replica } from "./replica.js";

/** Ids have 16 bits. */
const MAX_ID = 0xffff;

/** Entities of one kind. */
interface Kind<Item> {
  readonly table: EntityTable;
  readonly replicas: Map<number, Item>;
}

/**
 * The entities that one side of a room holds, by id, by kind and by the game's object: a player's own, those of a peer,
 * those that an authority tells of, those of the authority itself and those that it shows to spectators. Their values
 * are rows of typed arrays, one table for each kind.
 */
export class ReplicaStore<Item extends Replica> {
  readonly #firstId: number;
  readonly #replicas = new Map<number, Item>();
  readonly #kinds = new Map<EntityDefinition, Kind<Item>>();
  readonly #byEntity = new WeakMap<object, Item>();
  #nextId: number;

  /** @param firstId the least id that {@link freeId} gives */
  constructor(firstId = 0) {
    this.#firstId = firstId;
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#replicas.size;
  }

  /** Whether {@link freeId} has no id left. */
  get isFull(): boolean {
    return this.#replicas.size > MAX_ID - this.#firstId;
  }

  get(id: number): Item | undefined {
    return this.#replicas.get(id);
  }

  /** Whether it is still here: a later entity may have the same id. */
  holds(replica: Item): boolean {
    return this.#replicas.get(replica.id) === replica;
  }

  values(): MapIterator<Item> {
    return this.#replicas.values();
  }

  ofKind(definition: EntityDefinition): Iterable<Item> {
    return this.#kinds.get(definition)?.replicas.values() ?? [];
  }

  /** The replica of the game's object; undefined for what is no entity of this store (any more). */
  of(entity: object): Item | undefined {
    const replica = this.#byEntity.get(entity);
    return replica && this.holds(replica) ? replica : undefined;
  }

  /**
   * An id that no entity has. Ids are used again as late as possible. Throws {@link ConfigError} where none is left.
   */
  freeId(): number {
    if (this.isFull) {
      const expected = `fewer than ${MAX_ID + 1 - this.#firstId}`;
      throw new ConfigError({ field: "entities", value: this.size, expected });
    }
    while (this.#replicas.has(this.#nextId)) this.#advanceId();
    const id = this.#nextId;
    this.#advanceId();
    return id;
  }

  /** Adds an entity of a kind in a row of its own, with the values that its fields begin with. What `make` throws is thrown: nothing was added then. */
  add(definition: EntityDefinition, make: (place: Place) => Item): Item {
    const { table, replicas } = this.#kindOf(definition);
    const place = { table, row: table.allocate() };
    let replica: Item;
    try {
      replica = make(place);
    } catch (error) {
      vacate(place);
      throw error;
    }
    this.#replicas.set(replica.id, replica);
    replicas.set(replica.id, replica);
    this.#byEntity.set(replica.entity, replica);
    return replica;
  }

  /** The entity keeps its last values; its row may become another one's. */
  remove(replica: Item): void {
    if (!this.holds(replica)) return;
    this.#replicas.delete(replica.id);
    this.#kinds.get(replica.definition)?.replicas.delete(replica.id);
    vacate(replica.place);
  }

  #kindOf(definition: EntityDefinition): Kind<Item> {
    const known = this.#kinds.get(definition);
    if (known) return known;
    const kind = { table: new EntityTable(definition), replicas: new Map<number, Item>() };
    this.#kinds.set(definition, kind);
    return kind;
  }

  #advanceId(): void {
    this.#nextId = this.#nextId === MAX_ID ? this.#firstId : this.#nextId + 1;
  }
}
