import {
  StateChange,
  OWNER_COLUMN,
  type DespawnReason,
  type EntityDefinition,
  type EntityRows,
  type SnapshotListener,
} from "@paceline/protocol";
import {
  FUTURE_SECONDS,
  ReplicaStore,
  TickTimeline,
  clampToRanges,
  defineFields,
  newFields,
  type MotionFault,
  type Place,
} from "@paceline/netcode";
import { turnMsOf, type Clock, type DropCounters } from "@paceline/transport";
import type { Entity } from "./entity.js";
import type { EntityEvents } from "./entity-events.js";
import { FieldChanges } from "./field-changes.js";
import { motionCode } from "./motion.js";
import type { Unsubscribe } from "../listeners.js";
import { ShownBodies } from "./shown-bodies.js";
import type { Peer } from "../peers/peer.js";
import type { RemoteLists } from "./remote-lists.js";
import type { ViewPolicy } from "../policy/view-policy.js";
import { ShownReplica } from "./shown-replica.js";

/** Parts of a room that all its sources of states share. */
export interface ShownParts {
  readonly scheduler: Clock;
  readonly view: ViewPolicy;
  readonly drops: DropCounters;
  readonly listeners: {
    readonly entities: EntityEvents;
    faulted(name: string, id: number, fault: MotionFault): void;
  };
}

export interface Source {
  /** True if states contain the rates that motion models need. If not, the rates are derived here. */
  readonly hasRates: boolean;
  /** Limit of its entities. Its streams may begin again, each with other ids. */
  readonly maxEntities: number;
  rttMs(): number;
  /** Returns an estimate of the clock that its pongs show, minus the local one, ms; undefined without pongs. */
  offsetMs?(): number | undefined;
  idOf(id: number): number;
  /** Returns the participant with an owner's number; null for this participant. */
  ownerOf(owner: number): Peer | null;
  /** Called before the game hears of a spawn, and of a despawn. */
  onSpawn?(id: number): void;
  onDespawn?(id: number): void;
  /** Called after the entity has got another owner. Its shown row still has the pose of before. */
  onOwner?(record: ShownReplica, isJump: boolean): void;
  /**
   * True if this participant simulates the entity itself, and so has a better state than the received one.
   */
  /** The lists and maps of its entities. */
  readonly lists?: RemoteLists;
  isOwn(id: number, owner: number, definition: EntityDefinition): boolean;
  onDesync(id: number): void;
}

/**
 * The game's object of an entity, without its fields. A class, because engines make a hash table of an object
 * literal with getters: each read of a field would search it.
 */
class SeenEntity {
  readonly id: number;
  readonly kind: EntityDefinition;
  readonly shown: object;
  readonly #record: () => ShownReplica;
  readonly #entities: ShownEntities;

  constructor(
    id: number,
    kind: EntityDefinition,
    shown: object,
    record: () => ShownReplica,
    entities: ShownEntities,
  ) {
    this.id = id;
    this.kind = kind;
    this.shown = shown;
    this.#record = record;
    this.#entities = entities;
  }

  get isMine(): boolean {
    return this.owner === null;
  }

  get owner(): Peer | null {
    return this.#entities.ownerOf(this.#record());
  }

  get lastTick(): number {
    return this.#record().tick >>> 0;
  }

  get ageMs(): number {
    return Math.max(0, this.#entities.ageMsOf(this.#record().tick));
  }

  onChange(name: string, listener: (...change: never[]) => void): Unsubscribe {
    const record = this.#record();
    return (record.changes ??= new FieldChanges(this.kind, () => record.entity)).on(name, listener);
  }
}

/** A class for each kind, for the reason for which vectors have their own prototypes. */
const seenClasses = new WeakMap<EntityDefinition, typeof SeenEntity>();

/**
 * Shows the entities of one source of states: a peer, or the authority of a room. Takes the decoded and
 * checked states, reports spawns and despawns to the game, and computes the values to draw.
 */
export class ShownEntities implements SnapshotListener {
  acceptedStates = 0;
  readonly #parts: ShownParts;
  readonly #source: Source;
  readonly #bodies: ShownBodies;
  readonly #records = new ReplicaStore<ShownReplica>();
  /** Lists by kind, kept until they change: games go through them at each frame. */
  readonly #spawned = new Map<EntityDefinition, Entity[]>();
  #timeline: TickTimeline | undefined;
  /** True while the source is away: the game sees none of its entities. */
  #isHidden = false;
  /** True while {@link batch} runs: the game hears of no spawn meanwhile. */
  #isBatching = false;
  /** The last turn of the event loop in which the source's time was computed, and that time. */
  #turnMs = -Infinity;
  #turnSeconds = 0;
  #cameAtSeconds: number | undefined;

  constructor(parts: ShownParts, source: Source) {
    this.#parts = parts;
    this.#source = source;
    this.#bodies = new ShownBodies(parts.view, () => this.planChanged());
  }

  /** Sets the source's tick rate. Later calls have no effect. */
  begin(tickHz: number): void {
    this.#timeline ??= new TickTimeline(tickHz);
  }

  /** True if the source's ticks can be converted to times. */
  get canDateTicks(): boolean {
    return this.#timeline?.isReady === true;
  }

  /** Sets the time of arrival, ms, of the states that are read until the call with undefined. Default: now. */
  cameAt(nowMs: number | undefined): void {
    this.#cameAtSeconds = nowMs === undefined ? undefined : this.secondsAt(nowMs);
  }

  /** Takes a state that may be late: see {@link TickTimeline.guess}. */
  guess(tick: number, nowMs: number, ageMs: number): void {
    this.#timeline?.guess(tick, nowMs, ageMs, this.#source.rttMs(), this.#source.offsetMs?.());
    this.#turnMs = -Infinity;
  }

  observe(tick: number, cameAtMs: number): void {
    this.#timeline?.observe(tick, cameAtMs, this.#source.rttMs(), this.#source.offsetMs?.());
    this.#turnMs = -Infinity;
  }

  /** Takes a pong of the source: see {@link TickTimeline.answered}. */
  answered(remoteMs: number): void {
    this.#timeline?.answered(remoteMs);
  }

  /** Returns the source's time, s since its tick 0; 0 before it is known. */
  secondsAt(nowMs: number): number {
    return this.#timeline?.secondsAt(nowMs) ?? 0;
  }

  /** Returns the source's time that its entities show, s since its tick 0. */
  shownSeconds(nowMs: number): number {
    const seconds = this.secondsAt(nowMs);
    return this.#bodies.delay ? this.#bodies.renderSeconds(seconds) : seconds;
  }

  ownerOf({ owner }: ShownReplica): Peer | null {
    return this.#source.ownerOf(owner);
  }

  /** Returns the age of a tick, ms, relative to the source's time now. */
  ageMsOf(tick: number): number {
    const timeline = this.#timeline;
    return timeline ? (this.#nowSeconds() - timeline.secondsOf(timeline.unwrap(tick))) * 1000 : 0;
  }

  record(id: number): ShownReplica | undefined {
    const record = this.#records.get(id);
    record?.take();
    return record;
  }

  /** Returns the entities of a kind that the game knows. A spawn or a despawn makes another list. */
  ofKind(definition: EntityDefinition): readonly Entity[] {
    let spawned = this.#spawned.get(definition);
    if (!spawned) {
      spawned = [];
      for (const { isSpawned, entity } of this.#records.ofKind(definition))
        if (isSpawned) spawned.push(entity);
      this.#spawned.set(definition, spawned);
    }
    return spawned;
  }

  /** Interpolation delay with which states arrive in time, ms; undefined without interpolated entities. */
  get neededDelayMs(): number | undefined {
    return this.#bodies.delay?.delayMs;
  }

  /**
   * Applies a changed plan, or code that was loaded. An entity that is now shown in another way continues from
   * its newest state.
   */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, row, tick } = record;
      const isWaiting = definition.motionLayout !== undefined && !record.body;
      if (!isWaiting && this.#bodies.interpolates(definition) === record.isInterpolated) continue;
      record.take();
      this.#assignBody(record);
      record.body?.receive(row, this.#timeline!.secondsOf(tick), this.#nowSeconds());
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#bodies.delay = undefined;
  }

  /** Takes a decoded state. Drops it if a newer one is known, or if its tick is impossible. */
  onState(entity: EntityRows, tick: number, place: number, changes: number): void {
    const timeline = this.#timeline;
    const { plan, id } = entity;
    const owner = entity.rows[place + OWNER_COLUMN]!;
    if (!timeline || this.#source.isOwn(id, owner, plan.definition)) return;
    const record = this.#recordOf(id, plan.definition);
    if (!record) return this.#parts.drops.count("queue-full");
    const unwrapped = timeline.unwrap(tick);
    if (!record.isNewer(unwrapped)) return;
    const isJump = (changes & StateChange.teleported) !== 0;
    const seconds = timeline.secondsOf(unwrapped);
    const nowSeconds = this.#cameAt(seconds);
    // A state from the far future would block all that follow.
    if (record.body && seconds > nowSeconds + FUTURE_SECONDS) return this.#parts.drops.count("outdated");
    const isGiven = record.isSpawned && record.owner !== owner;
    if (isGiven) this.#updateShown(record);
    record.add(entity, unwrapped, nowSeconds, isJump);
    record.owner = owner;
    this.acceptedStates += 1;
    if (isGiven) this.#given(record, isJump);
    // Interpolated entities share a delay, which depends on every arrival.
    if (record.isInterpolated || record.onState) record.take();
    record.onState?.(record.row, isJump);
    record.changes?.review();
    this.#spawnIfNew(record);
  }

  /** Returns the time of arrival in seconds of the source. Returns `seconds` if that is unknown. */
  #cameAt(seconds: number): number {
    return (this.#cameAtSeconds ?? this.#nowSeconds()) || seconds;
  }

  /** Returns the record of an entity. Returns undefined for a new one beyond the limit. */
  #recordOf(id: number, definition: EntityDefinition): ShownReplica | undefined {
    const known = this.#records.get(id);
    if (known?.definition === definition) return known;
    this.#remove(id, "removed");
    return this.#records.size < this.#source.maxEntities ? this.#add(id, definition) : undefined;
  }

  #given(record: ShownReplica, isJump: boolean): void {
    record.take();
    this.#source.onOwner?.(record, isJump);
    // Now, since a blend begins at the first pose of the new source.
    this.#updateShown(record);
    this.#parts.listeners.entities.gifts.emit(record.entity);
  }

  onReplaced(id: number): void {
    this.#records.get(id)?.take();
  }

  onDesync(id: number): void {
    // Takes the state now, because `onDesync` makes the reader drop the rows.
    this.onReplaced(id);
    this.#source.onDesync(id);
  }

  onRemoved(id: number, _tick: number, why: DespawnReason): void {
    this.#remove(id, why);
  }

  #remove(id: number, why: DespawnReason): void {
    const record = this.#records.get(id);
    if (!record) return;
    // The game may draw something at the last shown place.
    this.#updateShown(record);
    this.#records.remove(record);
    this.#source.lists?.detach(id);
    record.changes?.end();
    if (record.isSpawned) this.#despawned(record, why);
  }

  clear(): void {
    for (const { id } of [...this.#records.values()]) this.#remove(id, "removed");
  }

  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    for (const record of this.#records.values()) {
      if (!isHidden) this.#spawnIfNew(record);
      else if (record.isSpawned) {
        this.#updateShown(record);
        record.isSpawned = false;
        this.#despawned(record, "removed");
      }
    }
  }

  /**
   * Runs `read`, then reports the entities that exist. The game never sees those that `read` added and
   * removed.
   */
  batch(read: () => void): void {
    this.#isBatching = true;
    read();
    this.#isBatching = false;
    for (const record of this.#records.values()) this.#spawnIfNew(record);
  }

  #spawnIfNew(record: ShownReplica): void {
    if (record.isSpawned || this.#isHidden || this.#isBatching) return;
    record.isSpawned = true;
    this.#spawned.delete(record.definition);
    this.#source.onSpawn?.(record.id);
    this.#parts.listeners.entities.spawned(record.entity);
  }

  #despawned({ id, entity, definition }: ShownReplica, why: DespawnReason): void {
    this.#spawned.delete(definition);
    this.#source.onDespawn?.(id);
    this.#parts.listeners.entities.despawned(entity, why);
  }

  #add(id: number, definition: EntityDefinition): ShownReplica {
    const record: ShownReplica = this.#records.add(definition, (place) => {
      const entity = this.#newEntity(id, place, () => record);
      return new ShownReplica(id, place, entity, this.#timeline!);
    });
    this.#assignBody(record);
    return record;
  }

  #assignBody(record: ShownReplica): void {
    const { definition, entity } = record;
    const { body, isInterpolated } = this.#bodies.show(definition, (fault) =>
      this.#parts.listeners.faulted(definition.name, entity.id, fault),
    );
    record.body = body;
    record.isInterpolated = isInterpolated;
    if (!this.#source.hasRates) record.kinematics ??= motionCode()?.kinematicsOf(definition);
  }

  #newEntity(id: number, place: Place, record: () => ShownReplica): Entity {
    const { definition } = place.table;
    const beforeRead = () => this.#updateShown(record());
    const beforeRowRead = () => record().updateRow();
    const collections = this.#source.lists?.attach(id, definition);
    const shown = newFields(definition, {
      ...({ place, layer: "shown", isWritable: false } as const),
      collections,
      beforeRead,
    });
    let Seen = seenClasses.get(definition);
    if (!Seen) seenClasses.set(definition, (Seen = class extends SeenEntity {}));
    const base = new Seen(this.#source.idOf(id), definition, shown, record, this);
    const row = {
      ...({ place, layer: "state", isWritable: false } as const),
      collections,
      beforeRead: beforeRowRead,
    };
    return defineFields(base, definition, row) as unknown as Entity;
  }

  /**
   * Computes the shown pose at the first read in a frame. An entity that the game does not read costs
   * nothing.
   */
  #updateShown(record: ShownReplica): void {
    const nowMs = turnMsOf(this.#parts.scheduler);
    if (!record.startShowing(nowMs) || !this.#records.holds(record)) return;
    const { body, place, predicted } = record;
    const shown = place.table.shownOf(place.row);
    if (predicted) predicted(nowMs, shown);
    else if (body) body.show(this.#nowSeconds(), shown);
    else shown.set(record.row);
    record.blend?.(nowMs, shown);
    clampToRanges(record.definition.components, shown);
  }

  /** Returns the source's time, computed once per turn of the event loop. */
  #nowSeconds(): number {
    const nowMs = turnMsOf(this.#parts.scheduler);
    if (this.#turnMs !== nowMs) {
      this.#turnMs = nowMs;
      this.#turnSeconds = this.secondsAt(nowMs);
    }
    return this.#turnSeconds;
  }
}
