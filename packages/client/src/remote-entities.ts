import {
  ByteReader,
  limits,
  readComponents,
  readStateHead,
  type DropReason,
  type EntityDefinition,
  type Fields,
  type MotionLayout,
  type Spawn,
} from "@paceline/protocol";
import {
  DEFAULT_CONVERGENCE,
  EntityTable,
  RemoteBody,
  TickTimeline,
  defineFields,
  isInterpolated,
  reckoningModelOf,
  vacate,
  type InterpolationDelay,
  type MotionFault,
  type Place,
  type ReadonlyFields,
  type ShownBody,
} from "@paceline/netcode";
import type { Clock } from "@paceline/transport";
import type { Interpolation } from "./interpolation.js";
import { fetchInterpolation, fetchedInterpolation } from "./lazy-interpolation.js";
import type { Peer } from "./peer.js";
import type { ViewPlan } from "./view-plan.js";

/** An entity of a peer. `shown` is what to draw; the fields themselves are its newest state, as it came. */
export type RemoteEntity<F extends Fields = Fields> = ReadonlyFields<F> & {
  readonly id: number;
  readonly isMine: false;
  readonly owner: Peer;
  /** Continued to now and freed of jumps. */
  readonly shown: ReadonlyFields<F>;
  /** The owner's simulation tick of the newest state; ahead of its own count where that began late or anew. */
  readonly lastTick: number;
  /** Estimated age of the newest state, ms. */
  readonly ageMs: number;
};

interface RemoteRecord {
  readonly definition: EntityDefinition;
  readonly place: Place;
  /** Undefined for what holds: such an entity is shown as it came. */
  body: ShownBody | undefined;
  isInterpolated: boolean;
  readonly timeline: TickTimeline;
  readonly entity: RemoteEntity;
  /** Tick of the newest state, unwrapped. */
  tick: number;
  shownAtMs: number;
}

export interface RemoteEntitiesOptions {
  readonly owner: Peer;
  readonly clock: Clock;
  /** The game's definition of that name, if it uses one. */
  definitionNamed(name: string): EntityDefinition | undefined;
  /** How entities are shown, as the plan says it at the moment. */
  readonly view: ViewPlan;
  onSpawn(entity: RemoteEntity): void;
  onDespawn(entity: RemoteEntity): void;
  onMismatch(name: string): void;
  onFault(entity: RemoteEntity, definition: EntityDefinition, fault: MotionFault): void;
}

/** The entities of one peer. What comes in is untrusted: every value is checked against its definition. */
export class RemoteEntities {
  readonly #options: RemoteEntitiesOptions;
  readonly #tables = new Map<EntityDefinition, EntityTable>();
  readonly #records = new Map<number, RemoteRecord>();
  /** Spawned by the peer, but of a kind that the game here has not used yet. */
  readonly #unknown = new Map<number, Spawn>();
  /** Definitions of which the game was told that the peer has another: once is enough. */
  readonly #mismatched = new Set<string>();
  #timeline: TickTimeline | undefined;
  #delay: InterpolationDelay | undefined;
  #scratch = new Float32Array(64);

  constructor(options: RemoteEntitiesOptions) {
    this.#options = options;
  }

  *entities(definition: EntityDefinition): Iterable<RemoteEntity> {
    for (const record of this.#records.values()) if (record.definition === definition) yield record.entity;
  }

  /** How late interpolated entities have to be shown for their states to be there in time, ms; undefined without any. */
  get neededDelayMs(): number | undefined {
    return this.#delay?.delayMs;
  }

  /** The plan has changed: entities that are to be shown in another way go on from their newest state. */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, place, timeline } = record;
      if (isInterpolated(definition, this.#options.view.isInterpolated) === record.isInterpolated) continue;
      this.#giveBody(record);
      const nowSeconds = timeline.secondsAt(this.#options.clock.nowMs());
      record.body?.receive(place.table.stateOf(place.row), timeline.secondsOf(record.tick), nowSeconds);
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#delay = undefined;
  }

  /** A reason where the spawn was refused. */
  spawn(spawn: Spawn): DropReason | undefined {
    this.#timeline ??= new TickTimeline(spawn.tickHz);
    this.#observe(this.#timeline, spawn.tick);
    return this.#take(spawn, this.#timeline);
  }

  #take(spawn: Spawn, timeline: TickTimeline): DropReason | undefined {
    this.despawn(spawn.localId);
    if (this.#records.size + this.#unknown.size >= limits.ownedEntities) return "queue-full";
    const definition = this.#options.definitionNamed(spawn.name);
    if (!definition) {
      // It may stay here for long: no more of it than a state may have.
      if (spawn.state.length > limits.unreliablePacketBytes) return "too-long";
      this.#unknown.set(spawn.localId, spawn);
      return undefined;
    }
    if (definition.schemaHash !== spawn.schemaHash) {
      if (!this.#mismatched.has(spawn.name)) this.#options.onMismatch(spawn.name);
      this.#mismatched.add(spawn.name);
      return "bad-message";
    }
    const news = this.#scratchFor(definition);
    const reader = new ByteReader(spawn.state);
    if (!readComponents(reader, definition, news) || reader.remaining > 0) return "out-of-range";
    const record = this.#add(spawn, definition, timeline);
    this.#correct(record, news, timeline.unwrap(spawn.tick));
    this.#options.onSpawn(record.entity);
    return undefined;
  }

  /** The game began to use a definition: entities that waited for it appear. */
  defined(name: string): void {
    for (const [localId, spawn] of this.#unknown) {
      if (spawn.name !== name) continue;
      this.#unknown.delete(localId);
      // It came some time ago: its arrival says nothing of the owner's ticks now.
      if (this.#timeline) this.#take(spawn, this.#timeline);
    }
  }

  despawn(localId: number): void {
    this.#unknown.delete(localId);
    const record = this.#records.get(localId);
    if (!record) return;
    // Where it was seen last: the game may want to draw something there.
    this.#bringUpToDate(record);
    this.#records.delete(localId);
    this.#options.onDespawn(record.entity);
    vacate(record.place);
  }

  clear(): void {
    for (const localId of [...this.#records.keys()]) this.despawn(localId);
    this.#unknown.clear();
  }

  /** Reads a state message; `drop` is told of everything in it that was dropped. Returns the updates applied. */
  receive(body: Uint8Array, tick: number, drop: (reason: DropReason) => void): number {
    const reader = new ByteReader(body);
    let applied = 0;
    while (reader.ok && reader.remaining > 0) {
      const dropped = this.#update(reader, tick);
      if (dropped) drop(dropped);
      else applied += 1;
    }
    return applied;
  }

  /** Takes the state that comes next in a message; a reason where it is dropped. */
  #update(reader: ByteReader, tick: number): DropReason | undefined {
    const { localId, componentCount } = readStateHead(reader);
    const record = this.#records.get(localId);
    if (!record || record.place.table.width !== componentCount) {
      reader.bytes(componentCount * 4);
      return reader.ok ? "unknown-entity" : "length";
    }
    const news = this.#scratchFor(record.definition);
    if (!readComponents(reader, record.definition, news)) return reader.ok ? "out-of-range" : "length";
    const unwrapped = record.timeline.unwrap(tick);
    if (unwrapped <= record.tick) return "outdated";
    this.#observe(record.timeline, tick);
    return this.#correct(record, news, unwrapped);
  }

  #add({ localId }: Spawn, definition: EntityDefinition, timeline: TickTimeline): RemoteRecord {
    const table = this.#tables.get(definition) ?? new EntityTable(definition);
    this.#tables.set(definition, table);
    const place = { table, row: table.allocate() };
    const entity = this.#newEntity(localId, place);
    const record: RemoteRecord = {
      definition,
      place,
      body: undefined,
      isInterpolated: false,
      timeline,
      entity,
      tick: Number.NEGATIVE_INFINITY,
      shownAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#giveBody(record);
    this.#records.set(localId, record);
    return record;
  }

  #giveBody(record: RemoteRecord): void {
    const { motionLayout: layout, components } = record.definition;
    if (!layout) return;
    const parts = fetchedInterpolation();
    const isWanted = isInterpolated(record.definition, this.#options.view.isInterpolated);
    record.isInterpolated = isWanted && parts !== undefined;
    record.body =
      isWanted && parts
        ? this.#newDelayedBody(parts, layout, components.length)
        : this.#newReckonedBody(layout, record);
    if (isWanted && !parts) fetchInterpolation(() => this.planChanged());
  }

  #newReckonedBody(layout: MotionLayout, { definition, entity }: RemoteRecord): RemoteBody {
    const remotes = this.#options;
    const { view } = remotes;
    const options = {
      layout,
      model: reckoningModelOf(definition),
      convergence: DEFAULT_CONVERGENCE,
      get extrapolationLimitMs() {
        return view.extrapolationLimitMs;
      },
      onFault: (fault: MotionFault) => remotes.onFault(entity, definition, fault),
    };
    return new RemoteBody(options, definition.components.length);
  }

  #newDelayedBody(parts: Interpolation, layout: MotionLayout, width: number): ShownBody {
    const { view } = this.#options;
    this.#delay ??= new parts.InterpolationDelay({
      ...parts.DEFAULT_INTERPOLATION_DELAY,
      startMs: view.interpolationDelayMs,
    });
    const options = {
      layout,
      convergence: DEFAULT_CONVERGENCE,
      get extrapolationLimitMs() {
        return view.extrapolationLimitMs;
      },
      delay: this.#delay,
      lagSeconds: () => view.lagMs / 1000,
      intervalMs: () => view.intervalMs,
    };
    return new parts.DelayedBody(options, width);
  }

  #newEntity(localId: number, place: Place): RemoteEntity {
    const { owner, clock } = this.#options;
    // A later entity may have the same local id.
    const recordOf = () => {
      const record = this.#records.get(localId);
      return record?.place === place ? record : undefined;
    };
    const beforeRead = () => this.#bringUpToDate(recordOf());
    const { definition } = place.table;
    const shown = defineFields({}, definition, { place, layer: "shown", isWritable: false, beforeRead });
    const base = {
      id: owner.number * 0x10000 + localId,
      isMine: false as const,
      owner,
      shown,
      get lastTick() {
        return (recordOf()?.tick ?? 0) >>> 0;
      },
      get ageMs() {
        const record = recordOf();
        if (!record) return 0;
        const { timeline, tick } = record;
        return Math.max(0, timeline.secondsAt(clock.nowMs()) - timeline.secondsOf(tick)) * 1000;
      },
    };
    const row = { place, layer: "state", isWritable: false } as const;
    return defineFields(base, definition, row) as unknown as RemoteEntity;
  }

  #observe(timeline: TickTimeline, tick: number): void {
    timeline.observe(tick, this.#options.clock.nowMs(), this.#options.owner.rttMs ?? 0);
  }

  /** @param tick unwrapped */
  #correct(record: RemoteRecord, news: Float32Array, tick: number): DropReason | undefined {
    const { body, timeline, place } = record;
    const nowSeconds = timeline.secondsAt(this.#options.clock.nowMs());
    // A state from the far future would block all that follow.
    if (body?.receive(news, timeline.secondsOf(tick), nowSeconds)) return "outdated";
    place.table.stateOf(place.row).set(news);
    record.tick = tick;
    record.shownAtMs = Number.NEGATIVE_INFINITY;
    return undefined;
  }

  /** What is shown is computed on the first read of a moment: an entity that nobody looks at costs nothing. */
  #bringUpToDate(record: RemoteRecord | undefined): void {
    const nowMs = this.#options.clock.nowMs();
    if (!record || record.shownAtMs === nowMs) return;
    record.shownAtMs = nowMs;
    const { body, timeline, place } = record;
    const shown = place.table.shownOf(place.row);
    if (body) body.show(timeline.secondsAt(nowMs), shown);
    else shown.set(place.table.stateOf(place.row));
  }

  #scratchFor(definition: EntityDefinition): Float32Array {
    const width = definition.components.length;
    if (width > this.#scratch.length) this.#scratch = new Float32Array(width * 2);
    return this.#scratch.subarray(0, width);
  }
}
