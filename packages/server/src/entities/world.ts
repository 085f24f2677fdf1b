import {
  CollectionBudget,
  ConfigError,
  SnapshotWriter,
  StateHistory,
  limits,
  newCollections,
  planState,
  type Collection,
  type EntityDefinition,
  type EntityRows,
  type KindInfo,
  type StatePlan,
} from "@paceline/protocol";
import {
  Replica,
  ReplicaStore,
  assignFields,
  defineFields,
  type Clamp,
  type Place,
  type WritableFields,
} from "@paceline/netcode";

/** The player that owns an entity, as the entities know it. */
export interface Owner {
  readonly number: number;
}

/** An entity of a room, with its kind, rows, owner and authority. */
export class EntityRecord extends Replica<EntityObject> {
  /** Index of its kind in the welcome. */
  readonly kind: number;
  readonly rows: EntityRows;
  /** Its lists and maps of changing length. */
  readonly collections: readonly Collection[];
  /** The side that simulates it: the room, or its owner. */
  readonly authority: "room" | "player";
  owner: Owner | undefined;
  /** When and by whom it was despawned, for the messages about the game's uses of it since. */
  despawned: { readonly atMs: number; readonly why: string } | undefined = undefined;

  constructor(
    id: number,
    place: Place,
    of: Pick<EntityRecord, "entity" | "kind" | "rows" | "authority" | "collections" | "owner">,
  ) {
    super(id, place, of.entity);
    this.kind = of.kind;
    this.rows = of.rows;
    this.collections = of.collections;
    this.authority = of.authority;
    this.owner = of.owner;
  }

  /** Says when and by whom the entity was despawned: `car 7 was despawned 300 ms ago, by player 2`. */
  departure(nowMs: number): string {
    const { atMs, why } = this.despawned!;
    return `${this.definition.name} ${this.id} was despawned ${Math.round(nowMs - atMs)} ms ago, ${why}`;
  }
}

/** The entities of one owner. */
export interface OwnedRecords {
  readonly records: ReadonlySet<EntityRecord>;
  /** Another number whenever the entities are others. */
  readonly version: number;
}

const NOTHING_OWNED: OwnedRecords = { records: new Set(), version: 0 };

export interface WorldOptions {
  readonly definitions: readonly EntityDefinition[];
  readonly tickHz: number;
  readonly historyTicks: number;
  /** Called when the room's code writes a value out of its range. The field gets the nearest bound. */
  readonly onClamp?: (clamp: Clamp) => void;
  /** Called when the room's code teleports an entity. */
  readonly onTeleport?: (record: EntityRecord) => void;
  /** Called when the room's code writes or teleports an entity that was despawned. It has no effect. */
  readonly onStale?: (record: EntityRecord) => void;
}

/**
 * The room code's object of an entity, without its fields. A class, because engines make a hash table of an object
 * literal with getters: each read of a field would search it.
 */
class WorldEntity {
  readonly id: number;
  readonly kind: EntityDefinition;
  readonly #world: World;

  constructor(id: number, kind: EntityDefinition, world: World) {
    this.id = id;
    this.kind = kind;
    this.#world = world;
  }

  get owner(): Owner | undefined {
    return this.#world.records.of(this)?.owner;
  }

  teleport(): void {
    this.#world.teleport(this);
  }
}

/** The room code's object of an entity, with its fields. */
export type EntityObject = WorldEntity & WritableFields<EntityDefinition["fields"]>;

/** A class for each kind: V8 makes hash tables if two kinds of one class have a field of the same name. */
const entityClasses = new WeakMap<EntityDefinition, typeof WorldEntity>();

/** In messages, id 0 means no entity. */
const FIRST_ID = 1;

/** The entities of a room, and their states of the latest ticks. */
export class World {
  readonly plans: readonly StatePlan[];
  readonly history: StateHistory;
  readonly writer: SnapshotWriter;
  readonly records = new ReplicaStore<EntityRecord>(FIRST_ID);
  readonly #kinds = new Map<EntityDefinition, number>();
  readonly #owned = new Map<Owner, { readonly records: Set<EntityRecord>; version: number }>();
  #ownings = 0;
  readonly #listBudget = new CollectionBudget(limits.roomCollectionBytes);
  readonly #onClamp: WorldOptions["onClamp"];
  readonly #onTeleport: WorldOptions["onTeleport"];
  readonly #onStale: WorldOptions["onStale"];

  constructor({ definitions, tickHz, historyTicks, onClamp, onTeleport, onStale }: WorldOptions) {
    this.#onStale = onStale;
    this.#onClamp = onClamp;
    this.#onTeleport = onTeleport;
    this.plans = definitions.map((definition) => planState(definition, { tickHz }));
    this.history = new StateHistory({ plans: this.plans, historyTicks });
    this.writer = new SnapshotWriter(this.plans);
    for (const [kind, definition] of definitions.entries()) this.#kinds.set(definition, kind);
  }

  /** True if no id is left. {@link spawn} then throws. */
  get isFull(): boolean {
    return this.records.isFull;
  }

  /** Names and schema hashes of the kinds, in the order of the welcome. */
  get kinds(): KindInfo[] {
    return this.plans.map(({ definition: { name, schemaHash } }) => ({ name, schemaHash }));
  }

  spawn(
    definition: EntityDefinition,
    initial: Readonly<Record<string, unknown>>,
    owner: Owner | undefined,
    authority: EntityRecord["authority"] = "room",
    // A delayed copy of a world passes the id of the original.
    id = this.records.freeId(),
  ): EntityRecord {
    const kind = this.#kinds.get(definition);
    if (kind === undefined) {
      const expected = `one of the room's entities: ${this.kinds.map(({ name }) => name).join(", ") || "none"}`;
      throw new ConfigError("definition", definition.name, expected);
    }
    let record: EntityRecord | undefined;
    const isPresent = (): boolean => {
      if (record?.despawned) this.#onStale?.(record);
      return !record?.despawned;
    };
    const added = this.records.add(definition, (place) => {
      const collections = newCollections(definition, { budget: this.#listBudget, admits: isPresent });
      const entity = this.#newEntity(id, place, isPresent, collections);
      assignFields(entity, definition, initial);
      const rows = this.history.spawn(id, this.plans[kind]!, owner?.number ?? 0);
      record = new EntityRecord(id, place, { kind, entity, rows, authority, collections, owner });
      return record;
    });
    this.#own(added);
    return added;
  }

  /** Returns the entities of an owner, the oldest first. */
  ownedBy(owner: Owner): OwnedRecords {
    return this.#owned.get(owner) ?? NOTHING_OWNED;
  }

  /**
   * Returns the record of an entity, also of a despawned one. Throws {@link ConfigError} for an object that
   * never was an entity of this room.
   */
  recordOf(entity: object): EntityRecord {
    const record = this.records.everOf(entity);
    if (record) return record;
    throw new ConfigError("entity", entity, "an entity that is in this room");
  }

  remove(record: EntityRecord): void {
    this.#disown(record);
    this.history.remove(record.id);
    this.records.remove(record);
    for (const { bytes } of record.collections) this.#listBudget.bytes -= bytes;
  }

  setOwner(record: EntityRecord, owner: Owner | undefined): void {
    this.#disown(record);
    record.owner = owner;
    this.#own(record);
    this.history.setOwner(record.id, owner?.number ?? 0);
  }

  #own(record: EntityRecord): void {
    if (!record.owner) return;
    const owned = this.#owned.get(record.owner) ?? { records: new Set(), version: 0 };
    this.#owned.set(record.owner, owned);
    owned.records.add(record);
    owned.version = this.#ownings += 1;
  }

  #disown(record: EntityRecord): void {
    const owned = record.owner && this.#owned.get(record.owner);
    if (!owned?.records.delete(record)) return;
    owned.version = this.#ownings += 1;
    if (owned.records.size === 0) this.#owned.delete(record.owner!);
  }

  /**
   * Returns the entity's rows, with its state at the tick. Stores that state once: all packets of a tick must
   * carry the same.
   */
  rowsAt(record: EntityRecord, tick: number): EntityRows {
    const { rows } = record;
    if (rows.find(tick) >= 0) return rows;
    const { state, texts } = record;
    this.history.write(rows, tick, state, texts.length > 0 ? texts.slice() : undefined);
    return rows;
  }

  teleport(entity: object): void {
    const record = this.recordOf(entity);
    (record.despawned ? this.#onStale : this.#onTeleport)?.(record);
  }

  #newEntity(
    id: number,
    place: Place,
    afterWrite: () => void,
    collections: readonly Collection[],
  ): EntityObject {
    const { definition } = place.table;
    let Entity = entityClasses.get(definition);
    if (!Entity) entityClasses.set(definition, (Entity = class extends WorldEntity {}));
    const base = new Entity(id, definition, this);
    const row = {
      ...({ place, layer: "state", isWritable: true } as const),
      ...{ collections, afterWrite, onClamp: this.#onClamp },
    };
    return defineFields(base, definition, row) as unknown as EntityObject;
  }
}
