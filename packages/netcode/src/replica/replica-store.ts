import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { EntityTable, vacate, type Place } from "../entity-table.js";
import type { Replica } from "./replica.js";

const MAX_ID = 0xffff;

interface Kind<Item> {
  readonly table: EntityTable;
  readonly replicas: Map<number, Item>;
}

/**
 * The entities on one side of a room, by id, by kind and by the game's object. There are stores for a
 * player's own entities, for those of a peer, for those that an authority sends, and for those of the
 * authority itself. Values are rows of typed arrays, one table per kind.
 */
export class ReplicaStore<Item extends Replica> {
  readonly #firstId: number;
  readonly #replicas = new Map<number, Item>();
  readonly #kinds = new Map<EntityDefinition, Kind<Item>>();
  readonly #byEntity = new WeakMap<object, Item>();
  #nextId: number;

  /** @param firstId smallest id that {@link freeId} returns */
  constructor(firstId = 0) {
    this.#firstId = firstId;
    this.#nextId = firstId;
  }

  get size(): number {
    return this.#replicas.size;
  }

  /** True if {@link freeId} has no id left. */
  get isFull(): boolean {
    return this.#replicas.size > MAX_ID - this.#firstId;
  }

  get(id: number): Item | undefined {
    return this.#replicas.get(id);
  }

  /** Returns true if the replica is still in the store: a later entity may have its id. */
  holds(replica: Item): boolean {
    return this.#replicas.get(replica.id) === replica;
  }

  values(): MapIterator<Item> {
    return this.#replicas.values();
  }

  ofKind(definition: EntityDefinition): Iterable<Item> {
    return this.#kinds.get(definition)?.replicas.values() ?? [];
  }

  /** Returns the replica of the game's object, or undefined if the store does not hold it (any more). */
  of(entity: object): Item | undefined {
    const replica = this.everOf(entity);
    return replica && this.holds(replica) ? replica : undefined;
  }

  /** Returns the replica that the game's object has, or had until it was removed. */
  everOf(entity: object): Item | undefined {
    return this.#byEntity.get(entity);
  }

  /** The id that {@link freeId} tries next. A store that goes on from another one takes over its value. */
  get nextId(): number {
    return this.#nextId;
  }

  set nextId(id: number) {
    this.#nextId = Math.max(this.#firstId, Math.min(id, MAX_ID));
  }

  /** Returns an unused id. Ids are reused as late as possible. Throws {@link ConfigError} if none is left. */
  freeId(): number {
    if (this.isFull) throw new ConfigError("entities", this.size, `fewer than ${MAX_ID + 1 - this.#firstId}`);
    while (this.#replicas.has(this.#nextId)) this.#advanceId();
    const id = this.#nextId;
    this.#advanceId();
    return id;
  }

  /**
   * Adds an entity in a new row with the initial values of its fields. If `make` throws, nothing is added.
   */
  add(definition: EntityDefinition, make: (place: Place) => Item): Item {
    const { table, replicas } = this.#kindOf(definition);
    const place = { table, row: table.allocate(), isOld: false };
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

  /** Removes an entity. It keeps its last values, because another entity may get its row. */
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
