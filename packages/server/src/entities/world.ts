import {
  ConfigError,
  SharedWriter,
  StateHistory,
  planState,
  type EntityDefinition,
  type EntityRows,
  type KindInfo,
  type StatePlan,
} from "@paceline/protocol";
import {
  EntityTable,
  assignFields,
  defineFields,
  vacate,
  type Clamp,
  type Place,
  type ReplicatedEntity,
} from "@paceline/netcode";
import type { Player } from "../players/player.js";
import type { ServerEntity } from "./server-entity.js";

/** One entity with all that the room knows of it. */
export interface EntityRecord extends ReplicatedEntity {
  readonly kind: number;
  readonly place: Place;
  readonly rows: EntityRows;
  readonly entity: ServerEntity;
  /** Who simulates it: the room, or the player whom it belongs to. */
  readonly authority: "room" | "player";
  owner: Player | undefined;
}

export interface WorldOptions {
  readonly definitions: readonly EntityDefinition[];
  readonly tickHz: number;
  readonly historyTicks: number;
  /** The room's code wrote a value out of its range: the bound was taken. */
  readonly onClamp?: (clamp: Clamp) => void;
}

const MOST_ENTITIES = 0xffff;

/** The entities of a room: struct of arrays, one table for each kind, and their states tick by tick. */
export class World {
  readonly plans: readonly StatePlan[];
  readonly history: StateHistory;
  readonly writer: SharedWriter;
  readonly records = new Map<number, EntityRecord>();
  readonly #tables: readonly EntityTable[];
  readonly #kinds = new Map<EntityDefinition, number>();
  readonly #byEntity = new WeakMap<object, EntityRecord>();
  readonly #onClamp: WorldOptions["onClamp"];
  #nextId = 1;

  constructor({ definitions, tickHz, historyTicks, onClamp }: WorldOptions) {
    this.#onClamp = onClamp;
    this.plans = definitions.map((definition) => planState(definition, { tickHz }));
    this.history = new StateHistory({ plans: this.plans, historyTicks });
    this.writer = new SharedWriter(this.plans);
    this.#tables = definitions.map((definition) => new EntityTable(definition));
    for (const [kind, definition] of definitions.entries()) this.#kinds.set(definition, kind);
  }

  /** Whether no id is left: {@link spawn} would throw. */
  get isFull(): boolean {
    return this.records.size >= MOST_ENTITIES;
  }

  /** As a welcome tells of them. */
  get kinds(): KindInfo[] {
    return this.plans.map(({ definition: { name, stateHash } }) => ({ name, stateHash }));
  }

  spawn(
    definition: EntityDefinition,
    initial: Readonly<Record<string, unknown>>,
    owner: Player | undefined,
    authority: EntityRecord["authority"] = "room",
    // Of another world, where this one repeats it.
    id = this.#freeId(),
  ): EntityRecord {
    const kind = this.#kinds.get(definition);
    if (kind === undefined) {
      const expected = `one of the room's entities: ${this.kinds.map(({ name }) => name).join(", ") || "none"}`;
      throw new ConfigError({ field: "definition", value: definition.name, expected });
    }
    const table = this.#tables[kind]!;
    const place = { table, row: table.allocate() };
    const entity = this.#newEntity(id, place);
    try {
      assignFields(entity, definition, initial);
    } catch (error) {
      vacate(place);
      throw error;
    }
    const rows = this.history.spawn(id, this.plans[kind]!, owner?.number ?? 0);
    const record: EntityRecord = {
      id,
      definition,
      kind,
      place,
      rows,
      entity,
      authority,
      owner,
      get state() {
        return place.table.stateOf(place.row);
      },
      get texts() {
        return place.table.textsOf(place.row);
      },
    };
    this.records.set(id, record);
    this.#byEntity.set(entity, record);
    return record;
  }

  /** The record of an entity; throws `ConfigError` for what is none of this room (any more). */
  recordOf(entity: object): EntityRecord {
    const record = this.#byEntity.get(entity);
    if (record && this.records.get(record.id) === record) return record;
    throw new ConfigError({ field: "entity", value: entity, expected: "an entity of this room" });
  }

  remove(record: EntityRecord): void {
    this.records.delete(record.id);
    this.history.remove(record.id);
    vacate(record.place);
  }

  setOwner(record: EntityRecord, owner: Player | undefined): void {
    record.owner = owner;
    this.history.setOwner(record.id, owner?.number ?? 0);
  }

  *ofKind(definition: EntityDefinition): Iterable<EntityRecord> {
    for (const record of this.records.values()) if (record.definition === definition) yield record;
  }

  /** The entity's state of the tick: taken down once, since what is sent of a tick may not change any more. */
  rowsAt(record: EntityRecord, tick: number): EntityRows {
    const { rows } = record;
    if (rows.find(tick) >= 0) return rows;
    const { state, texts } = record;
    this.history.write(rows, tick, state, texts.length > 0 ? texts.slice() : undefined);
    return rows;
  }

  #newEntity(id: number, place: Place): ServerEntity {
    const { records } = this;
    const base = {
      id,
      kind: place.table.definition,
      get owner() {
        const record = records.get(id);
        return record?.place === place ? record.owner : undefined;
      },
    };
    const row = { place, layer: "state", isWritable: true, onClamp: this.#onClamp } as const;
    return defineFields(base, place.table.definition, row) as unknown as ServerEntity;
  }

  #freeId(): number {
    if (this.isFull) {
      throw new ConfigError({ field: "entities", value: this.records.size, expected: "fewer than 65535" });
    }
    while (this.records.has(this.#nextId) || this.#nextId === 0) this.#nextId = (this.#nextId + 1) & 0xffff;
    const id = this.#nextId;
    this.#nextId = (id + 1) & 0xffff;
    return id;
  }
}
