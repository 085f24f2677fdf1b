import {
  ByteReader,
  ByteWriter,
  readRow,
  writeAuthority,
  writeRow,
  type EntityDefinition,
  type ToAuthority,
} from "@paceline/protocol";
import { MotionCheck, type Breach, type MotionLimits } from "./plausibility.js";
import type { PlayerLine } from "./player-line.js";
import type { RoomCounters } from "./room-counters.js";
import type { EntityRecord, World } from "./world.js";

/** A kind of entity that players may own and simulate themselves. */
export interface PlayerEntities {
  readonly definition: EntityDefinition;
  /** Most of one player. Default 1. */
  readonly most?: number;
  /** What they cannot do. */
  readonly limits?: MotionLimits;
}

/** What a room does about a breach: put the entity back, let it pass and count it, put the player out. */
export type BreachAnswer = "correct" | "count" | "kick";

export interface OwnedStatesOptions {
  readonly world: World;
  readonly rules: readonly PlayerEntities[];
  readonly counters: RoomCounters;
  nowSeconds(): number;
  answer(line: PlayerLine, record: EntityRecord, breach: Breach): BreachAnswer;
}

interface Owned {
  readonly record: EntityRecord;
  readonly check: MotionCheck;
  tick: number | undefined;
  correctedAtSeconds: number;
}

/** One correction in a while: updates that are on their way do not each need one. */
const CORRECTION_SECONDS = 0.2;

/** The entities that players simulate, as the room has them: what players say of them is checked, then passed on. */
export class OwnedStates {
  readonly #options: OwnedStatesOptions;
  readonly #owned = new WeakMap<PlayerLine, Map<number, Owned>>();

  constructor(options: OwnedStatesOptions) {
    this.#options = options;
  }

  /** A player wants to own an entity; the reason where the room does not let it. */
  spawn(line: PlayerLine, spawn: ToAuthority & { readonly type: "own" }): string | undefined {
    const { rules, world } = this.#options;
    const rule = rules.find(({ definition }) => definition.name === spawn.name);
    if (!rule) return `players may not own a "${spawn.name}" here`;
    const { definition, most = 1, limits = {} } = rule;
    if (definition.schemaHash !== spawn.schemaHash) return `"${spawn.name}" is described differently here`;
    const mine = this.#ofLine(line);
    this.despawn(line, spawn.localId);
    const same = [...mine.values()].filter(({ record }) => record.definition === definition);
    if (same.length >= most) return `a player may own ${most} of "${spawn.name}"`;
    const state = new Float32Array(definition.components.length);
    const reader = new ByteReader(spawn.state);
    if (!readRow(reader, definition, state) || reader.remaining > 0) return "its state is out of range";
    const check = new MotionCheck(definition, limits);
    if (!check.allows(state)) return "it cannot be there";
    const record = world.spawn(definition, {}, line.player, "player");
    record.place.table.stateOf(record.place.row).set(state);
    mine.set(spawn.localId, {
      record,
      check,
      tick: undefined,
      correctedAtSeconds: Number.NEGATIVE_INFINITY,
    });
    line.send(writeAuthority({ type: "granted", localId: spawn.localId, id: record.id }));
    return undefined;
  }

  /** The record of an entity that its player gives up; undefined where it has none of that number. */
  despawn(line: PlayerLine, localId: number): EntityRecord | undefined {
    const mine = this.#ofLine(line);
    const owned = mine.get(localId);
    mine.delete(localId);
    return owned?.record;
  }

  /** A player's states. False where the bytes make no sense. */
  receive(line: PlayerLine, body: Uint8Array, tick: number): boolean {
    const { counters, world } = this.#options;
    const reader = new ByteReader(body);
    while (reader.ok && reader.remaining > 0) {
      const localId = reader.u16();
      const componentCount = reader.varint();
      const owned = this.#ofLine(line).get(localId);
      if (
        !owned ||
        !world.records.has(owned.record.id) ||
        owned.record.place.table.width !== componentCount
      ) {
        reader.bytes(componentCount * 4);
        counters.notAllowed += 1;
        continue;
      }
      const news = new Float32Array(componentCount);
      if (!readRow(reader, owned.record.definition, news)) return false;
      this.#apply(line, localId, owned, { news, tick });
    }
    return reader.ok;
  }

  #apply(
    line: PlayerLine,
    localId: number,
    owned: Owned,
    { news, tick }: { readonly news: Float32Array; readonly tick: number },
  ): void {
    if (owned.tick !== undefined && ((tick - owned.tick) | 0) <= 0) return;
    owned.tick = tick;
    const { record, check } = owned;
    const state = record.place.table.stateOf(record.place.row);
    const nowSeconds = this.#options.nowSeconds();
    const breach = check.breach(state, news, nowSeconds);
    if (breach === undefined) return state.set(news);
    this.#options.counters.breaches += 1;
    const answer = this.#options.answer(line, record, breach);
    if (answer === "count") return state.set(news);
    if (answer === "kick") return line.kick(`not plausible: ${breach}`);
    if (nowSeconds - owned.correctedAtSeconds < CORRECTION_SECONDS) return;
    owned.correctedAtSeconds = nowSeconds;
    const writer = new ByteWriter(state.length * 4);
    writeRow(writer, state);
    line.send(writeAuthority({ type: "corrected", localId, state: writer.take() }));
  }

  #ofLine(line: PlayerLine): Map<number, Owned> {
    const mine = this.#owned.get(line) ?? new Map<number, Owned>();
    this.#owned.set(line, mine);
    return mine;
  }
}
