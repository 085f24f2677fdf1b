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

/** One entity that another participant simulates, under the id from its source, and the way it is shown. */
export class ShownReplica extends ReceivedReplica<Entity> {
  readonly changes: FieldChanges;
  /** Undefined if the source sends the rates of the motion, or if there is no motion. */
  readonly kinematics: Kinematics | undefined;
  /** Undefined for entities without a motion: their states are shown as received. */
  body: ShownBody | undefined = undefined;
  isInterpolated = false;
  /** True if the game knows the entity. */
  isSpawned = false;
  /** Turn of the event loop in which the shown pose was computed: see {@link Clock.turnMs}. */
  shownAtMs = Number.NEGATIVE_INFINITY;
  /** Replaces `body` if the game predicts this entity. */
  predicted: ((nowMs: number, into: Float32Array) => void) | undefined = undefined;
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
  readonly view: ViewPlan;
  /** True if states contain the rates that motion models need. If not, the rates are derived here. */
  readonly hasRates: boolean;
  rttMs(): number;
  idOf(id: number): number;
  /** Returns the participant with an owner's number; null for this participant. */
  ownerOf(owner: number): Peer | null;
  onSpawn(entity: Entity): void;
  onDespawn(entity: Entity): void;
  /**
   * True if this participant simulates the entity itself, and so has a better state than the received one.
   */
  isOwn(id: number, owner: number, definition: EntityDefinition): boolean;
  onDesync(id: number): void;
  onDropped(reason: DropReason): void;
  onFault(entity: Entity, definition: EntityDefinition, fault: MotionFault): void;
}

/**
 * Shows the entities of one source of states: a peer, or the authority of a room. Takes the decoded and
 * checked states, reports spawns and despawns to the game, and computes the values to draw.
 */
export class ShownEntities implements SnapshotListener {
  acceptedStates = 0;
  readonly #options: ShownEntitiesOptions;
  readonly #bodies: ShownBodies;
  readonly #records = new ReplicaStore<ShownReplica>();
  #timeline: TickTimeline | undefined;
  #tickSeconds = 0;
  /** True while the source is away: the game sees none of its entities. */
  #isHidden = false;
  /** True while {@link batch} runs: the game hears of no spawn meanwhile. */
  #isBatching = false;
  /** The last turn of the event loop in which the source's time was computed, and that time. */
  #turnMs = Number.NEGATIVE_INFINITY;
  #turnSeconds = 0;

  constructor(options: ShownEntitiesOptions) {
    this.#options = options;
    this.#bodies = new ShownBodies({ view: options.view, onFetched: () => this.planChanged() });
  }

  /** Sets the source's tick rate. Later calls have no effect. */
  begin(tickHz: number): void {
    this.#timeline ??= new TickTimeline(tickHz);
    this.#tickSeconds ||= 1 / tickHz;
  }

  /** True if the source's ticks can be converted to times. */
  get isTimed(): boolean {
    return this.#timeline?.isReady === true;
  }

  observe(tick: number, cameAtMs: number): void {
    this.#timeline?.observe(tick, cameAtMs, this.#options.rttMs());
    this.#turnMs = Number.NEGATIVE_INFINITY;
  }

  /** Returns the source's time, s since its tick 0; 0 before it is known. */
  secondsAt(nowMs: number): number {
    return this.#timeline?.secondsAt(nowMs) ?? 0;
  }

  /** Returns the age of a tick, ms, relative to the source's time now. */
  ageMsOf(tick: number): number {
    const timeline = this.#timeline;
    return timeline ? (this.#nowSeconds() - timeline.secondsOf(timeline.unwrap(tick))) * 1000 : 0;
  }

  record(id: number): ShownReplica | undefined {
    return this.#records.get(id);
  }

  /** Yields the entities of a kind that the game knows. */
  *ofKind(definition: EntityDefinition): Iterable<Entity> {
    for (const { isSpawned, entity } of this.#records.ofKind(definition)) {
      if (isSpawned) yield entity;
    }
  }

  /** Interpolation delay with which states arrive in time, ms; undefined without interpolated entities. */
  get neededDelayMs(): number | undefined {
    return this.#bodies.neededDelayMs;
  }

  /** Applies a changed plan. An entity that is now shown in another way continues from its newest state. */
  planChanged(): void {
    for (const record of this.#records.values()) {
      const { definition, row, tick } = record;
      if (this.#bodies.interpolates(definition) === record.isInterpolated) continue;
      this.#assignBody(record);
      record.body?.receive(row, this.#timeline!.secondsOf(tick), this.#nowSeconds());
    }
    if (![...this.#records.values()].some((record) => record.isInterpolated)) this.#bodies.endDelay();
  }

  /** Takes a decoded state. Drops it if a newer one is known, or if its tick is impossible. */
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
    if (!record.isNewer(unwrapped)) return;
    const isJump = (changes & StateChange.teleported) !== 0;
    const sinceSeconds = isJump ? 0 : (unwrapped - record.tick) * this.#tickSeconds;
    const newState = record.read(entity, place, this.#options.hasRates ? sinceSeconds : undefined);
    if (isJump) record.kinematics?.restart();
    record.kinematics?.derive(newState, unwrapped, this.#tickSeconds);
    const seconds = timeline.secondsOf(unwrapped);
    // A state from the far future would block all that follow.
    if (record.body?.receive(newState, seconds, this.#nowSeconds() || seconds, isJump))
      return this.#options.onDropped("outdated");
    record.apply(newState, unwrapped, owner);
    record.shownAtMs = Number.NEGATIVE_INFINITY;
    record.setTexts(entity.textsAt(tick), plan.textOf);
    this.acceptedStates += 1;
    record.onState?.(record.row, isJump);
    record.changes.review();
    this.#spawnIfNew(record);
  }

  onDesync(id: number): void {
    this.#options.onDesync(id);
  }

  onRemoved(id: number): void {
    const record = this.#records.get(id);
    if (!record) return;
    // The game may draw something at the last shown place.
    this.#updateShown(record);
    this.#records.remove(record);
    record.changes.end();
    if (record.isSpawned) this.#options.onDespawn(record.entity);
  }

  clear(): void {
    for (const { id } of [...this.#records.values()]) this.onRemoved(id);
  }

  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    for (const record of this.#records.values()) {
      if (!isHidden) this.#spawnIfNew(record);
      else if (record.isSpawned) {
        this.#updateShown(record);
        record.isSpawned = false;
        this.#options.onDespawn(record.entity);
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
    this.#options.onSpawn(record.entity);
  }

  #add(id: number, definition: EntityDefinition): ShownReplica {
    const record: ShownReplica = this.#records.add(definition, (place) => {
      const changes: FieldChanges = new FieldChanges(definition, () => entity);
      const entity = this.#newEntity(id, place, changes, () => record);
      const kinematics = this.#options.hasRates ? undefined : kinematicsOf(definition);
      return new ShownReplica(id, place, { entity, changes, kinematics });
    });
    this.#assignBody(record);
    return record;
  }

  #assignBody(record: ShownReplica): void {
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
    const beforeRead = () => this.#updateShown(record());
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

  /**
   * Computes the shown pose at the first read in a frame. An entity that the game does not read costs
   * nothing.
   */
  #updateShown(record: ShownReplica): void {
    const nowMs = turnMsOf(this.#options.clock);
    if (record.shownAtMs === nowMs || !this.#records.holds(record)) return;
    record.shownAtMs = nowMs;
    const { body, place, predicted } = record;
    const shown = place.table.shownOf(place.row);
    if (predicted) predicted(nowMs, shown);
    else if (body) body.show(this.#nowSeconds(), shown);
    else shown.set(record.row);
  }

  /** Returns the source's time, computed once per turn of the event loop. */
  #nowSeconds(): number {
    const nowMs = turnMsOf(this.#options.clock);
    if (this.#turnMs !== nowMs) {
      this.#turnMs = nowMs;
      this.#turnSeconds = this.secondsAt(nowMs);
    }
    return this.#turnSeconds;
  }
}
