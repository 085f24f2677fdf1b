import {
  StateChange,
  limits,
  matchColumns,
  planState,
  readWholeState,
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
  isFiniteRow,
  newReckoner,
  reckoningModelOf,
  type BodyLayout,
  type Components,
  type Place,
  type Reckoner,
} from "@paceline/netcode";
import { MotionCheck, type Breach, type MotionLimits } from "../players/plausibility.js";
import type { PlayerConnection } from "./player-connection.js";
import type { RoomCounters } from "../ops/room-counters.js";
import { CodedStates } from "../entities/coded-states.js";
import type { EntityRecord, World } from "../entities/world.js";

/** A kind of entity that players may own and simulate themselves. */
export interface PlayerEntities {
  readonly definition: EntityDefinition;
  /** Most of one player, 1 to 4096. Default 1. */
  readonly most?: number;
  /** Limits of their motion. */
  readonly limits?: MotionLimits;
}

/** The room's answer to a breach: put the entity back, count it only, or remove the player. */
export type BreachAnswer = "correct" | "count" | "kick";

export interface OwnedStatesOptions {
  readonly world: World;
  readonly rules: readonly PlayerEntities[];
  readonly counters: RoomCounters;
  /** Most entities of all players together. */
  readonly maxEntities: number;
  nowSeconds(): number;
  /** Takes an entity out of the room. */
  despawn(record: EntityRecord): void;
  answer(line: PlayerConnection, record: EntityRecord, breach: Breach): BreachAnswer;
}

interface OwnedParts {
  readonly record: EntityRecord;
  /** How the room writes its states for its player. */
  readonly plan: StatePlan;
  readonly check: MotionCheck;
}

/** One entity of a player, by the player's number of it: its row is the newest state from the player that was accepted. */
class SaidReplica extends ReceivedReplica {
  /** The entity as the room has it. */
  readonly record: EntityRecord;
  readonly plan: StatePlan;
  readonly check: MotionCheck;
  /** Continues it; undefined where its motion is unknown, or failed. */
  reckoner: Reckoner | undefined;
  saidAtSeconds = Number.NEGATIVE_INFINITY;
  correctedAtSeconds = Number.NEGATIVE_INFINITY;

  constructor(localId: number, place: Place, { record, plan, check }: OwnedParts) {
    super(localId, place, record.entity);
    this.record = record;
    this.plan = plan;
    this.check = check;
    const { motionLayout } = this.definition;
    this.reckoner = motionLayout && newReckoner(motionLayout, reckoningModelOf(this.definition));
  }
}

/** Without news for longer an entity stands: its player tells of what moves more often. */
const MAX_ADVANCE_SECONDS = 0.5;
/** One correction in a while: updates that are on their way do not each need one. */
const CORRECTION_SECONDS = 0.2;
/** One question for whole states in a while: they need a round trip. */
const RESYNC_SECONDS = 1;
/** Drops that no honest player causes. */
const malformed: ReadonlySet<DropReason> = new Set(["length", "out-of-range", "too-long", "bad-message"]);

/** Limits a state of a player's build in memory: this many times one of the room's definition, and so many bytes in any case. */
const MAX_TIMES_LARGER = 4;
const SMALL_STATE_BYTES = 256;

/** The stream of a player's own entities, made at its first spawn. */
interface Upload {
  readonly states: CodedStates;
  askedAtSeconds: number;
}

/** The entities that players simulate, as the room has them: what players say of them is checked, then passed on. */
export class OwnedStates {
  readonly #options: OwnedStatesOptions;
  readonly #owned = new WeakMap<PlayerConnection, ReplicaStore<SaidReplica>>();
  readonly #uploads = new WeakMap<PlayerConnection, Upload>();
  /** By player and kind: the columns of a build that is not the room's. */
  readonly #described = new WeakMap<PlayerConnection, Map<number, Uint8Array>>();
  /** Ids of the entities of all players. */
  readonly #ids = new Set<number>();

  constructor(options: OwnedStatesOptions) {
    this.#options = options;
  }

  /**
   * A player wants to own an entity; the reason if the room refuses it. An entity that the player has under the same
   * number ends, granted or not: the number names one entity.
   */
  spawn(line: PlayerConnection, spawn: ToAuthority & { readonly type: "own" }): string | undefined {
    const { rules, world } = this.#options;
    this.disown(line, spawn.localId);
    const { states } = this.#uploadOf(line, spawn.tickHz);
    line.participant.session.heardTick(spawn.tick ?? 0);
    const rule = rules.find(({ definition }) => definition.name === spawn.name);
    if (!rule) return `players may not own a "${spawn.name}" here`;
    const { definition, limits: motionLimits = {} } = rule;
    const kind = world.plans.findIndex((each) => each.definition === definition);
    const isReadable = definition.schemaHash === spawn.schemaHash || this.#described.get(line)?.has(kind);
    if (!isReadable) return `"${spawn.name}" is described differently here`;
    const refusal = this.#placeRefusal(line, rule);
    if (refusal !== undefined) return refusal;
    // Fields that the player's build does not have begin with their defaults, and stay so.
    const state = Float32Array.from(definition.components, ({ initial }) => initial);
    const told = states.planOf(kind);
    const texts = readWholeState(told, spawn.localId, spawn.state, state);
    if (!texts) return "its state is out of range";
    const plan = told.textOf ? planState(definition, { tickHz: spawn.tickHz, hasRates: true }) : told;
    const check = new MotionCheck(definition, motionLimits);
    if (!check.allows(state)) return "it cannot be there";
    const record = world.spawn(definition, {}, line.player, "player");
    this.#ids.add(record.id);
    record.state.set(state);
    record.setTexts(texts, told.textOf);
    const said = this.#ofLine(line).add(
      definition,
      (place) => new SaidReplica(spawn.localId, place, { record, plan, check }),
    );
    said.row.set(state);
    line.send(writeAuthority({ type: "granted", localId: spawn.localId, id: record.id }));
    return undefined;
  }

  /** A player gives up its entity of that number. */
  disown(line: PlayerConnection, localId: number): void {
    const mine = this.#ofLine(line);
    const owned = mine.get(localId);
    this.#uploads.get(line)?.states.end(localId);
    if (!owned) return;
    mine.remove(owned);
    if (this.#isThere(owned)) this.#options.despawn(owned.record);
  }

  /** The page that simulated them is no more. */
  disownAll(line: PlayerConnection): void {
    for (const { id } of [...this.#ofLine(line).values()]) this.disown(line, id);
    this.#uploads.get(line)?.states.clear();
    this.#described.delete(line);
  }

  /**
   * A player of another build describes a kind. Later states of it are read by name: fields that the room does not have are
   * skipped. Returns false if the bytes describe nothing.
   */
  describe(line: PlayerConnection, kind: number, columns: Uint8Array): boolean {
    const { world, rules } = this.#options;
    const { definition, tickHz } = world.plans[kind]!;
    const match = matchColumns(definition, columns, { tickHz, hasRates: true });
    if (!match) return false;
    const isOwnable = rules.some((rule) => rule.definition === definition);
    if (!match.plan || !isOwnable) return true;
    const most = MAX_TIMES_LARGER * bytesOfState(planState(definition, { tickHz, hasRates: true }));
    if (bytesOfState(match.plan) > Math.max(most, SMALL_STATE_BYTES)) return true;
    const described = this.#described.get(line) ?? new Map<number, Uint8Array>();
    this.#described.set(line, described);
    described.set(kind, columns.slice());
    return true;
  }

  /** An entity has left the room, whoever decided it. */
  removed(record: EntityRecord): void {
    if (record.authority === "player") this.#ids.delete(record.id);
  }

  /** A player's states. A reason where the bytes make no sense. */
  receive(line: PlayerConnection, body: Uint8Array, tick: number): DropReason | undefined {
    const upload = this.#uploads.get(line);
    if (!upload) {
      line.countNotAllowed();
      return undefined;
    }
    const reason = upload.states.read(body, tick);
    if (reason === undefined || malformed.has(reason)) return reason;
    line.participant.session.drops.count(reason);
    return undefined;
  }

  #take(line: PlayerConnection, entity: EntityRows, tick: number, place: number, changes: number): void {
    const said = this.#ofLine(line).get(entity.id);
    if (!said || !this.#isThere(said) || said.definition !== entity.plan.definition)
      return line.countNotAllowed();
    if (!said.isNews(tick)) return;
    const isJump = (changes & StateChange.teleported) !== 0;
    const news = said.read(entity, place, isJump ? 0 : ((tick - said.tick) | 0) / entity.plan.tickHz);
    // Texts are not checked: nothing makes one implausible.
    said.record.setTexts(entity.textsAt(tick), entity.plan.textOf);
    this.#judge(line, said, news, tick);
  }

  /** The player's states are of so many ticks a second from now on. */
  #uploadOf(line: PlayerConnection, tickHz: number): Upload {
    const known = this.#uploads.get(line);
    if (known?.states.tickHz === tickHz) return known;
    const options = this.#options;
    const { world, rules } = options;
    const upload: Upload = {
      states: new CodedStates({
        plans: world.plans,
        tickHz,
        columnsOf: (kind) => this.#described.get(line)?.get(kind),
        maxOf: (kind) => {
          const rule = rules.find(({ definition }) => definition === world.plans[kind]?.definition);
          return rule ? (rule.most ?? 1) : 0;
        },
        onState: (entity, tick, place, changes) => this.#take(line, entity, tick, place, changes),
        onLost: () => {
          const nowSeconds = options.nowSeconds();
          if (nowSeconds - upload.askedAtSeconds < RESYNC_SECONDS) return;
          upload.askedAtSeconds = nowSeconds;
          line.send(writeAuthority({ type: "resync" }));
        },
      }),
      askedAtSeconds: Number.NEGATIVE_INFINITY,
    };
    this.#uploads.set(line, upload);
    return upload;
  }

  /**
   * Continues the entities of a player since it was heard of them, as their definitions say: it says only what is off by
   * more than its plan allows.
   */
  advance(line: PlayerConnection): void {
    const mine = this.#owned.get(line);
    if (!mine) return;
    const nowSeconds = this.#options.nowSeconds();
    for (const said of mine.values()) {
      const { record, reckoner, saidAtSeconds } = said;
      const { motionLayout: layout } = record.definition;
      const seconds = nowSeconds - saidAtSeconds;
      if (!reckoner || !layout || !(seconds <= MAX_ADVANCE_SECONDS) || !this.#isThere(said)) continue;
      const row = said.row.slice();
      try {
        reckoner.predict(seconds, row);
      } catch {
        // The game's own model: what the player says is all there is.
        said.reckoner = undefined;
        continue;
      }
      if (isFiniteRow(row) && said.check.allowsAhead(said.row, row, seconds))
        copyMotion(layout, row, record.row);
    }
  }

  #judge(line: PlayerConnection, said: SaidReplica, news: Float32Array, tick: number): void {
    const { record, check } = said;
    const nowSeconds = this.#options.nowSeconds();
    const breach = check.breach(said.row, news, nowSeconds);
    if (breach === undefined) return accept(said, news, tick, nowSeconds);
    this.#options.counters.breaches += 1;
    const answer = this.#options.answer(line, record, breach);
    if (answer === "count") return accept(said, news, tick, nowSeconds);
    // It stands where it was until the player says something that can be.
    said.tick = tick;
    said.saidAtSeconds = Number.NEGATIVE_INFINITY;
    record.row.set(said.row);
    if (answer === "kick") return line.kick(`not plausible: ${breach}`);
    if (nowSeconds - said.correctedAtSeconds < CORRECTION_SECONDS) return;
    said.correctedAtSeconds = nowSeconds;
    const state = writeWholeState(said.plan, said.id, said.row, record.texts);
    line.send(writeAuthority({ type: "corrected", localId: said.id, state }));
  }

  /** Why there is no place for one more entity. */
  #placeRefusal(line: PlayerConnection, { definition, most = 1 }: PlayerEntities): string | undefined {
    const { world, maxEntities } = this.#options;
    const mine = this.#ofLine(line);
    // The room may have despawned some of them by itself.
    for (const said of [...mine.values()]) if (!this.#isThere(said)) mine.remove(said);
    const same = [...mine.ofKind(definition)];
    if (same.length >= most) return `a player may own ${most} of "${definition.name}"`;
    if (mine.size >= limits.ownedEntities) return `a player may own ${limits.ownedEntities} entities`;
    if (this.#ids.size >= maxEntities) return `players of a room may own ${maxEntities} entities together`;
    return world.isFull ? "the room has no place for another entity" : undefined;
  }

  #isThere({ record }: SaidReplica): boolean {
    return this.#options.world.records.holds(record);
  }

  #ofLine(line: PlayerConnection): ReplicaStore<SaidReplica> {
    const mine = this.#owned.get(line) ?? new ReplicaStore<SaidReplica>();
    this.#owned.set(line, mine);
    return mine;
  }
}

/** Memory of one state, at most. */
function bytesOfState({ width, texts }: StatePlan): number {
  return texts.reduce((sum, { field }) => sum + ("maxBytes" in field ? field.maxBytes : 0), width * 4);
}

/** The entity is as its player says. */
function accept(said: SaidReplica, news: Float32Array, tick: number, nowSeconds: number): void {
  said.reckoner?.take(news, Math.max(0, Math.min(nowSeconds - said.saidAtSeconds, MAX_ADVANCE_SECONDS)));
  said.take(news, tick);
  said.record.row.set(news);
  said.saidAtSeconds = nowSeconds;
}

/** Components that motion changes; the others keep their last value. */
function copyMotion(layout: BodyLayout, from: Components, into: Components): void {
  const { position, dimensions, velocity, heading, orientation } = layout;
  const copy = (at: number | undefined, count: number): void => {
    for (let index = at ?? Infinity; index < at! + count; index++) into[index] = from[index]!;
  };
  copy(position, dimensions);
  copy(velocity, dimensions);
  copy(heading, 1);
  copy(orientation, 4);
}
