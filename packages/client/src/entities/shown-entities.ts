import {
  StateChange,
  OWNER_COLUMN,
  type DropReason,
  type EntityDefinition,
  type EntityRows,
  type SnapshotListener,
} from "@paceline/protocol";
import {
  ReceivedReplica,
  ReplicaStore,
  TickTimeline,
  defineFields,
  kinematicsOf,
  type Kinematics,
  type MotionFault,
  type Place,
  type ShownBody,
} from "@paceline/netcode";
import { turnMsOf, type Clock } from "@paceline/transport";
import type { Entity } from "./entity.js";
import { FieldChanges } from "./field-changes.js";
import { ShownBodies } from "./shown-bodies.js";
import type { Peer } from "../peers/peer.js";
import type { ViewPlan } from "../plan/view-plan.js";

/** One entity that somebody else simulates, by the id that its source gave it, and how it is shown. */
export class ShownReplica extends ReceivedReplica<Entity> {
  readonly changes: FieldChanges;
  /** Undefined where the source sends the rates of a motion, or there are none. */
  readonly kinematics: Kinematics | undefined;
  /** Undefined for what holds: such an entity is shown as it came. */
  body: ShownBody | undefined = undefined;
  isInterpolated = false;
  /** Whether the game knows of it. */
  isTold = false;
  /** Turn of the event loop in which it was shown: see {@link Clock.turnMs}. */
  shownAtMs = Number.NEGATIVE_INFINITY;
  /** Draws instead of `body`, where the game predicts this entity. */
  predicted: ((nowMs: number, into: Float32Array) => void) | undefined = undefined;
  /** Hears every newer state. */
  onState: ((state: Float32Array, isJump: boolean) => void) | undefined = undefined;

  constructor(
    id: number,
    place: Place,
    { entity, changes, kinematics }: Pick<ShownReplica, "entity" | "changes" | "kinematics">,
  ) {
    super(id, place, entity);
    this.changes = changes;
    this.kinematics = kinematics;
  }
}

export interface ShownEntitiesOptions {
  readonly clock: Clock;
  /** The view settings of the present plan. */
  readonly view: ViewPlan;
  /** Whether states bring the rates by which motion models continue them; if not, they are derived here. */
  readonly hasRates: boolean;
  /** Round trip to the source, ms. */
  rttMs(): number;
  /** The room-wide id of an entity. */
  idOf(id: number): number;
  /** The participant that an owner's number stands for; null: this one. */
  ownerOf(owner: number): Peer | null;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  /** Whether that entity of this participant is one that it simulates itself: it knows better where it is. */
  isOwn(id: number, owner: number, definition: EntityDefinition): boolean;
  /** The two sides hold different states of an entity. */
  onDesync(id: number): void;
  onDropped(reason: DropReason): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
}

/**
 * Shows the entities of one source of states (a peer, or the authority of a room): takes the states that readers have
 * read and checked, tells the game what comes and goes, and computes what to draw.
 */
export class ShownEntities implements SnapshotListener {
  /** States that were taken so far. */
  taken = 0;
  readonly #options: ShownEntitiesOptions;
  readonly #bodies: ShownBodies;
  readonly #records = new ReplicaStore<ShownReplica>();
  #timeline: TickTimeline | undefined;
  #tickSeconds = 0;
  /** The source is away: the game sees none of its entities. */
  #isHidden = false;
  /** True while many states are read of which only the last ones count. */
  #isQuiet = false;
  /** The newest turn of the event loop in which the source's time was asked for, and that time. */
  #turnMs = Number.NEGATIVE_INFINITY;
  #turnSeconds = 0;

  constructor(options: ShownEntitiesOptions) {
    this.#options = options;
    this.#bodies = new ShownBodies({ view: options.view, onFetched: () => this.planChanged() });
  }

  /** The source says how many ticks a second it has; what it says again changes nothing. */
  begin(tickHz: number): void {
    this.#timeline ??= new TickTimeline(tickHz);
    this.#tickSeconds ||= 1 / tickHz;
  }

  /** Whether it is known when the source's ticks are. */
  get isTimed(): boolean {
    return this.#timeline?.isReady === true;
  }

  /** Something of that tick has come, at that moment. */
  observe(tick: number, cameAtMs: number): void {
    this.#timeline?.observe(tick, cameAtMs, this.#options.rttMs());
    this.#turnMs = Number.NEGATIVE_INFINITY;
  }

  /** The source's time, s since its tick 0; 0 before it is known. */
  secondsAt(nowMs: number): number {
    return this.#timeline?.secondsAt(nowMs) ?? 0;
  }

  /** Time since the source's tick, ms, by the time at which its entities are shown. */
  ageMsOf(tick: number): number {
    const timeline = this.#timeline;
    return timeline ? (this.#nowSeconds() - timeline.secondsOf(timeline.unwrap(tick))) * 1000 : 0;
  }

  record(id: number): ShownReplica | undefined {
    return this.#records.get(id);
  }

  /** Entities of a kind that the game knows of. */
  *ofKind(definition: EntityDefinition): Iterable<Entity> {
    for (const { isTold, entity } of this.#records.ofKind(definition)) {
      if (isTold) yield entity;
    }
  }

  /** The interpolation delay that makes states arrive in time, ms; undefined without interpolated entities. */
  get neededDelayMs(): number | undefined {
    return this.#bodies.neededDelayMs;
  }

  /** The plan has changed: entities that are to be shown in another way go on from their newest state. */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, row, tick } = record;
      if (this.#bodies.interpolates(definition) === record.isInterpolated) continue;
      this.#giveBody(record);
      record.body?.receive(row, this.#timeline!.secondsOf(tick), this.#nowSeconds());
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#bodies.endDelay();
  }

  /** A reader has read a state. It is dropped where there is a newer one, or where it cannot be. */
  onState(entity: EntityRows, tick: number, place: number, changes: number): void {
    const timeline = this.#timeline;
    const { plan, id } = entity;
    const owner = entity.rows[place + OWNER_COLUMN]!;
    if (!timeline || this.#options.isOwn(id, owner, plan.definition)) return;
    let record = this.#records.get(id);
    if (record?.definition !== plan.definition) {
      this.onRemoved(id);
      record = this.#add(id, plan.definition);
    }
    const unwrapped = timeline.unwrap(tick);
    if (!record.isNews(unwrapped)) return;
    const isJump = (changes & StateChange.teleported) !== 0;
    const sinceSeconds = isJump ? 0 : (unwrapped - record.tick) * this.#tickSeconds;
    const news = record.read(entity, place, this.#options.hasRates ? sinceSeconds : undefined);
    if (isJump) record.kinematics?.restart();
    record.kinematics?.derive(news, unwrapped, this.#tickSeconds);
    const seconds = timeline.secondsOf(unwrapped);
    // A state from the far future would block all that follow.
    if (record.body?.receive(news, seconds, this.#nowSeconds() || seconds, isJump))
      return this.#options.onDropped("outdated");
    record.take(news, unwrapped, owner);
    record.shownAtMs = Number.NEGATIVE_INFINITY;
    record.setTexts(entity.textsAt(tick), plan.textOf);
    this.taken += 1;
    record.onState?.(record.row, isJump);
    record.changes.review();
    this.#tell(record);
  }

  onDesync(id: number): void {
    this.#options.onDesync(id);
  }

  /** An entity is no more. */
  onRemoved(id: number): void {
    const record = this.#records.get(id);
    if (!record) return;
    // The last shown place: the game may draw something there.
    this.#bringUpToDate(record);
    this.#records.remove(record);
    record.changes.end();
    if (record.isTold) this.#options.onDespawn(record.entity);
  }

  clear(): void {
    for (const { id } of [...this.#records.values()]) this.onRemoved(id);
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

  /** Tells the game afterwards what is there: entities that have ended by then never were, for the game. */
  quietly(read: () => void): void {
    this.#isQuiet = true;
    read();
    this.#isQuiet = false;
    for (const record of this.#records.values()) this.#tell(record);
  }

  #tell(record: ShownReplica): void {
    if (record.isTold || this.#isHidden || this.#isQuiet) return;
    record.isTold = true;
    this.#options.onSpawn(record.entity);
  }

  #add(id: number, definition: EntityDefinition): ShownReplica {
    const record: ShownReplica = this.#records.add(definition, (place) => {
      const changes: FieldChanges = new FieldChanges(definition, () => entity);
      const entity = this.#newEntity(id, place, changes, () => record);
      const kinematics = this.#options.hasRates ? undefined : kinematicsOf(definition);
      return new ShownReplica(id, place, { entity, changes, kinematics });
    });
    this.#giveBody(record);
    return record;
  }

  #giveBody(record: ShownReplica): void {
    const { definition, entity } = record;
    const { body, isInterpolated } = this.#bodies.show(definition, (fault) =>
      this.#options.onFault(entity, definition, fault),
    );
    record.body = body;
    record.isInterpolated = isInterpolated;
  }

  #newEntity(id: number, place: Place, changes: FieldChanges, record: () => ShownReplica): Entity {
    const options = this.#options;
    const ageMsOf = (tick: number): number => this.ageMsOf(tick);
    const { definition } = place.table;
    const beforeRead = () => this.#bringUpToDate(record());
    const shown = defineFields({}, definition, { place, layer: "shown", isWritable: false, beforeRead });
    const base = {
      id: options.idOf(id),
      kind: definition,
      onChange: changes.on.bind(changes),
      shown,
      get isMine() {
        return options.ownerOf(record().owner) === null;
      },
      get owner() {
        return options.ownerOf(record().owner);
      },
      get lastTick() {
        return record().tick >>> 0;
      },
      get ageMs() {
        return Math.max(0, ageMsOf(record().tick));
      },
    };
    const row = { place, layer: "state", isWritable: false } as const;
    return defineFields(base, definition, row) as unknown as Entity;
  }

  /** The shown pose is computed at the first read in a frame: an entity that the game does not read costs nothing. */
  #bringUpToDate(record: ShownReplica): void {
    const nowMs = turnMsOf(this.#options.clock);
    if (record.shownAtMs === nowMs || !this.#records.holds(record)) return;
    record.shownAtMs = nowMs;
    const { body, place, predicted } = record;
    const shown = place.table.shownOf(place.row);
    if (predicted) predicted(nowMs, shown);
    else if (body) body.show(this.#nowSeconds(), shown);
    else shown.set(record.row);
  }

  /** The source's time now, asked for once a turn. */
  #nowSeconds(): number {
    const nowMs = turnMsOf(this.#options.clock);
    if (this.#turnMs !== nowMs) {
      this.#turnMs = nowMs;
      this.#turnSeconds = this.secondsAt(nowMs);
    }
    return this.#turnSeconds;
  }
}
