import {
  StateChange,
  limits,
  matchColumns,
  planState,
  readWholeState,
  restore,
  writeAuthority,
  writeWholeState,
  type DropReason,
  type EntityDefinition,
  type EntityRows,
  type StatePlan,
  type ToAuthority,
} from "@paceline/protocol";
import {
  ReceivedReplica,
  ReplicaStore,
  deriveVelocity,
  isFiniteRow,
  isVelocityDerived,
  newReckoner,
  reckoningModelOf,
  type BodyLayout,
  type Components,
  type Place,
  type Reckoner,
} from "@paceline/netcode";
import { TokenBucket } from "@paceline/transport";
import { MotionCheck, type Breach, type MotionLimits } from "../players/plausibility.js";
import type { Player } from "./player.js";
import type { RoomCounters } from "../ops/room-counters.js";
import { CodedStates } from "../entities/coded-states.js";
import type { EntityRecord, World } from "../entities/world.js";

/** A kind of entity that players may own and simulate themselves. */
export interface PlayerEntities {
  readonly definition: EntityDefinition;
  /** Limit of entities of this kind that one player may own, 1 to 4096. Default 1. */
  readonly most?: number;
  /** Limits of the entities' motion. Default: none. */
  readonly limits?: MotionLimits;
}

/**
 * The room's answer to a breach: `correct` puts the entity back, `count` only counts it, `kick` removes the
 * player.
 */
export type BreachAnswer = "correct" | "count" | "kick";

export interface OwnedStatesOptions {
  readonly world: World;
  readonly rules: readonly PlayerEntities[];
  readonly counters: RoomCounters;
  /** Limit of the entities of all players together. */
  readonly maxEntities: number;
  readonly nowSeconds: () => number;
  /** `why`: see {@link EntityRecord.despawned}. */
  despawn(record: EntityRecord, why: string): void;
  answer(player: Player, record: EntityRecord, breach: Breach): BreachAnswer;
}

/** One entity of a player. Its id is the player's number for it; its row is the newest accepted state. */
class OwnedReplica extends ReceivedReplica {
  readonly record: EntityRecord;
  /** Layout in which the room sends corrected states to the player. */
  readonly plan: StatePlan;
  readonly check: MotionCheck;
  /** Extrapolates the entity. Undefined if its kind has no motion, or if the game's motion model threw. */
  reckoner: Reckoner | undefined;
  receivedAtSeconds = -Infinity;
  correctedAtSeconds = -Infinity;

  constructor(localId: number, place: Place, of: Pick<OwnedReplica, "record" | "plan" | "check">) {
    super(localId, place, of.record.entity);
    this.record = of.record;
    this.plan = of.plan;
    this.check = of.check;
    const { motionLayout } = this.definition;
    this.reckoner = motionLayout && newReckoner(motionLayout, reckoningModelOf(this.definition));
  }

  /**
   * Returns the state at `place` of the entity's rows as a row, valid until the next call for an entity of
   * this kind. Fields that the stream lacks keep their values. `seconds`: time since the state before, for a
   * velocity declared as derived; 0 (a jump) gives velocity 0. Without it, the caller must compute such a
   * velocity.
   */
  read({ plan, rows }: EntityRows, place: number, seconds?: number): Float32Array {
    const news = this.place.table.scratch;
    news.set(this.row);
    restore(plan, rows, place, news);
    if (seconds !== undefined && isVelocityDerived(this.definition))
      deriveVelocity(this.definition, this.row, news, seconds);
    return news;
  }

  /** Takes a state that {@link read} returned. */
  apply(news: Float32Array, tick: number): void {
    this.row.set(news);
    this.tick = tick;
  }
}

/** After this time without news an entity stands still. Its player sends moving entities more often. */
const MAX_ADVANCE_SECONDS = 0.5;
/** Shortest time between two corrections of an entity. Updates that left before a correction arrived need no further one. */
const CORRECTION_SECONDS = 0.2;
/** Shortest time between two requests for whole states. An answer takes a round trip. */
const RESYNC_SECONDS = 1;
/** Drops that no honest player causes. */
const malformed: ReadonlySet<DropReason> = new Set(["length", "out-of-range", "too-long", "bad-message"]);

/**
 * Limits the memory of a state in another build's layout: to this many times the room's own layout, or to
 * SMALL_STATE_BYTES if that is more.
 */
const MAX_TIMES_LARGER = 4;
const SMALL_STATE_BYTES = 256;

/** An entity that its player has ended. The next one of the kind goes on within its limits. */
interface EndedEntity {
  readonly check: MotionCheck;
  /** Its last accepted state. */
  readonly row: Float32Array;
  readonly atSeconds: number;
}

/** One player's entities. */
interface Ownership {
  readonly replicas: ReplicaStore<OwnedReplica>;
  /**
   * By kind: the entities that the player has ended itself, without those in whose place it has begun others.
   * With the present ones they are at most as many as the player may own.
   */
  readonly ended: Map<EntityDefinition, EndedEntity[]>;
  /** Columns that a player of another build has described, by kind. */
  readonly described: Map<number, Uint8Array>;
  /** States that the room still reads of the player. */
  readonly allowance: TokenBucket;
  /** Decoder, created at the player's first spawn. */
  states: CodedStates | undefined;
  requestedAtSeconds: number;
}

/**
 * Checks the states that players send of their own entities, and writes the accepted ones to the room's
 * world.
 */
export class OwnedStates {
  readonly #options: OwnedStatesOptions;
  readonly #owned = new WeakMap<Player, Ownership>();
  readonly #ids = new Set<number>();

  constructor(options: OwnedStatesOptions) {
    this.#options = options;
  }

  /**
   * Creates an entity that a player owns. Returns the reason if the room refuses it. In both cases the
   * player's older entity with the same number ends, because a number names one entity.
   */
  spawn(player: Player, spawn: ToAuthority & { readonly type: "own" }): string | undefined {
    const { rules, world } = this.#options;
    this.disown(player, spawn.localId);
    const states = this.#decoderOf(player, spawn.tickHz);
    player.participant.session.observeTick(spawn.tick ?? 0);
    const rule = rules.find(({ definition }) => definition.name === spawn.name);
    if (!rule) return `players may not own a "${spawn.name}" here`;
    const { definition, limits: motionLimits = {} } = rule;
    const kind = world.plans.findIndex((each) => each.definition === definition);
    const { described } = this.#ownershipOf(player);
    const isReadable = definition.schemaHash === spawn.schemaHash || described.has(kind);
    if (!isReadable) return `"${spawn.name}" is described differently here`;
    const refusal = this.#limitRefusal(player, rule);
    if (refusal !== undefined) return refusal;
    // Fields that the player's build lacks keep their defaults.
    const state = Float32Array.from(definition.components, ({ initial }) => initial);
    const senderPlan = states.planOf(kind);
    const texts = readWholeState(senderPlan, spawn.localId, spawn.state, state);
    if (!texts) return "its state is out of range";
    const plan = senderPlan.textOf
      ? planState(definition, { tickHz: spawn.tickHz, hasRates: true })
      : senderPlan;
    const newCheck = new MotionCheck(definition, motionLimits);
    if (!newCheck.allows(state)) return "it cannot be there";
    const ended = this.#takeEnded(player, definition, state);
    const check = ended?.check ?? newCheck;
    const record = world.spawn(definition, {}, player, "player");
    this.#ids.add(record.id);
    record.state.set(state);
    record.setTexts(texts, senderPlan.textOf);
    const replica = this.#ownershipOf(player).replicas.add(
      definition,
      (place) => new OwnedReplica(spawn.localId, place, { record, plan, check }),
    );
    replica.row.set(state);
    player.send(writeAuthority({ type: "granted", localId: spawn.localId, id: record.id }));
    if (ended) this.#checkAgain(player, replica, ended);
    return undefined;
  }

  /** Returns the entities that a player simulates: its own number for each and the room's, and the rate of their states. */
  save(player: Player): { readonly own: readonly number[]; readonly ownTickHz: number } {
    const { replicas, states } = this.#ownershipOf(player);
    const own = [...replicas.values()].flatMap((replica) =>
      this.#exists(replica) ? [replica.id, replica.record.id] : [],
    );
    return { own, ownTickHz: states?.tickHz ?? 0 };
  }

  /** Lets a player go on with an entity that it simulated in an earlier process. It sends its whole state again. */
  restore(player: Player, localId: number, record: EntityRecord, tickHz: number): void {
    const { definition } = record;
    const rule = this.#options.rules.find((each) => each.definition === definition);
    const kind = this.#options.world.plans.findIndex((each) => each.definition === definition);
    const plan = this.#decoderOf(player, tickHz).planOf(kind);
    const check = new MotionCheck(definition, rule?.limits ?? {});
    this.#ids.add(record.id);
    const replica = this.#ownershipOf(player).replicas.add(
      definition,
      (place) => new OwnedReplica(localId, place, { record, plan, check }),
    );
    replica.row.set(record.row);
  }

  /** Removes and returns the nearest of the entities of a kind that the player has ended. */
  #takeEnded(player: Player, definition: EntityDefinition, state: Float32Array): EndedEntity | undefined {
    const ended = this.#ownershipOf(player).ended.get(definition) ?? [];
    const distances = ended.map(({ check, row }) => check.distanceOf(row, state));
    return ended.splice(distances.indexOf(Math.min(...distances)), 1)[0];
  }

  /** Checks a new entity against the ended one in whose place it begins. Puts it there if it is implausible. */
  #checkAgain(player: Player, replica: OwnedReplica, ended: EndedEntity): void {
    const nowSeconds = this.#options.nowSeconds();
    if (replica.check.allowsAgain(ended.row, replica.row, ended.atSeconds, nowSeconds)) return;
    const answer = this.#answer(player, replica, "spawn");
    if (answer === "count") return;
    replica.row.set(ended.row);
    this.#putBack(player, replica, answer, "spawn");
  }

  /** Ends the player's entity with this number. */
  disown(player: Player, localId: number, why = `by player ${player.number}`): void {
    const { replicas: mine, states } = this.#ownershipOf(player);
    const owned = mine.get(localId);
    states?.end(localId);
    if (!owned) return;
    // After an entity that the room has ended, the player may begin the next one anywhere.
    if (this.#exists(owned)) this.#noteEnd(player, owned);
    mine.remove(owned);
    if (this.#exists(owned)) this.#options.despawn(owned.record, why);
  }

  #noteEnd(player: Player, { definition, check, row }: OwnedReplica): void {
    const rule = this.#options.rules.find((each) => each.definition === definition);
    if (!rule?.limits) return;
    const { ended } = this.#ownershipOf(player);
    const ofKind = ended.get(definition) ?? [];
    ofKind.push({ check, row: row.slice(), atSeconds: this.#options.nowSeconds() });
    ended.set(definition, ofKind);
  }

  /** Ends all entities of a player whose page is gone, and forgets what the page has described. */
  disownAll(player: Player): void {
    const { replicas, states, described } = this.#ownershipOf(player);
    const why = `when the page of player ${player.number} was gone`;
    for (const { id } of [...replicas.values()]) this.disown(player, id, why);
    states?.clear();
    described.clear();
  }

  /**
   * Stores another build's description of a kind. Later states of the kind are matched by field name; fields
   * that the room lacks are skipped. Returns false if the bytes are malformed.
   */
  describe(player: Player, kind: number, columns: Uint8Array): boolean {
    const { world, rules } = this.#options;
    const { definition, tickHz } = world.plans[kind]!;
    const match = matchColumns(definition, columns, { tickHz, hasRates: true });
    if (!match) return false;
    const isOwnable = rules.some((rule) => rule.definition === definition);
    if (!match.plan || !isOwnable) return true;
    const most = MAX_TIMES_LARGER * bytesOfState(planState(definition, { tickHz, hasRates: true }));
    if (bytesOfState(match.plan) > Math.max(most, SMALL_STATE_BYTES)) return true;
    this.#ownershipOf(player).described.set(kind, columns.slice());
    return true;
  }

  /** Notes that an entity has left the room, so that players may own another one. */
  removed(record: EntityRecord): void {
    if (record.authority === "player") this.#ids.delete(record.id);
  }

  /** Reads a player's states. Returns a reason if the bytes are malformed. */
  receive(player: Player, body: Uint8Array, tick: number): DropReason | undefined {
    const { states } = this.#ownershipOf(player);
    if (!states) {
      player.countNotAllowed();
      return undefined;
    }
    const reason = states.read(body, tick);
    if (reason === undefined || malformed.has(reason)) return reason;
    player.participant.session.drops.count(reason);
    return undefined;
  }

  #receiveState(player: Player, entity: EntityRows, tick: number, place: number, changes: number): void {
    const replica = this.#ownershipOf(player).replicas.get(entity.id);
    if (!replica || !this.#exists(replica) || replica.definition !== entity.plan.definition)
      return player.countNotAllowed();
    if (!replica.isNewer(tick)) return;
    const isJump = (changes & StateChange.teleported) !== 0;
    const newState = replica.read(
      entity,
      place,
      isJump ? 0 : ((tick - replica.tick) | 0) / entity.plan.tickHz,
    );
    // Texts are not checked: no limit applies to them.
    replica.record.setTexts(entity.textsAt(tick), entity.plan.textOf);
    this.#check(player, replica, newState, tick);
  }

  /** Returns the player's decoder. Replaces it if the tick rate of the player's states has changed. */
  #decoderOf(player: Player, tickHz: number): CodedStates {
    const mine = this.#ownershipOf(player);
    if (mine.states?.tickHz === tickHz) return mine.states;
    const { world, rules, nowSeconds } = this.#options;
    mine.requestedAtSeconds = -Infinity;
    return (mine.states = new CodedStates({
      plans: world.plans,
      tickHz,
      columnsOf: (kind) => mine.described.get(kind),
      takeStates: (states) => mine.allowance.take(states, nowSeconds() * 1000),
      maxOf: (kind) => {
        const rule = rules.find(({ definition }) => definition === world.plans[kind]?.definition);
        return rule ? (rule.most ?? 1) : 0;
      },
      onState: (entity, tick, place, changes) => this.#receiveState(player, entity, tick, place, changes),
      onLost: () => {
        if (nowSeconds() - mine.requestedAtSeconds < RESYNC_SECONDS) return;
        mine.requestedAtSeconds = nowSeconds();
        player.send(writeAuthority({ type: "resync" }));
      },
    }));
  }

  /**
   * Extrapolates a player's entities from their newest states, by the motion models of their definitions. The
   * player sends a state only if this result is off by more than its plan allows.
   */
  advance(player: Player): void {
    if (this.#ids.size === 0) return;
    const nowSeconds = this.#options.nowSeconds();
    for (const replica of this.#owned.get(player)?.replicas.values() ?? []) {
      const { record, reckoner, receivedAtSeconds } = replica;
      const { motionLayout: layout } = record.definition;
      const seconds = nowSeconds - receivedAtSeconds;
      if (!reckoner || !layout || !(seconds <= MAX_ADVANCE_SECONDS) || !this.#exists(replica)) continue;
      const row = replica.row.slice();
      try {
        reckoner.predict(seconds, row);
      } catch {
        // The game's own model threw: from here on the entity moves only when the player sends a state.
        replica.reckoner = undefined;
        continue;
      }
      if (isFiniteRow(row) && replica.check.allowsAhead(replica.row, row, seconds))
        copyMotion(layout, row, record.row);
    }
  }

  #check(player: Player, replica: OwnedReplica, newState: Float32Array, tick: number): void {
    const nowSeconds = this.#options.nowSeconds();
    const breach = replica.check.breach(replica.row, newState, nowSeconds);
    if (breach === undefined) return accept(replica, newState, tick, nowSeconds);
    const answer = this.#answer(player, replica, breach);
    if (answer === "count") return accept(replica, newState, tick, nowSeconds);
    replica.tick = tick;
    replica.receivedAtSeconds = -Infinity;
    this.#putBack(player, replica, answer, breach);
  }

  #answer(player: Player, { record }: OwnedReplica, breach: Breach): BreachAnswer {
    this.#options.counters.breaches += 1;
    return this.#options.answer(player, record, breach);
  }

  /** Keeps an entity in its last plausible state until the player sends another one. */
  #putBack(player: Player, replica: OwnedReplica, answer: BreachAnswer, breach: Breach): void {
    const { record } = replica;
    // The game may have ended the entity in its hook, and others may have its row now.
    if (this.#exists(replica)) record.row.set(replica.row);
    if (answer === "kick") return player.kick(`not plausible: ${breach}`);
    const nowSeconds = this.#options.nowSeconds();
    if (nowSeconds - replica.correctedAtSeconds < CORRECTION_SECONDS) return;
    replica.correctedAtSeconds = nowSeconds;
    const state = writeWholeState(replica.plan, replica.id, replica.row, record.texts);
    player.send(writeAuthority({ type: "corrected", localId: replica.id, state }));
  }

  #limitRefusal(player: Player, { definition, most = 1 }: PlayerEntities): string | undefined {
    const { world, maxEntities } = this.#options;
    const mine = this.#ownershipOf(player).replicas;
    // The room itself may have despawned some of the player's entities.
    for (const replica of [...mine.values()]) if (!this.#exists(replica)) mine.remove(replica);
    const same = [...mine.ofKind(definition)];
    if (same.length >= most) return `a player may own ${most} of "${definition.name}"`;
    if (mine.size >= limits.ownedEntities) return `a player may own ${limits.ownedEntities} entities`;
    if (this.#ids.size >= maxEntities) return `players of a room may own ${maxEntities} entities together`;
    return world.isFull ? "the room has no place for another entity" : undefined;
  }

  #exists({ record }: OwnedReplica): boolean {
    return this.#options.world.records.holds(record);
  }

  #ownershipOf(player: Player): Ownership {
    let mine = this.#owned.get(player);
    if (!mine) {
      const replicas = new ReplicaStore<OwnedReplica>();
      const nowMs = this.#options.nowSeconds() * 1000;
      mine = {
        replicas,
        ended: new Map(),
        described: new Map(),
        allowance: new TokenBucket(limits.statesPerSecond, limits.statesBurst, nowMs),
        states: undefined,
        requestedAtSeconds: -Infinity,
      };
      this.#owned.set(player, mine);
    }
    return mine;
  }
}

/** Returns the largest number of bytes that one state takes in memory. */
function bytesOfState({ width, texts }: StatePlan): number {
  return texts.reduce((sum, { field }) => sum + ("maxBytes" in field ? field.maxBytes : 0), width * 4);
}

function accept(replica: OwnedReplica, newState: Float32Array, tick: number, nowSeconds: number): void {
  replica.reckoner?.take(
    newState,
    Math.max(0, Math.min(nowSeconds - replica.receivedAtSeconds, MAX_ADVANCE_SECONDS)),
  );
  replica.apply(newState, tick);
  replica.record.row.set(newState);
  replica.receivedAtSeconds = nowSeconds;
}

/** Copies the components that motion changes. The others keep their last value. */
function copyMotion(layout: BodyLayout, from: Components, into: Components): void {
  const { position, dimensions, velocity, heading } = layout;
  const copy = (at: number | undefined, count: number): void => {
    for (let index = at ?? Infinity; index < at! + count; index++) into[index] = from[index]!;
  };
  copy(position, dimensions);
  copy(velocity, dimensions);
  copy(heading, 1);
}
