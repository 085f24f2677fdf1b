import {
  HISTORY_TICKS,
  SnapshotReader,
  StateChange,
  OWNER_COLUMN,
  planState,
  restore,
  type AuthorityInfo,
  type DropReason,
  type EntityDefinition,
  type EntityRows,
  type KindInfo,
  type SnapshotListener,
  type StatePlan,
} from "@paceline/protocol";
import {
  EntityTable,
  TickTimeline,
  defineFields,
  kinematicsOf,
  vacate,
  type Kinematics,
  type MotionFault,
  type Place,
  type ShownBody,
} from "@paceline/netcode";
import { turnMsOf, type Clock } from "@paceline/transport";
import type { Entity } from "../entities/entity.js";
import { FieldChanges } from "../entities/field-changes.js";
import type { Peer } from "../peers/peer.js";
import { ShownBodies } from "../entities/shown-bodies.js";
import type { ViewPlan } from "../plan/view-plan.js";

/** One entity, and how it is shown. */
export interface HostedRecord {
  readonly id: number;
  readonly definition: EntityDefinition;
  readonly place: Place;
  readonly entity: Entity;
  readonly changes: FieldChanges;
  body: ShownBody | undefined;
  isInterpolated: boolean;
  readonly kinematics: Kinematics | undefined;
  owner: number;
  tick: number;
  /** Of a turn of the event loop: see {@link Clock.turnMs}. */
  shownAtMs: number;
  /** Of an entity that is gone, what was known last can be read. */
  isGone: boolean;
  /** Draws instead of `body`, where the game predicts this entity. */
  predicted: ((nowMs: number, into: Float32Array) => void) | undefined;
  /** Told of every newer state. */
  onState: ((state: Float32Array, isJump: boolean) => void) | undefined;
}

export interface HostedEntitiesOptions {
  readonly info: AuthorityInfo;
  readonly clock: Clock;
  rttMs(): number;
  myNumber(): number;
  /** The participant of that number, or the server. */
  peer(number: number): Peer;
  /** How entities are shown, as the plan says it at the moment. */
  readonly view: ViewPlan;
  /** Whether that entity of this participant is one that it simulates itself. */
  isOwn(id: number, definition: EntityDefinition): boolean;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  onDesync(id: number): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
}

const MOST_ENTITIES = 0x10000;

/** The entities of a room as its authority tells them. Every value has been checked against its definition. */
export class HostedEntities {
  readonly timeline: TickTimeline;
  readonly #options: HostedEntitiesOptions;
  readonly #bodies: ShownBodies;
  readonly #definitions = new Map<string, EntityDefinition>();
  readonly #tables = new Map<EntityDefinition, EntityTable>();
  readonly #records = new Map<number, HostedRecord>();
  readonly #kinds = new Map<EntityDefinition, Map<number, Entity>>();
  readonly #listener: SnapshotListener;
  /** The authority's time when the states that are being read came. */
  #cameSeconds = 0;
  /** Of the newest read: its turn of the event loop, and the authority's time then. */
  #turnMs = Number.NEGATIVE_INFINITY;
  #turnSeconds = 0;
  #reader: SnapshotReader;
  #plans: (StatePlan | undefined)[];

  constructor(options: HostedEntitiesOptions) {
    this.#options = options;
    this.#bodies = new ShownBodies({ view: options.view, onFetched: () => this.planChanged() });
    this.timeline = new TickTimeline(options.info.tickHz);
    this.#plans = options.info.kinds.map(() => undefined);
    this.#listener = {
      onState: (entity, tick, place, changes) => this.#state(entity, tick, place, changes),
      onRemoved: (id) => this.remove(id),
      onDesync: (id) => {
        this.#reader.forget(id);
        options.onDesync(id);
      },
    };
    this.#reader = this.#newReader();
  }

  /** Kinds that the game uses and the authority has, as both describe them. */
  get kinds(): KindInfo[] {
    return this.#plans.flatMap((plan) =>
      plan ? [{ name: plan.definition.name, stateHash: plan.definition.stateHash }] : [],
    );
  }

  /**
   * The game uses a kind; false where it did before, a name where the authority has it otherwise or not at all. What is
   * known of states begins anew, as the authority will.
   */
  use(definition: EntityDefinition): boolean | string {
    if (this.#definitions.has(definition.name)) return false;
    this.#definitions.set(definition.name, definition);
    const { kinds, tickHz } = this.#options.info;
    const kind = kinds.findIndex(({ name }) => name === definition.name);
    if (kinds[kind]?.stateHash !== definition.stateHash) return definition.name;
    this.#plans[kind] = planState(definition, { tickHz });
    this.#reader = this.#newReader();
    return true;
  }

  ofKind(definition: EntityDefinition): Iterable<Entity> {
    return this.#kinds.get(definition)?.values() ?? [];
  }

  record(id: number): HostedRecord | undefined {
    return this.#records.get(id);
  }

  /** Reads the states of a tick; a reason where they were dropped. */
  receive(body: Uint8Array, tick: number, cameAtMs = this.#options.clock.nowMs()): DropReason | undefined {
    this.#cameSeconds = this.timeline.secondsAt(this.#options.clock.nowMs());
    const reason = this.#reader.read(body, tick, this.#listener);
    if (reason !== undefined) return reason;
    this.timeline.observe(tick, cameAtMs, this.#options.rttMs());
    this.#turnMs = Number.NEGATIVE_INFINITY;
    return undefined;
  }

  remove(id: number): void {
    const record = this.#records.get(id);
    if (!record) return;
    // Where it was seen last: the game may want to draw something there.
    this.#bringUpToDate(record);
    this.#records.delete(id);
    this.#kinds.get(record.definition)?.delete(id);
    record.isGone = true;
    record.changes.end();
    this.#options.onDespawn(record.entity);
    vacate(record.place);
  }

  /** The authority's tick at which entities are shown at a time; it may lie between two. */
  shownTick(nowMs: number): number {
    const { view, info } = this.#options;
    const lagSeconds = this.neededDelayMs === undefined ? 0 : view.lagMs / 1000;
    return (this.timeline.secondsAt(nowMs) - lagSeconds) * info.tickHz;
  }

  /** How late interpolated entities have to be shown for their states to be there in time, ms; undefined without any. */
  get neededDelayMs(): number | undefined {
    return this.#bodies.neededDelayMs;
  }

  /** The plan has changed: entities that are to be shown in another way go on from their newest state. */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, place, tick } = record;
      if (this.#bodies.interpolates(definition) === record.isInterpolated) continue;
      this.#giveBody(record);
      const nowSeconds = this.timeline.secondsAt(this.#options.clock.nowMs());
      record.body?.receive(place.table.stateOf(place.row), this.timeline.secondsOf(tick), nowSeconds);
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#bodies.endDelay();
  }

  clear(): void {
    for (const id of [...this.#records.keys()]) this.remove(id);
  }

  #newReader(): SnapshotReader {
    const { info } = this.#options;
    // A kind that the game does not use yet has a place all the same; nothing of it is sent.
    const plans = this.#plans as readonly StatePlan[];
    const first = plans.find((plan) => plan !== undefined);
    const filled = first ? info.kinds.map((_, kind) => plans[kind] ?? first) : [];
    return new SnapshotReader({ plans: filled, historyTicks: HISTORY_TICKS, maxEntities: MOST_ENTITIES });
  }

  #state(entity: EntityRows, tick: number, place: number, changes: number): void {
    const { definition } = entity.plan;
    const owner = entity.rows[place + OWNER_COLUMN]!;
    const options = this.#options;
    if (owner === options.myNumber() && options.isOwn(entity.id, definition)) return;
    const known = this.#records.get(entity.id);
    if (known && known.definition !== definition) this.remove(entity.id);
    const old = this.#records.get(entity.id);
    const record = old ?? this.#add(entity.id, definition);
    record.owner = owner;
    const row = record.place.table.stateOf(record.place.row);
    restore(entity.plan, entity.rows, place, row);
    const texts = entity.textsAt(tick);
    record.place.table.textsOf(record.place.row).splice(0, texts.length, ...texts);
    const unwrapped = this.timeline.unwrap(tick);
    const isJump = (changes & StateChange.teleported) !== 0;
    if (isJump) record.kinematics?.restart();
    record.kinematics?.derive(row, unwrapped, 1 / this.#options.info.tickHz);
    record.tick = unwrapped;
    record.shownAtMs = Number.NEGATIVE_INFINITY;
    if (record.body) {
      const seconds = this.timeline.secondsOf(unwrapped);
      record.body.receive(row, seconds, this.#cameSeconds || seconds, isJump);
    }
    record.onState?.(row, isJump);
    record.changes.review();
    if (!old) this.#options.onSpawn(record.entity);
  }

  #add(id: number, definition: EntityDefinition): HostedRecord {
    const table = this.#tables.get(definition) ?? new EntityTable(definition);
    this.#tables.set(definition, table);
    const place = { table, row: table.allocate() };
    const changes: FieldChanges = new FieldChanges(definition, () => record.entity);
    const record: HostedRecord = {
      id,
      definition,
      place,
      entity: this.#newEntity(id, place, () => record),
      changes,
      body: undefined,
      isInterpolated: false,
      kinematics: kinematicsOf(definition),
      owner: 0,
      tick: 0,
      shownAtMs: Number.NEGATIVE_INFINITY,
      isGone: false,
      predicted: undefined,
      onState: undefined,
    };
    this.#giveBody(record);
    this.#records.set(id, record);
    const ofKind = this.#kinds.get(definition) ?? new Map<number, Entity>();
    this.#kinds.set(definition, ofKind.set(id, record.entity));
    return record;
  }

  #giveBody(record: HostedRecord): void {
    const { definition, entity } = record;
    const { body, isInterpolated } = this.#bodies.show(definition, (fault) =>
      this.#options.onFault(entity, definition, fault),
    );
    record.body = body;
    record.isInterpolated = isInterpolated;
  }

  #newEntity(id: number, place: Place, record: () => HostedRecord): Entity {
    const options = this.#options;
    const { clock } = options;
    const { timeline } = this;
    const { definition } = place.table;
    const shown = defineFields({}, definition, {
      place,
      layer: "shown",
      isWritable: false,
      beforeRead: () => this.#bringUpToDate(record()),
    });
    const base = {
      id,
      kind: definition,
      onChange: (name: string, listener: (value: unknown, previous: unknown) => void) =>
        record().changes.on(name, listener),
      shown,
      get isMine() {
        return record().owner === options.myNumber();
      },
      get owner() {
        const { owner } = record();
        return owner === options.myNumber() ? null : options.peer(owner);
      },
      get lastTick() {
        return record().tick >>> 0;
      },
      get ageMs() {
        return Math.max(0, timeline.secondsAt(turnMsOf(clock)) - timeline.secondsOf(record().tick)) * 1000;
      },
    };
    return defineFields(base, definition, { place, layer: "state", isWritable: false }) as unknown as Entity;
  }

  /** What is shown is computed on the first read of a moment: an entity that nobody looks at costs nothing. */
  #bringUpToDate(record: HostedRecord): void {
    const nowMs = turnMsOf(this.#options.clock);
    if (record.shownAtMs === nowMs || record.isGone) return;
    record.shownAtMs = nowMs;
    if (this.#turnMs !== nowMs) {
      this.#turnMs = nowMs;
      this.#turnSeconds = this.timeline.secondsAt(nowMs);
    }
    const { body, place, predicted } = record;
    const shown = place.table.shownOf(place.row);
    if (!predicted && !body) shown.set(place.table.stateOf(place.row));
    else if (predicted) predicted(nowMs, shown);
    else body?.show(this.#turnSeconds, shown);
  }
}
