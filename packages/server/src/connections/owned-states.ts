import {
  limits,
  readWholeState,
  writeAuthority,
  writeWholeState,
  type DropReason,
  type EntityDefinition,
  type StatePlan,
  type ToAuthority,
} from "@paceline/protocol";
import {
  deriveVelocity,
  isFiniteRow,
  isVelocityDerived,
  newReckoner,
  reckoningModelOf,
  type BodyLayout,
  type Components,
  type Reckoner,
} from "@paceline/netcode";
import { MotionCheck, type Breach, type MotionLimits } from "../players/plausibility.js";
import type { PlayerConnection } from "./player-connection.js";
import type { RoomCounters } from "../ops/room-counters.js";
import { CodedStates, type SaidState } from "../entities/coded-states.js";
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

interface Owned {
  readonly record: EntityRecord;
  /** How its states lie in bytes. */
  readonly plan: StatePlan;
  readonly check: MotionCheck;
  /** As the player has said it last, and when. */
  readonly said: Float32Array;
  saidAtSeconds: number;
  /** Continues it; undefined where its motion is unknown, or failed. */
  reckoner: Reckoner | undefined;
  tick: number | undefined;
  correctedAtSeconds: number;
}

/** A state as its player says it. */
interface News {
  readonly news: Float32Array;
  readonly tick: number;
  readonly texts?: readonly (string | Uint8Array)[];
}

/** Without news for longer an entity stands: its player tells of what moves more often. */
const MAX_ADVANCE_SECONDS = 0.5;
/** One correction in a while: updates that are on their way do not each need one. */
const CORRECTION_SECONDS = 0.2;
/** One question for whole states in a while: they need a round trip. */
const RESYNC_SECONDS = 1;
/** Drops that no honest player causes. */
const malformed: ReadonlySet<DropReason> = new Set(["length", "out-of-range", "too-long", "bad-message"]);

/** The stream of a player's own entities, made at its first spawn. */
interface Upload {
  readonly states: CodedStates;
  askedAtSeconds: number;
}

/** The entities that players simulate, as the room has them: what players say of them is checked, then passed on. */
export class OwnedStates {
  readonly #options: OwnedStatesOptions;
  readonly #owned = new WeakMap<PlayerConnection, Map<number, Owned>>();
  readonly #uploads = new WeakMap<PlayerConnection, Upload>();
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
    if (definition.schemaHash !== spawn.schemaHash) return `"${spawn.name}" is described differently here`;
    const refusal = this.#placeRefusal(line, rule);
    if (refusal !== undefined) return refusal;
    const state = new Float32Array(definition.components.length);
    const plan = states.planOf(world.plans.findIndex((each) => each.definition === definition));
    const texts = readWholeState(plan, spawn.localId, spawn.state, state);
    if (!texts) return "its state is out of range";
    const check = new MotionCheck(definition, motionLimits);
    if (!check.allows(state)) return "it cannot be there";
    const record = world.spawn(definition, {}, line.player, "player");
    this.#ids.add(record.id);
    record.state.set(state);
    record.setTexts(texts);
    const { motionLayout } = definition;
    this.#ofLine(line).set(spawn.localId, {
      record,
      plan,
      check,
      said: state,
      saidAtSeconds: Number.NEGATIVE_INFINITY,
      reckoner: motionLayout && newReckoner(motionLayout, reckoningModelOf(definition)),
      tick: undefined,
      correctedAtSeconds: Number.NEGATIVE_INFINITY,
    });
    line.send(writeAuthority({ type: "granted", localId: spawn.localId, id: record.id }));
    return undefined;
  }

  /** A player gives up its entity of that number. */
  disown(line: PlayerConnection, localId: number): void {
    const mine = this.#ofLine(line);
    const owned = mine.get(localId);
    mine.delete(localId);
    this.#uploads.get(line)?.states.end(localId);
    if (owned && this.#isThere(owned.record)) this.#options.despawn(owned.record);
  }

  /** The page that simulated them is no more. */
  disownAll(line: PlayerConnection): void {
    for (const localId of [...this.#ofLine(line).keys()]) this.disown(line, localId);
    this.#uploads.get(line)?.states.clear();
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

  #takeCoded(line: PlayerConnection, { localId, plan, tick, isJump, restoreInto, texts }: SaidState): void {
    const owned = this.#ofLine(line).get(localId);
    if (!owned || !this.#isThere(owned.record) || owned.record.definition !== plan.definition)
      return line.countNotAllowed();
    const { said } = owned;
    const news = said.slice();
    restoreInto(news);
    if (isVelocityDerived(plan.definition)) {
      const ticks = isJump || owned.tick === undefined ? 0 : (tick - owned.tick) | 0;
      deriveVelocity(plan.definition, said, news, ticks / plan.tickHz);
    }
    this.#apply(line, localId, owned, { news, tick, texts });
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
        maxOf: (kind) => {
          const rule = rules.find(({ definition }) => definition === world.plans[kind]?.definition);
          return rule ? (rule.most ?? 1) : 0;
        },
        onState: (state) => this.#takeCoded(line, state),
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
    const nowSeconds = this.#options.nowSeconds();
    for (const owned of this.#owned.get(line)?.values() ?? []) {
      const { record, reckoner, said, saidAtSeconds } = owned;
      const { motionLayout: layout } = record.definition;
      const seconds = nowSeconds - saidAtSeconds;
      if (!reckoner || !layout || !(seconds <= MAX_ADVANCE_SECONDS) || !this.#isThere(record)) continue;
      const row = said.slice();
      try {
        reckoner.predict(seconds, row);
      } catch {
        // The game's own model: what the player says is all there is.
        owned.reckoner = undefined;
        continue;
      }
      if (isFiniteRow(row) && owned.check.allowsAhead(said, row, seconds))
        copyMotion(layout, row, record.place.table.stateOf(record.place.row));
    }
  }

  #apply(line: PlayerConnection, localId: number, owned: Owned, { news, tick, texts = [] }: News): void {
    if (owned.tick !== undefined && ((tick - owned.tick) | 0) <= 0) return;
    owned.tick = tick;
    const { record, check } = owned;
    const state = record.place.table.stateOf(record.place.row);
    const nowSeconds = this.#options.nowSeconds();
    const { said } = owned;
    const breach = check.breach(said, news, nowSeconds);
    // Of what it says of itself in words, nothing can be implausible.
    record.place.table.textsOf(record.place.row).splice(0, texts.length, ...texts);
    if (breach === undefined) return take(owned, news, nowSeconds);
    this.#options.counters.breaches += 1;
    const answer = this.#options.answer(line, record, breach);
    if (answer === "count") return take(owned, news, nowSeconds);
    // It stands where it was until the player says something that can be.
    owned.saidAtSeconds = Number.NEGATIVE_INFINITY;
    state.set(said);
    if (answer === "kick") return line.kick(`not plausible: ${breach}`);
    if (nowSeconds - owned.correctedAtSeconds < CORRECTION_SECONDS) return;
    owned.correctedAtSeconds = nowSeconds;
    const body = writeWholeState(owned.plan, localId, state, record.texts);
    line.send(writeAuthority({ type: "corrected", localId, state: body }));
  }

  /** Why there is no place for one more entity. */
  #placeRefusal(line: PlayerConnection, { definition, most = 1 }: PlayerEntities): string | undefined {
    const { world, maxEntities } = this.#options;
    const mine = this.#ofLine(line);
    // The room may have despawned some of them by itself.
    for (const [localId, { record }] of mine) if (!this.#isThere(record)) mine.delete(localId);
    const same = [...mine.values()].filter(({ record }) => record.definition === definition);
    if (same.length >= most) return `a player may own ${most} of "${definition.name}"`;
    if (mine.size >= limits.ownedEntities) return `a player may own ${limits.ownedEntities} entities`;
    if (this.#ids.size >= maxEntities) return `players of a room may own ${maxEntities} entities together`;
    return world.isFull ? "the room has no place for another entity" : undefined;
  }

  #isThere(record: EntityRecord): boolean {
    return this.#options.world.records.get(record.id) === record;
  }

  #ofLine(line: PlayerConnection): Map<number, Owned> {
    const mine = this.#owned.get(line) ?? new Map<number, Owned>();
    this.#owned.set(line, mine);
    return mine;
  }
}

/** The entity is as its player says. */
function take(owned: Owned, news: Float32Array, nowSeconds: number): void {
  const { record, said, saidAtSeconds, reckoner } = owned;
  said.set(news);
  record.place.table.stateOf(record.place.row).set(news);
  reckoner?.take(news, Math.max(0, Math.min(nowSeconds - saidAtSeconds, MAX_ADVANCE_SECONDS)));
  owned.saidAtSeconds = nowSeconds;
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
