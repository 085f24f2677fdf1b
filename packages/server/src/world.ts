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
import { EntityTable, assignFields, defineFields, vacate, type Place } from "@paceline/netcode";
import type { Player } from "./player.js";
import type { ServerEntity } from "./server-entity.js";

/** One entity with all that the room knows of it. */
export interface EntityRecord {
  readonly id: number;
  readonly definition: EntityDefinition;
  readonly kind: number;
  readonly place: Place;
  readonly rows: EntityRows;
  readonly entity: ServerEntity;
  /** Who simulates it: the room, or the player whom it belongs to. */
  readonly authority: "room" | "player";
  owner: Player | undefined;
  /** The last tick at which its state was another than before. */
  changedTick: number;
}

export interface WorldOptions {
  readonly definitions: readonly EntityDefinition[];
  readonly tickHz: number;
  readonly historyTicks: number;
}

/** A state goes out at this tick, and at so many after it: what is lost is then seldom missed. */
const REPEATED_TICKS = 3;
/** What has not changed goes out this often: the rest of what was lost. */
const HEARTBEAT_TICKS = 64;
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
  readonly #due: EntityRecord[] = [];
  #nextId = 1;

  constructor({ definitions, tickHz, historyTicks }: WorldOptions) {
    this.plans = definitions.map((definition) => planState(definition, { tickHz }));
    this.history = new StateHistory({ plans: this.plans, historyTicks });
    this.writer = new SharedWriter(this.plans);
    this.#tables = definitions.map((definition) => new EntityTable(definition));
    for (const [kind, definition] of definitions.entries()) this.#kinds.set(definition, kind);
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
    const record = { id, definition, kind, place, rows, entity, authority, owner, changedTick: -1 };
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

  /** Takes down the states of a tick. */
  write(tick: number): void {
    for (const record of this.records.values()) {
      const { rows, place } = record;
      this.history.write(rows, tick, place.table.stateOf(place.row));
      if (hasChanged(rows, tick)) record.changedTick = tick;
    }
  }

  /** What everybody has to be told at this tick. Valid until the next call. */
  due(tick: number): readonly EntityRecord[] {
    this.#due.length = 0;
    for (const record of this.records.values()) {
      const isNews = tick - record.changedTick <= REPEATED_TICKS;
      if (isNews || (tick + record.id) % HEARTBEAT_TICKS === 0) this.#due.push(record);
    }
    return this.#due;
  }

  #newEntity(id: number, place: Place): ServerEntity {
    const { records } = this;
    const base = {
      id,
      get owner() {
        const record = records.get(id);
        return record?.place === place ? record.owner : undefined;
      },
    };
    const row = { place, layer: "state", isWritable: true } as const;
    return defineFields(base, place.table.definition, row) as unknown as ServerEntity;
  }

  #freeId(): number {
    if (this.records.size >= MOST_ENTITIES) {
      throw new ConfigError({ field: "entities", value: this.records.size, expected: "fewer than 65535" });
    }
    while (this.records.has(this.#nextId) || this.#nextId === 0) this.#nextId = (this.#nextId + 1) & 0xffff;
    const id = this.#nextId;
    this.#nextId = (id + 1) & 0xffff;
    return id;
  }
}

function hasChanged(entity: EntityRows, tick: number): boolean {
  const at = entity.find(tick);
  const before = entity.find(tick - 1);
  if (before < 0) return true;
  const { rows, plan } = entity;
  for (let column = 0; column < plan.width; column++) {
    if (rows[at + column] !== rows[before + column]) return true;
  }
  return false;
}
