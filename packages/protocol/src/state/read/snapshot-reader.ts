import { ByteReader } from "../../bytes/byte-reader.js";
import { limits } from "../../limits.js";
import type { DropReason } from "../../drop-reasons.js";
import { stateChecksum, MAX_ENTITIES, NO_TICK, PacketEntries } from "../codec/packet-entries.js";
import { EntityRows, type Texts } from "../columns/entity-rows.js";
import { OUT_OF_VIEW, PacketHead, type SharedBaselines } from "../codec/packet-head.js";
import { StateCodec } from "../codec/state-codec.js";
import { OWNER_COLUMN, TELEPORT_COLUMN, type StatePlan } from "../columns/state-plan.js";

/**
 * Limit of columns in one packet, over all its entities. With MAX_ENTITIES it limits the allocations of a reader.
 */
const MAX_COLUMNS = 0x20000;
const FIRST_STAGED = 1024;
const NO_TEXTS: Texts = [];
/** Reasons for which states are dropped although their packet is sound: its removals hold. */
const keepsRemovals: ReadonlySet<DropReason> = new Set(["no-baseline", "unknown-entity", "too-many-states"]);

/** Why an entity is gone: it has ended, or it only left the view of this participant. */
export type DespawnReason = "removed" | "out-of-view";

/** Receives the content of a packet, once the reader has checked all of it. */
export interface SnapshotListener {
  /**
   * A newer state arrived, at offset `place` of the entity's rows. `changes`: bits of {@link StateChange}.
   */
  onState(entity: EntityRows, tick: number, place: number, changes: number): void;
  onRemoved(id: number, tick: number, why: DespawnReason): void;
  /** The state of a tick is about to be replaced by another one of the same tick. */
  onReplaced?(id: number): void;
  /**
   * The decoded state differs from the sent one, because the two sides hold different baselines of this
   * entity.
   */
  onDesync(id: number, tick: number): void;
}

/** Changes besides values in a newer state. They are bits, so that a call allocates nothing. */
export const StateChange = { born: 1, teleported: 2, owner: 4 } as const;

interface SnapshotReaderOptions {
  /** Kinds of entities, in the sender's order. */
  readonly plans: readonly StatePlan[];
  readonly historyTicks: number;
  readonly maxEntities: number;
  /**
   * Takes a number of states off the sender's allowance before they are read: a few bytes may stand for
   * thousands of states. Returns false if it is used up, and the states are dropped. Default: no limit.
   */
  readonly takeStates?: ((states: number) => boolean) | undefined;
  /** Called with the number of removals in a packet before they are read, so that its sender can be charged. */
  readonly onRemovals?: ((removals: number) => void) | undefined;
}

/**
 * Reads packets of one sender. Accepts any bytes: a malformed packet is dropped whole, with a reason. It may
 * have at most 15 private members: a test says why.
 */
export class SnapshotReader {
  readonly #codec: StateCodec;
  readonly #head: PacketHead;
  readonly #entries = new PacketEntries();
  readonly #shared: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };
  readonly #own: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };
  readonly #options: SnapshotReaderOptions;
  readonly #entities = new Map<number, EntityRows>();
  /** Tick of the last removal of each id. Older packets must not bring the entity back. */
  readonly #removedAt = new Map<number, number>();
  /**
   * Removed entities by id, oldest removal first. A packet that arrives after the removal but is older may hold
   * a state of one among others that are still wanted.
   */
  readonly #gone = new Map<number, EntityRows>();
  readonly #removed: number[] = [];
  #staged = new Int32Array(FIRST_STAGED);
  /**
   * The packet that is being read: `columns` are staged, `checked` is the index of the entity of its checksum,
   * `born` counts its new entities, `id` and `kind` are those of the entity that was read last.
   */
  readonly #packet = {
    tick: 0,
    takesNew: true,
    columns: 0,
    checked: -1,
    checksum: 0,
    born: 0,
    id: -1,
    kind: 0,
  };

  constructor(options: SnapshotReaderOptions) {
    this.#options = options;
    this.#codec = new StateCodec(options.plans, 0);
    this.#head = new PacketHead(this.#codec.coder);
  }

  get entities(): ReadonlyMap<number, EntityRows> {
    return this.#entities;
  }

  /**
   * Reads a packet of the sender's `tick`. Returns a reason if its states were dropped. If they were because
   * the reader lacks what they refer to, or because they were too many, their packet's removals hold
   * nevertheless. If not `takesNew`, drops the states of a packet with a whole one.
   */
  read(bytes: Uint8Array, tick: number, listener: SnapshotListener, takesNew = true): DropReason | undefined {
    const packet = this.#packet;
    packet.tick = tick;
    packet.takesNew = takesNew;
    this.#entries.clear();
    this.#codec.coder.startDecoding(bytes);
    const reason = this.#readHead(tick) ?? this.#readStates(tick);
    if (reason !== undefined && !keepsRemovals.has(reason)) return reason;
    for (const removal of this.#removed) this.#remove(removal, tick, listener);
    if (reason !== undefined) return reason;
    const { entities, count } = this.#entries;
    for (let index = 0; index < count; index++) {
      const entity = entities[index]!;
      const place = this.#keep(index, tick, listener);
      const isWrong = packet.checked === index && place >= 0 && this.#isWrong(entity, place);
      if (isWrong) listener.onDesync(entity.id, tick);
    }
    return undefined;
  }

  /** Drops the received states of an entity, so that only a whole state restores it. */
  forget(id: number): void {
    this.#entities.get(id)?.clear();
  }

  /** Removes an entity without a trace: another entity may get its id. */
  end(id: number): void {
    this.#entities.delete(id);
    this.#gone.delete(id);
  }

  #readHead(tick: number): DropReason | undefined {
    const head = this.#head;
    const packet = this.#packet;
    this.#shared.tick0 = this.#shared.tick1 = this.#shared.tick2 = NO_TICK;
    this.#removed.length = 0;
    packet.checked = -1;
    packet.columns = packet.born = 0;
    if (head.flag(false)) {
      const count = head.countFromOne(0);
      const reason = this.#refusal(count);
      if (reason !== undefined) return reason;
      head.consecutive(tick, this.#shared);
      return this.#stageUniform(head.firstId(0), count);
    }
    if (head.flag(false)) return this.#readShortHead(tick);
    const count = head.count(0);
    if (count > MAX_ENTITIES) return "too-long";
    head.baselines(tick, this.#shared);
    if (head.flag(false)) {
      const removals = head.kind(0);
      if (removals > MAX_ENTITIES) return "too-long";
      this.#options.onRemovals?.(removals);
      for (let index = 0; index < removals; index++) this.#removed.push(head.removal(0));
    }
    if (head.flag(false)) {
      packet.checked = head.kind(0);
      packet.checksum = head.checksum(0);
      if (packet.checked >= count) return "bad-message";
    }
    return this.#refusal(count) ?? this.#readEntityHeads(tick, count);
  }

  /** Returns the reason for which so many states are not read, if there is one. */
  #refusal(count: number): DropReason | undefined {
    if (count > MAX_ENTITIES) return "too-long";
    return this.#options.takeStates?.(count) === false ? "too-many-states" : undefined;
  }

  #readEntityHeads(tick: number, count: number): DropReason | undefined {
    const head = this.#head;
    const packet = this.#packet;
    packet.id = -1;
    packet.kind = 0;
    if (this.#shared.tick0 !== NO_TICK && head.isUniform(false))
      return this.#stageUniform(head.firstId(0), count);
    for (let index = 0; index < count; index++) {
      packet.id = head.id(0, packet.id);
      if (packet.id > 0xffff || this.#codec.coder.isExhausted) return "length";
      const reason = this.#readEntityHead(tick);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #readShortHead(tick: number): DropReason | undefined {
    const head = this.#head;
    const count = head.countFromOne(0);
    let reason = this.#refusal(count);
    if (reason !== undefined) return reason;
    let id = -1;
    for (let index = 0; index < count; index++) {
      id = head.lone(0, id, tick, this.#own);
      if (id > 0xffff || this.#codec.coder.isExhausted) return "length";
      reason = this.#stageDelta(id, this.#own);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #stageUniform(first: number, count: number): DropReason | undefined {
    if (first + count > 0x10000) return "length";
    for (let id = first; id < first + count; id++) {
      const reason = this.#stageDelta(id, this.#shared);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  #readEntityHead(tick: number): DropReason | undefined {
    const head = this.#head;
    const packet = this.#packet;
    const shared = this.#shared;
    const hasShared = shared.tick0 !== NO_TICK;
    if (hasShared && head.isPlain(false)) return this.#stageDelta(packet.id, shared);
    if (!hasShared || head.flag(false)) {
      if (!head.flag(false)) packet.kind = head.kind(0);
      return this.#stageWhole(packet.id, packet.kind);
    }
    let baselines = shared;
    if (!head.flag(false)) {
      baselines = this.#own;
      head.baselines(tick, baselines);
    }
    const reason = this.#stageDelta(packet.id, baselines);
    if (reason === undefined && !head.flag(false)) {
      head.ownership(this.#staged, this.#entries.places[this.#entries.count - 1]!);
    }
    return reason;
  }

  /** Stages a whole state. Nothing is kept until the whole packet was checked: see {@link #keep}. */
  #stageWhole(id: number, kind: number): DropReason | undefined {
    const plan = this.#options.plans[kind];
    if (plan === undefined || !this.#packet.takesNew) return "unknown-entity";
    const isGone = this.#isGone(id);
    const known = isGone ? this.#gone.get(id) : this.#entities.get(id);
    const isFull = this.#entities.size + this.#packet.born >= this.#options.maxEntities;
    if (known === undefined && !isGone && isFull) return "queue-full";
    const place = this.#stage(plan.width);
    if (place < 0) return "too-long";
    const isBorn = known?.plan !== plan;
    if (isBorn && this.#options.takeStates?.(limits.newEntityStates) === false) return "too-many-states";
    const entity = isBorn ? new EntityRows(id, plan, this.#options.historyTicks) : known;
    if (isBorn) this.#packet.born += 1;
    entity.kind = kind;
    entity.isRemoved = isGone;
    this.#entries.add(entity, kind, place);
    this.#head.ownership(this.#staged, place);
    return undefined;
  }

  #stageDelta(id: number, { tick0, tick1, tick2 }: SharedBaselines): DropReason | undefined {
    const known = this.#entities.get(id);
    const isKnown = known !== undefined && ((known.firstTick - this.#packet.tick) | 0) <= 0;
    const entity = isKnown ? known : this.#isGone(id) ? this.#gone.get(id) : known;
    if (entity === undefined || tick0 === NO_TICK) return "unknown-entity";
    const place = this.#stage(entity.plan.width);
    if (place < 0) return "too-long";
    const index = this.#entries.add(entity, entity.kind, place);
    this.#entries.setBaselines(index, tick0, tick1, tick2);
    if (!this.#entries.locate(index)) return "no-baseline";
    const at0 = this.#entries.at0[index]!;
    this.#staged[place + OWNER_COLUMN] = entity.rows[at0 + OWNER_COLUMN]!;
    this.#staged[place + TELEPORT_COLUMN] = entity.rows[at0 + TELEPORT_COLUMN]!;
    return undefined;
  }

  #stage(width: number): number {
    const packet = this.#packet;
    const place = packet.columns;
    packet.columns += width;
    if (packet.columns > MAX_COLUMNS) return -1;
    if (packet.columns > this.#staged.length) {
      const larger = new Int32Array(Math.min(MAX_COLUMNS, this.#staged.length * 2 + width));
      larger.set(this.#staged);
      this.#staged = larger;
    }
    return place;
  }

  #readStates(tick: number): DropReason | undefined {
    const isSound = this.#codec.decode(this.#entries, tick, this.#staged);
    if (!this.#codec.coder.isComplete) return "length";
    return isSound ? undefined : "out-of-range";
  }

  /** Returns true if the entity of this id was removed at the tick of the packet or later. */
  #isGone(id: number): boolean {
    const removedAt = this.#removedAt.get(id);
    return removedAt !== undefined && ((this.#packet.tick - removedAt) | 0) <= 0;
  }

  #remove(removal: number, tick: number, listener: SnapshotListener): void {
    const id = removal & (OUT_OF_VIEW - 1);
    const entity = this.#entities.get(id);
    const isRepeated = entity === undefined && this.#removedAt.has(id);
    if (!this.#isGone(id)) this.#removedAt.set(id, tick);
    // A repeated or late removal does not concern a new entity of this id, nor one that is in view again.
    if (isRepeated || (entity && ((entity.newest - tick) | 0) > 0)) return;
    if (entity) {
      this.#entities.delete(id);
      entity.isRemoved = true;
      this.#gone.delete(id);
      this.#gone.set(id, entity);
      this.#forgetGone();
    }
    // Also without an entity here: the listener may know one from an earlier reader.
    listener.onRemoved(id, tick, removal < OUT_OF_VIEW ? "removed" : "out-of-view");
  }

  /** Forgets the removed entities of which no packet can be decoded any more, and the first of too many. */
  #forgetGone(): void {
    const { historyTicks, maxEntities } = this.#options;
    for (const id of this.#gone.keys()) {
      const isKept = ((this.#packet.tick - this.#removedAt.get(id)!) | 0) < historyTicks;
      if (isKept && this.#gone.size <= maxEntities) return;
      this.#gone.delete(id);
    }
  }

  /**
   * Stores a state in its entity's rows. Returns its offset there, or -1 if a newer state has the place, or if
   * the entity was removed.
   */
  #keep(index: number, tick: number, listener: SnapshotListener): number {
    const entries = this.#entries;
    const entity = entries.entities[index]!;
    if (entity.isRemoved) {
      this.#store(entity, index, tick);
      return -1;
    }
    // An entity with baselines is known.
    const isNew = entries.ticks0[index] === NO_TICK && this.#entities.get(entity.id) !== entity;
    const isNews = entity.newest < 0 || ((tick - entity.newest) | 0) > 0;
    const before = entity.newest < 0 ? -1 : entity.find(entity.newest);
    const place = entries.places[index]!;
    const changes = isNew ? StateChange.born : before < 0 ? 0 : this.#changes(entity, before, place);
    if (isNew) {
      entity.firstTick = tick;
      this.#entities.set(entity.id, entity);
    }
    if (entity.find(tick) >= 0) listener.onReplaced?.(entity.id);
    const at = this.#store(entity, index, tick);
    if (at >= 0 && isNews) listener.onState(entity, tick, at, changes);
    return at;
  }

  #store(entity: EntityRows, index: number, tick: number): number {
    const { places, texts } = this.#entries;
    const at = entity.reserve(tick);
    if (at < 0) return -1;
    const { rows, plan } = entity;
    const place = places[index]!;
    const staged = this.#staged;
    for (let column = 0; column < plan.width; column++) rows[at + column] = staged[place + column]!;
    entity.setTexts(tick, texts[index] ?? NO_TEXTS);
    return at;
  }

  #isWrong({ rows, plan }: EntityRows, at: number): boolean {
    return stateChecksum(rows, at, plan.width) !== this.#packet.checksum;
  }

  #changes({ rows }: EntityRows, before: number, place: number): number {
    const staged = this.#staged;
    const isTeleport = rows[before + TELEPORT_COLUMN] !== staged[place + TELEPORT_COLUMN];
    const isOwner = rows[before + OWNER_COLUMN] !== staged[place + OWNER_COLUMN];
    return (isTeleport ? StateChange.teleported : 0) | (isOwner ? StateChange.owner : 0);
  }
}

/** Reads states that came as a message of their own: their tick, then a body. */
export function readReference(
  reader: SnapshotReader,
  message: Uint8Array,
  listener: SnapshotListener,
): DropReason | undefined {
  const bytes = new ByteReader(message);
  const tick = bytes.u32();
  return bytes.ok ? reader.read(bytes.rest(), tick, listener) : "too-short";
}
