import {
  ByteReader,
  StateChange,
  readRetained,
  restore,
  type DropReason,
  type EntityDefinition,
  type EntityRows,
  type PeerPayload,
  type RetainedPayload,
  type SnapshotListener,
  type StreamStart,
} from "@paceline/protocol";
import {
  EntityTable,
  TickTimeline,
  defineFields,
  deriveVelocity,
  isVelocityDerived,
  vacate,
  type MotionFault,
  type Place,
  type ShownBody,
} from "@paceline/netcode";
import { turnMsOf, type Clock } from "@paceline/transport";
import type { Entity } from "../entities/entity.js";
import { FieldChanges } from "../entities/field-changes.js";
import type { Peer } from "../peers/peer.js";
import { RemoteStreams } from "./remote-streams.js";
import { ShownBodies } from "../entities/shown-bodies.js";
import type { ViewPlan } from "../plan/view-plan.js";

interface RemoteRecord {
  readonly definition: EntityDefinition;
  readonly place: Place;
  /** Undefined for what holds: such an entity is shown as it came. */
  body: ShownBody | undefined;
  isInterpolated: boolean;
  readonly timeline: TickTimeline;
  readonly entity: Entity;
  readonly changes: FieldChanges;
  /** Tick of the newest state, unwrapped; Infinity of an entity that is gone. */
  tick: number;
  /** Whether the game was told of it. */
  isTold: boolean;
  /** Known from what the server had kept alone: the owner has not told of it yet. */
  isRetained: boolean;
  /** Of a turn of the event loop: see {@link Clock.turnMs}. */
  shownAtMs: number;
}

export interface RemoteEntitiesOptions {
  readonly owner: Peer;
  /** Of the owner's session; ids begin with it. */
  readonly sessionNumber: number;
  readonly clock: Clock;
  /** The game's definition of that name, if it uses one. */
  definitionNamed(name: string): EntityDefinition | undefined;
  /** How entities are shown, as the plan says it at the moment. */
  readonly view: ViewPlan;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  onMismatch(name: string): void;
  /** Something to tell the owner about its streams. */
  send(payload: PeerPayload): void;
  onDropped(reason: DropReason): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
}

/** The entities of one peer. What comes in is untrusted: the streams have checked it. */
export class RemoteEntities implements SnapshotListener {
  readonly #options: RemoteEntitiesOptions;
  readonly #tables = new Map<EntityDefinition, EntityTable>();
  readonly #records = new Map<number, RemoteRecord>();
  readonly #streams: RemoteStreams;
  /** Until the owner speaks itself: what the server has kept of it. */
  #retained: RemoteStreams | undefined;
  /** What is being read is that. */
  #isReadingRetained = false;
  #timeline: TickTimeline | undefined;
  readonly #bodies: ShownBodies;
  #scratch = new Float32Array(64);
  /** States taken from the message that is being read. */
  #applied = 0;
  /** The owner is away: the game sees none of its entities until it is back. */
  #isHidden = false;
  /** False while what has waited is read. */
  #isTelling = true;
  /** Whether what is being read came as fast as it could: its arrival says when its tick was. */
  #isTimely = false;

  constructor(options: RemoteEntitiesOptions) {
    this.#options = options;
    this.#bodies = new ShownBodies({ view: options.view, onFetched: () => this.planChanged() });
    this.#streams = new RemoteStreams({
      clock: options.clock,
      definitionNamed: (name) => options.definitionNamed(name),
      onMismatch: (name) => options.onMismatch(name),
      send: (payload) => options.send(payload),
    });
  }

  *entities(definition: EntityDefinition): Iterable<Entity> {
    for (const record of this.#records.values()) {
      if (record.definition === definition && record.isTold) yield record.entity;
    }
  }

  /** How late interpolated entities have to be shown for their states to be there in time, ms; undefined without any. */
  get neededDelayMs(): number | undefined {
    return this.#bodies.neededDelayMs;
  }

  /** The plan has changed: entities that are to be shown in another way go on from their newest state. */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, place, timeline } = record;
      if (this.#bodies.interpolates(definition) === record.isInterpolated) continue;
      this.#giveBody(record);
      const nowSeconds = timeline.secondsAt(this.#options.clock.nowMs());
      record.body?.receive(place.table.stateOf(place.row), timeline.secondsOf(record.tick), nowSeconds);
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#bodies.endDelay();
  }

  /** A reason where the stream was refused. */
  announce(start: StreamStart): DropReason | undefined {
    this.#timeline ??= new TickTimeline(start.tickHz);
    return this.#streams.begin(start);
  }

  /** The game began to use a definition: entities that waited for it appear. */
  defined(name: string): void {
    this.#isTimely = false;
    this.#isTelling = false;
    this.#readRetained((retained) => retained.defined(name, this));
    this.#streams.defined(name, this);
    this.#isTelling = true;
    // Those that have ended by now never were, for the game.
    for (const record of this.#records.values()) this.#tell(record);
  }

  #despawn(localId: number): void {
    const record = this.#records.get(localId);
    if (!record) return;
    // Where it was seen last: the game may want to draw something there.
    this.#bringUpToDate(record);
    this.#records.delete(localId);
    record.tick = Infinity;
    record.changes.end();
    if (record.isTold) this.#options.onDespawn(record.entity);
    vacate(record.place);
  }

  /** For the game they are gone, or there again. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    for (const record of this.#records.values()) {
      if (!isHidden) this.#tell(record);
      else if (record.isTold) {
        this.#bringUpToDate(record);
        record.isTold = false;
        this.#options.onDespawn(record.entity);
      }
    }
  }

  clear(): void {
    for (const localId of [...this.#records.keys()]) this.#despawn(localId);
  }

  /** Reads states that came unreliably; `drop` is told why they were dropped. Returns the updates applied. */
  receive(body: Uint8Array, tick: number, drop: (reason: DropReason) => void): number {
    this.#applied = 0;
    this.#isTimely = true;
    const reader = body.length === 0 ? "length" : this.#streams.startReading(body[0]!);
    const reason =
      typeof reader === "object"
        ? this.#streams.endReading(reader.read(body.subarray(1), tick, this))
        : reader;
    if (reason) drop(reason);
    return this.#applied;
  }

  /** Reads states that came reliably, maybe late. A reason where they were dropped. */
  takeReference(stream: number, states: Uint8Array): DropReason | undefined {
    this.#isTimely = false;
    // Better a late answer than none to when the owner's ticks are.
    const tick = new ByteReader(states).u32();
    if (this.#timeline?.isReady === false) this.#observe(this.#timeline, tick);
    return this.#streams.readReference(stream, states, this);
  }

  /** Reads what the server had kept of the owner; it came to the server `ageMs` ago. A reason where it was dropped. */
  takeRetained(states: Uint8Array, ageMs: number): DropReason | undefined {
    // What the owner has said itself is newer.
    if (this.#retained || !this.#streams.isEmpty) return "outdated";
    const payloads = readRetained(states);
    if (!payloads) return "bad-message";
    // The owner's own streams will ask and complain, where there is a reason to.
    this.#retained = new RemoteStreams({
      clock: this.#options.clock,
      definitionNamed: (name) => this.#options.definitionNamed(name),
      onMismatch: () => undefined,
      send: () => undefined,
    });
    this.#isTimely = false;
    let reason: DropReason | undefined;
    this.#readRetained((retained) => {
      for (const payload of payloads) reason = this.#takeRetained(retained, payload, ageMs) ?? reason;
    });
    return reason;
  }

  /** The owner has told of all entities of a stream: what the server had kept besides is no more. */
  present(stream: number): DropReason | undefined {
    const name = this.#streams.nameOf(stream);
    if (name === undefined) return "unknown-entity";
    this.#retained?.end(name);
    for (const [localId, { definition, isRetained }] of this.#records) {
      if (isRetained && definition.name === name) this.#despawn(localId);
    }
    return undefined;
  }

  #takeRetained(retained: RemoteStreams, payload: RetainedPayload, ageMs: number): DropReason | undefined {
    if (payload.kind === "stream") {
      this.#timeline ??= new TickTimeline(payload.tickHz);
      return retained.begin(payload);
    }
    const tick = new ByteReader(payload.states).u32();
    if (this.#timeline?.isReady === false) this.#observe(this.#timeline, tick, ageMs);
    return retained.readReference(payload.stream, payload.states, this);
  }

  #readRetained(read: (retained: RemoteStreams) => void): void {
    this.#isReadingRetained = true;
    if (this.#retained) read(this.#retained);
    this.#isReadingRetained = false;
  }

  /** @internal A stream has read a state. */
  onState(entity: EntityRows, tick: number, place: number, changes: number): void {
    const { plan, id } = entity;
    const timeline = this.#timeline;
    if (!timeline) return;
    if (this.#isTimely) this.#observe(timeline, tick);
    const known = this.#records.get(id);
    if (known && known.definition !== plan.definition) this.#despawn(id);
    const record = this.#records.get(id) ?? this.#add(id, plan.definition, timeline);
    if (!this.#isReadingRetained) record.isRetained = false;
    const unwrapped = timeline.unwrap(tick);
    // What the server had kept may be newer than what another stream begins with.
    if (unwrapped <= record.tick) return;
    const { table, row } = record.place;
    const before = table.stateOf(row);
    const news = this.#scratchFor(plan.definition);
    // Fields that the owner's build does not know keep what they began with.
    news.set(before);
    restore(plan, entity.rows, place, news);
    const isJump = (changes & StateChange.teleported) !== 0;
    if (isVelocityDerived(plan.definition)) {
      const seconds = isJump ? 0 : timeline.secondsOf(unwrapped) - timeline.secondsOf(record.tick);
      deriveVelocity(plan.definition, before, news, Number.isFinite(seconds) ? seconds : 0);
    }
    const nowSeconds = timeline.secondsAt(this.#options.clock.nowMs());
    // A state from the far future would block all that follow.
    if (record.body?.receive(news, timeline.secondsOf(unwrapped), nowSeconds, isJump))
      return this.#options.onDropped("outdated");
    table.stateOf(row).set(news);
    record.tick = unwrapped;
    record.shownAtMs = Number.NEGATIVE_INFINITY;
    const texts = entity.textsAt(tick);
    table.textsOf(row).splice(0, texts.length, ...texts);
    this.#applied += 1;
    record.changes.review();
    this.#tell(record);
  }

  /** @internal */
  onRemoved(id: number): void {
    this.#despawn(id);
  }

  /** @internal What both sides hold of an entity differs: it is asked for anew. */
  onDesync(id: number): void {
    this.#options.onDropped("desync");
    this.#streams.distrust(id);
  }

  #tell(record: RemoteRecord): void {
    if (record.isTold || this.#isHidden || !this.#isTelling) return;
    record.isTold = true;
    this.#options.onSpawn(record.entity);
  }

  #add(localId: number, definition: EntityDefinition, timeline: TickTimeline): RemoteRecord {
    const table = this.#tables.get(definition) ?? new EntityTable(definition);
    this.#tables.set(definition, table);
    const place = { table, row: table.allocate() };
    const changes: FieldChanges = new FieldChanges(definition, () => record.entity);
    const record: RemoteRecord = {
      definition,
      place,
      body: undefined,
      isInterpolated: false,
      timeline,
      entity: this.#newEntity(localId, place, changes, () => record),
      changes,
      tick: Number.NEGATIVE_INFINITY,
      isTold: false,
      isRetained: true,
      shownAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#giveBody(record);
    this.#records.set(localId, record);
    return record;
  }

  #giveBody(record: RemoteRecord): void {
    const { definition, entity } = record;
    const { body, isInterpolated } = this.#bodies.show(definition, (fault) =>
      this.#options.onFault(entity, definition, fault),
    );
    record.body = body;
    record.isInterpolated = isInterpolated;
  }

  #newEntity(localId: number, place: Place, changes: FieldChanges, record: () => RemoteRecord): Entity {
    const { owner, clock, sessionNumber } = this.#options;
    const { definition } = place.table;
    const beforeRead = () => this.#bringUpToDate(record());
    const shown = defineFields({}, definition, { place, layer: "shown", isWritable: false, beforeRead });
    const base = {
      id: sessionNumber * 0x10000 + localId,
      kind: definition,
      onChange: changes.on.bind(changes),
      isMine: false as const,
      owner,
      shown,
      get lastTick() {
        return record().tick >>> 0;
      },
      get ageMs() {
        const { timeline, tick } = record();
        return Math.max(0, timeline.secondsAt(turnMsOf(clock)) - timeline.secondsOf(tick)) * 1000;
      },
    };
    const row = { place, layer: "state", isWritable: false } as const;
    return defineFields(base, definition, row) as unknown as Entity;
  }

  #observe(timeline: TickTimeline, tick: number, ageMs = 0): void {
    timeline.observe(tick, this.#options.clock.nowMs() - ageMs, this.#options.owner.rttMs ?? 0);
  }

  /** What is shown is computed on the first read of a moment: an entity that nobody looks at costs nothing. */
  #bringUpToDate(record: RemoteRecord): void {
    const nowMs = turnMsOf(this.#options.clock);
    if (record.shownAtMs === nowMs || record.tick === Infinity) return;
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
