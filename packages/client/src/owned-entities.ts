import {
  ByteReader,
  ByteWriter,
  readComponents,
  ConfigError,
  NetError,
  limits,
  writeComponents,
  type EntityDefinition,
  type Fields,
  type PeerPayload,
} from "@paceline/protocol";
import {
  EntityTable,
  Replica,
  assignFields,
  defineFields,
  vacate,
  type InitialFields,
  type MotionFault,
  type Place,
  type PublicationPolicy,
  type ReadonlyFields,
  type WritableFields,
} from "@paceline/netcode";

/** An entity of this participant: write its fields, the SDK decides what is sent when. */
export type OwnedEntity<F extends Fields = Fields> = WritableFields<F> & {
  readonly id: number;
  readonly isMine: true;
  readonly owner: null;
  /** The same values: one's own entity is where it is. */
  readonly shown: ReadonlyFields<F>;
};

/** One owned entity with what replication knows of it. */
export interface OwnedRecord {
  readonly localId: number;
  readonly definition: EntityDefinition;
  readonly place: Place;
  readonly replica: Replica;
  readonly entity: OwnedEntity;
  /** The tick of the last state that a newcomer was told. */
  toldTick: number | undefined;
}

/**
 * A newcomer is told of every entity in a message of its own, and these wait for it together: so many that the game's
 * own messages have room beside them.
 */
const MAX_ENTITIES = limits.unacknowledgedMessages / 2;

export interface OwnedEntitiesOptions {
  /** Seconds of one simulation tick. */
  readonly tickSeconds: number;
  /** The room-wide id of a local one; it changes when the participant gets another number. */
  idOf(localId: number): number;
  onFault(entity: OwnedEntity, definition: EntityDefinition, fault: MotionFault): void;
}

/** The entities that this participant owns. */
export class OwnedEntities {
  readonly #tables = new Map<EntityDefinition, EntityTable>();
  readonly #records = new Map<number, OwnedRecord>();
  readonly #byEntity = new WeakMap<object, OwnedRecord>();
  readonly #options: OwnedEntitiesOptions;
  #nextLocalId = 0;

  constructor(options: OwnedEntitiesOptions) {
    this.#options = options;
  }

  get records(): Iterable<OwnedRecord> {
    return this.#records.values();
  }

  spawn<F extends Fields>(definition: EntityDefinition<F>, initial: InitialFields<F>): OwnedRecord {
    if (this.#records.size >= MAX_ENTITIES) {
      throw new NetError("limit/entities", `a participant may own ${MAX_ENTITIES} entities`);
    }
    const known = definition as unknown as EntityDefinition;
    const table = this.#tables.get(known) ?? new EntityTable(known);
    this.#tables.set(known, table);
    const localId = this.#freeLocalId();
    const place = { table, row: table.allocate() };
    const entity = this.#newEntity(localId, place);
    try {
      assignFields(entity, known, initial);
    } catch (error) {
      vacate(place);
      throw error;
    }
    const record = {
      localId,
      definition: known,
      place,
      replica: new Replica({
        definition: known,
        tickSeconds: this.#options.tickSeconds,
        onFault: (fault) => this.#options.onFault(entity, known, fault),
      }),
      entity,
      toldTick: undefined,
    };
    this.#records.set(localId, record);
    this.#byEntity.set(entity, record);
    return record;
  }

  /** Throws {@link ConfigError} for what is not an entity of this participant. */
  despawn(entity: object): OwnedRecord {
    const record = this.#byEntity.get(entity);
    if (!record || !this.#records.delete(record.localId)) {
      throw new ConfigError({
        field: "entity",
        value: entity,
        expected: "an entity that this participant owns",
      });
    }
    vacate(record.place);
    return record;
  }

  /** An authority puts an entity back: it goes on from that state. */
  correct(localId: number, state: Uint8Array): void {
    const record = this.#records.get(localId);
    if (!record) return;
    const row = record.place.table.stateOf(record.place.row);
    const values = new Float32Array(row.length);
    const reader = new ByteReader(state);
    if (readComponents(reader, record.definition, values) && reader.remaining === 0) row.set(values);
  }

  /** The message that tells a peer of the entity, with its state at `tick`. */
  spawnPayload(record: OwnedRecord, tick: number, tickHz: number): PeerPayload {
    record.toldTick = tick;
    const { table, row } = record.place;
    const state = new ByteWriter(table.width * 4);
    writeComponents(state, table.stateOf(row));
    const { name, schemaHash } = record.definition;
    return { kind: "spawn", localId: record.localId, name, schemaHash, tickHz, tick, state: state.take() };
  }

  /** Completes the entities' states for this tick and collects those that have to be sent. */
  due(tick: number, nowMs: number, policy: PublicationPolicy): OwnedRecord[] {
    const due: OwnedRecord[] = [];
    for (const record of this.#records.values()) {
      const state = record.place.table.stateOf(record.place.row);
      record.replica.derive(state, tick);
      // A newcomer would drop a second state of the same tick: what has changed since waits for the next one.
      if (record.toldTick === tick) continue;
      if (!record.replica.isDue(state, tick, nowMs, policy)) continue;
      record.replica.sent(state, tick, nowMs);
      due.push(record);
    }
    return due;
  }

  #newEntity(localId: number, place: Place): OwnedEntity {
    const { definition } = place.table;
    const shown = defineFields({}, definition, { place, layer: "state", isWritable: false });
    const options = this.#options;
    const base = {
      get id() {
        return options.idOf(localId);
      },
      isMine: true as const,
      owner: null,
      shown,
    };
    const row = { place, layer: "state", isWritable: true } as const;
    return defineFields(base, definition, row) as unknown as OwnedEntity;
  }

  #freeLocalId(): number {
    while (this.#records.has(this.#nextLocalId)) this.#nextLocalId = (this.#nextLocalId + 1) & 0xffff;
    const localId = this.#nextLocalId;
    this.#nextLocalId = (localId + 1) & 0xffff;
    return localId;
  }
}
