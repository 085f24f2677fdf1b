import {
  ConfigError,
  NetError,
  listCode,
  limits,
  type Collection,
  type OwnCollections,
  type EntityDefinition,
  type Fields,
  type MotionLayout,
} from "@paceline/protocol";
import {
  Replica,
  ReplicaStore,
  assignFields,
  defineFields,
  newFields,
  type Clamp,
  type InitialFields,
  type Kinematics,
  type Place,
  type SampledMoment,
  type WrittenBefore,
} from "@paceline/netcode";
import type { Entity, OwnedEntity } from "./entity.js";
import { FieldChanges } from "./field-changes.js";
import { motionCode } from "./motion.js";

/** One owned entity under its local id. Its row holds the values that the game has written. */
export class OwnedRecord extends Replica<OwnedEntity> {
  /** Undefined without derived rates, and before {@link move}. */
  kinematics: Kinematics | undefined;
  readonly changes: FieldChanges;
  /** Its lists and maps of changing length; undefined if its kind has none. */
  readonly collections: readonly Collection[] | undefined;
  /** Values at the last publication; undefined if the next step is a teleport. */
  published: WrittenBefore | undefined;
  distanceM = 0;
  readonly #sampled: Float32Array;

  constructor(
    id: number,
    place: Place,
    entity: OwnedEntity,
    changes: FieldChanges,
    collections: readonly Collection[] | undefined,
  ) {
    super(id, place, entity);
    this.changes = changes;
    this.collections = collections;
    this.#sampled = this.row.slice();
    this.move();
  }

  /** Begins to derive the rates of the motion, if its code is loaded. */
  move(): void {
    this.kinematics ??= motionCode()?.kinematicsOf(this.definition);
  }

  /** The complete state at the tick that was sampled last. */
  override get state(): Float32Array {
    return this.#sampled;
  }
}

export interface OwnedEntitiesOptions {
  readonly tickSeconds: number;
  /** Returns the room-wide id of a local one. It changes when the participant gets another number. */
  idOf(localId: number): number;
  /** Returns the present tick: the state of an own entity is always current. */
  tick(): number;
  onTeleport(record: OwnedRecord): void;
  onClamp(clamp: Clamp): void;
}

/** Entities that this participant owns. */
export class OwnedEntities {
  readonly #records = new ReplicaStore<OwnedRecord>();
  readonly #options: OwnedEntitiesOptions;
  #lists: OwnCollections | undefined;

  constructor(options: OwnedEntitiesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#records.size;
  }

  get records(): Iterable<OwnedRecord> {
    return this.#records.values();
  }

  /** Yields the own entities of a kind, and then the others. */
  *before(others: Iterable<Entity>, definition: EntityDefinition): Iterable<Entity> {
    for (const { entity } of this.#records.ofKind(definition)) yield entity;
    yield* others;
  }

  spawn<F extends Fields>(definition: EntityDefinition<F>, initial: InitialFields<F>): OwnedRecord {
    if (this.#records.size >= limits.ownedEntities) {
      throw new NetError("limit/entities", `a participant may own ${limits.ownedEntities} entities`);
    }
    const known = definition as unknown as EntityDefinition;
    const localId = this.#records.freeId();
    return this.#records.add(known, (place) => {
      const changes: FieldChanges = new FieldChanges(known, () => entity);
      const collections =
        known.collections.length > 0
          ? this.#listsOf().add(known, () => assertPresent(known, changes))
          : undefined;
      const entity = this.#newEntity(localId, place, changes, collections);
      assignFields(entity, known, initial);
      return new OwnedRecord(localId, place, entity, changes, collections);
    });
  }

  /**
   * Returns the removed record, or undefined if the entity was removed before. Throws {@link ConfigError} if
   * this participant never owned it.
   */
  despawn(entity: object): OwnedRecord | undefined {
    const record = this.#records.everOf(entity);
    if (!record) throw new ConfigError("entity", entity, "an entity that this participant owns");
    if (!this.#records.holds(record)) return undefined;
    record.changes.end();
    this.#records.remove(record);
    if (record.collections) this.#lists?.remove(record.collections);
    return record;
  }

  #listsOf(): OwnCollections {
    return (this.#lists ??= new listCode.inUse!.OwnCollections());
  }

  /** Moves the entities that have waited for the code of motion. */
  motionLoaded(): void {
    for (const record of this.#records.values()) record.move();
  }

  get(localId: number): OwnedRecord | undefined {
    return this.#records.get(localId);
  }

  /** Overwrites an entity with the authority's state. The entity continues from there. */
  correct(record: OwnedRecord, state: Float32Array): void {
    record.row.set(state);
    record.published = undefined;
    record.changes.review();
  }

  /**
   * Samples the state of every entity at a tick, between the last published values and the values written
   * since, and derives the missing rates.
   */
  sample(tick: number, moment: SampledMoment): void {
    const motion = motionCode();
    for (const { kinematics, state, row: written, definition, published } of this.#records.values()) {
      if (published && motion) motion.sampleMotion(definition, published, written, moment, state);
      else state.set(written);
      kinematics?.derive(state, tick, this.#options.tickSeconds);
    }
  }

  /** True if the game has moved an entity with a motion since the last publication. */
  get hasMoved(): boolean {
    for (const { row: written, definition, published } of this.#records.values()) {
      const { position = 0, dimensions = 0 } = definition.motionLayout ?? {};
      for (let at = position; at < position + dimensions; at++) {
        if (published && written[at] !== published.row[at]) return true;
      }
    }
    return false;
  }

  /** Publishes the written values, `sinceMs` after the last publication. Derived rates become readable. */
  published(sinceMs: number): void {
    const motion = motionCode();
    for (const record of this.#records.values()) {
      const { row: written, definition, state } = record;
      if (definition.motionLayout) keepDerived(definition.motionLayout, state, written);
      if (record.published && motion) motion.noteWritten(definition, record.published, written, sinceMs);
      else record.published = { row: written.slice(), rates: new Float64Array(written.length) };
      record.changes.review();
    }
  }

  #teleport(entity: object): void {
    const record = this.#records.of(entity);
    if (!record) return;
    record.kinematics?.restart();
    record.published = undefined;
    this.#options.onTeleport(record);
  }

  #newEntity(
    localId: number,
    place: Place,
    changes: FieldChanges,
    collections: readonly Collection[] | undefined,
  ): OwnedEntity {
    const { definition } = place.table;
    const ofEntity = (entity: object) => this.#records.of(entity);
    const shown = newFields(definition, { place, layer: "state", isWritable: false, collections });
    const options = this.#options;
    const base: object = {
      get id() {
        return options.idOf(localId);
      },
      kind: definition,
      onChange: changes.on.bind(changes),
      isMine: true as const,
      owner: null,
      shown,
      get lastTick() {
        return options.tick();
      },
      ageMs: 0,
      teleport: () => this.#teleport(base),
      get viewDistanceM() {
        return ofEntity(base)?.distanceM ?? 0;
      },
      set viewDistanceM(value: number) {
        if (!(Number.isFinite(value) && value >= 0)) {
          throw new ConfigError("viewDistanceM", value, "0 m or more");
        }
        const record = ofEntity(base);
        if (record) record.distanceM = value;
      },
    };
    const row = {
      place,
      layer: "state",
      isWritable: true,
      collections,
      afterWrite: () => {
        assertPresent(definition, changes);
        changes.review();
      },
      onClamp: (clamp: Clamp) => options.onClamp(clamp),
    } as const;
    return defineFields(base, definition, row) as unknown as OwnedEntity;
  }
}

/** Nobody would see a value of a despawned entity, so that the write is a mistake of the game. */
function assertPresent({ name }: EntityDefinition, { isEnded }: FieldChanges): void {
  if (isEnded) throw new ConfigError(name, "a despawned one", "an entity that has not despawned");
}

/** Copies the derived rates from the state into the entity, where the game can read them. */
function keepDerived(layout: MotionLayout, state: Float32Array, into: Float32Array): void {
  const { velocity, acceleration, turnRate, dimensions } = layout;
  for (let axis = 0; axis < dimensions; axis++) {
    if (velocity !== undefined && !layout.isVelocityDeclared) into[velocity + axis] = state[velocity + axis]!;
    if (acceleration !== undefined && !layout.isAccelerationDeclared) {
      into[acceleration + axis] = state[acceleration + axis]!;
    }
  }
  if (turnRate !== undefined) into[turnRate] = state[turnRate]!;
}
