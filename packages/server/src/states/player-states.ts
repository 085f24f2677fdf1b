import {
  OUT_OF_VIEW,
  type Receiver,
  type EntityRows,
  type GroupStates,
  type KindInfo,
  type ToAuthority,
  type ViewLimits,
} from "@paceline/protocol";
import { StateBudget, type ReplicationMoment, type StateShortage } from "@paceline/netcode";
import type { Link, StateMoment } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { Viewing } from "../entities/sight.js";
import { AlignedReceiver } from "./aligned-receiver.js";
import { exactTerms, termsKey, termsOf } from "./state-terms.js";

/** Bytes of a packet's header, of its message's head, and of the feedback. */
export const HEADS_BYTES = 40;
/** As {@link HEADS_BYTES}, on a link that keeps order. */
const HEADS_BYTES_IN_ORDER = 32;
/** Limit of removals in a tick. With more, they would take the place of states in all ticks of a round trip. */
const REMOVALS_PER_TICK = 256;
/** Limit of packets with removals that await an acknowledgement. */
const MAX_ANNOUNCED = 256;
const NO_IDS: readonly number[] = [];
const NO_ROWS: readonly EntityRows[] = [];
/** Bytes of a removed id in a packet. */
const REMOVAL_BYTES = 2;
/** Shortest time between two reports of a shortage, ms. */
const SHORTAGE_PERIOD_MS = 1000;
/** Time after states were last held back for which the player counts as slow, ms. */
const HELD_MS = 1000;
/** A shortage is reported again if its number has changed by more than this share. */
const SHORTAGE_CHANGE = 0.1;

/** The connection to one player, as its states use it. */
export interface StatesConnection {
  /** Returns the link if it brings all states in the order in which they are sent, else undefined. */
  inOrder(): Link | undefined;
  /** Returns true while sent bytes still wait. */
  isSlow(nowMs: number): boolean;
  /** Returns true if states can be sent now, even if {@link isSlow}. */
  takesStates(): boolean;
  /** Returns the time without an acknowledgement after which a packet counts as lost, ms. */
  lostAfterMs(): number;
  /** Sends the player the limits of the room that override its terms. */
  sendLimits(limits: ViewLimits): void;
  /**
   * Sends a body of states, and further ones with their heads in the same packet. Returns the sequence number of the
   * packet, or undefined if nothing was sent.
   */
  send(
    states: Uint8Array,
    key: number,
    moment: StateMoment,
    further?: readonly Uint8Array[],
  ): number | undefined;
  /** Returns the sequence number of the next packet; undefined if nothing can be sent. */
  next(): number | undefined;
  /** The player as an owner of entities, and what it looks from. */
  readonly player: Viewing;
}

/** Removals in a packet that awaits its acknowledgement. */
interface Announcement {
  readonly ids: readonly number[];
  readonly sequence: number;
  /** Number of the announcement. */
  readonly number: number;
}

/** The states that a tier offers a player at one tick. */
export interface Turn extends ReplicationMoment {
  /** Entities that are due, of the kinds that the player reads. */
  readonly due: readonly EntityRows[];
  /** Key of the tier's terms. */
  readonly termsKey: string;
  /** The room's limit of states for each player. */
  readonly maxBytesPerSecond: number;
}

/** Returns true if a shortage has begun or ended, or its number has changed enough. */
function hasChanged(before: StateShortage | undefined, now: StateShortage | undefined): boolean {
  if (!before || !now) return before !== now;
  const { neededBytesPerSecond } = before;
  return Math.abs(now.neededBytesPerSecond - neededBytesPerSecond) > SHORTAGE_CHANGE * neededBytesPerSecond;
}

/** Returns the bytes that a body costs, with its heads. */
export function costOf({ body, removed, receivers }: GroupStates): number {
  const heads = receivers[0]!.isInOrder ? HEADS_BYTES_IN_ORDER : HEADS_BYTES;
  return body.length + heads - removed.length * REMOVAL_BYTES;
}

function moveToEnd(removals: Map<number, number>, id: number): void {
  const since = removals.get(id)!;
  removals.delete(id);
  removals.set(id, since);
}

/**
 * One player as the receiver of a room's states: what it asked for, what it holds, and the budget of what it gets
 * alone. It is limited to the kinds that its game knows.
 */
export class PlayerStates extends AlignedReceiver {
  readonly connection: StatesConnection;
  /** The rates and distances that the player asked for. */
  terms = exactTerms;
  /** Equal for equal terms. */
  termsKey = termsKey(exactTerms);
  /** Kinds that are sent. Players with the same `kindsKey` get the same kinds. */
  readonly kinds = new Set<number>();
  kindsKey = "";
  /** Number of times from which on the player held nothing. */
  restarts = 0;
  /** True once another record, or none, stands for the player. */
  isEnded = false;
  /** Returns true if an entity is in the player's view. Default: all are. */
  sees: ((id: number) => boolean) | undefined;
  /** Called with the sequence number of each packet that has arrived. */
  onAcknowledged: ((sequence: number) => void) | undefined;
  /** Returns the receiver of an entity's states, if it is another one than this. */
  receiverOf: ((record: EntityRecord) => Receiver | undefined) | undefined;
  readonly #world: World;
  /** The room's limits that were last sent to the player. */
  #limits: ViewLimits | undefined;
  /** The shortage that was last sent to the player. */
  #shortage: StateShortage | undefined;
  #shortageAtMs = -Infinity;
  #heldAtMs = -Infinity;
  /** True if the player was told that its states are held back. */
  #isHeld = false;
  /** Pays for what this player gets alone, and for all on a line that may lose packets. */
  readonly #budget = new StateBudget();
  /** True if the budget of the tier pays for the due states. */
  #isFree = false;
  #isBlocked = false;
  #isSlow = false;
  /** Number of states for which the budget suffices, besides the due ones that the player gets. */
  #affordable = 0;
  #link: Link | undefined;
  /** True once the player was sent something. Before, it holds no entity whose removal it could miss. */
  #hasSent = false;
  /**
   * Removals that the player may still lack, those that were announced longest ago first, each with the number of the
   * first announcement that counts: an earlier one was about an earlier leave of the entity.
   */
  readonly #removals = new Map<number, number>();
  /** Removals in packets that await an acknowledgement. If they were sent in order, a broken link may lose them. */
  readonly #announced: Announcement[] = [];
  #announcements = 0;

  constructor(world: World, connection: StatesConnection) {
    super();
    this.#world = world;
    this.connection = connection;
  }

  /** Applies a request of the player. Returns the name of a kind that the room defines differently. */
  setView(message: Exclude<ToAuthority, { readonly type: "own" | "disown" }>): string | undefined {
    if (message.type === "kinds") return this.setKinds(message.kinds);
    if (message.type === "view") {
      this.terms = termsOf(message);
      this.termsKey = termsKey(this.terms);
    } else if (message.ids.length === 0) this.restart();
    else for (const id of message.ids) this.#resync(id);
    return undefined;
  }

  #resync(id: number): void {
    const record = this.#world.records.get(id);
    if (record && this.kinds.has(record.kind)) (this.receiverOf?.(record) ?? this).resync(record.rows);
  }

  /**
   * Sets the room's limits in force (undefined: none) and the shortage of the tier's budget. Sends them to the
   * player if the limits are another object than before, or the shortage has changed enough, or the path has begun or
   * ceased to hold states back.
   */
  setLimits(limits: ViewLimits | undefined, ofTier: StateShortage | undefined, nowMs: number): void {
    const own = this.#isFree ? undefined : this.#budget.shortage;
    const shortage = own && own.neededBytesPerSecond > (ofTier?.neededBytesPerSecond ?? 0) ? own : ofTier;
    const isNews = nowMs - this.#shortageAtMs >= SHORTAGE_PERIOD_MS && hasChanged(this.#shortage, shortage);
    const isHeld = nowMs - this.#heldAtMs < HELD_MS;
    if (limits === this.#limits && !isNews && isHeld === this.#isHeld) return;
    if (isNews) [this.#shortage, this.#shortageAtMs] = [shortage, nowMs];
    this.#limits = limits;
    this.#isHeld = isHeld;
    this.connection.sendLimits({ ...limits, ...this.#shortage, ...(isHeld && { isHeld }) });
  }

  /**
   * Sets the kinds that the player's game reads. Returns the name of the first one that the room defines
   * differently.
   */
  setKinds(kinds: readonly KindInfo[]): string | undefined {
    this.kinds.clear();
    let other: string | undefined;
    const mine = this.#world.kinds;
    for (const { name, schemaHash } of kinds) {
      const kind = mine.findIndex((each) => each.name === name);
      if (kind >= 0 && mine[kind]!.schemaHash === schemaHash) this.kinds.add(kind);
      else other ??= name;
    }
    this.kindsKey = [...this.kinds].sort((a, b) => a - b).join();
    this.restart();
    return other;
  }

  /** Announces the removal of an entity until it has arrived. Call it before the id is used again. */
  removed({ kind, rows }: EntityRecord): void {
    this.forget(rows);
    if (this.#hasSent && !rows.isEmpty && this.kinds.has(kind)) this.#addRemoval(rows.id);
  }

  /** Announces that an entity has left the player's view, until that has arrived or it is in view again. */
  leftView({ kind, rows }: EntityRecord): void {
    this.forget(rows);
    if (this.#hasSent && !rows.isEmpty && this.kinds.has(kind)) this.#addRemoval(rows.id + OUT_OF_VIEW);
  }

  /** Removals that the player may lack. */
  get missingRemovals(): readonly number[] {
    return [...this.#removals.keys(), ...this.#announced.flatMap(({ ids }) => ids)];
  }

  /** Announces removals that a player of an earlier process may lack. It holds what that process has sent. */
  announceRemovals(removals: readonly number[]): void {
    this.#hasSent = true;
    for (const removal of removals) this.#addRemoval(removal);
  }

  #addRemoval(removal: number): void {
    this.#removals.set(removal, this.#announcements);
  }

  /**
   * Returns the ids to announce as removed, without ids that are in use or in view again. If there are many, some of
   * them.
   */
  override removals(): readonly number[] {
    const removals = this.#removals;
    if (removals.size === 0) return NO_IDS;
    for (const removal of removals.keys()) if (this.#isUndone(removal)) removals.delete(removal);
    const ids = [...removals.keys()].slice(0, REMOVALS_PER_TICK);
    // The others come first in the next tick.
    if (ids.length < removals.size) for (const id of ids) moveToEnd(removals, id);
    return ids;
  }

  #isUndone(removal: number): boolean {
    if (removal < OUT_OF_VIEW) return this.#world.history.find(removal) !== undefined;
    return this.sees?.(removal - OUT_OF_VIEW) === true;
  }

  override restart(): void {
    super.restart();
    this.restarts += 1;
    for (const { ids } of this.#announced.splice(0)) for (const id of ids) this.#addRemoval(id);
  }

  #confirm({ ids, number }: Announcement): void {
    for (const id of ids) if (this.#removals.get(id)! <= number) this.#removals.delete(id);
  }

  override acknowledge(sequence: number): void {
    const at = this.#announced.findIndex((each) => each.sequence === sequence);
    // Packets that were sent in order before this one have arrived, too.
    const arrived = this.isInOrder
      ? this.#announced.splice(0, at + 1)
      : this.#announced.splice(at, at < 0 ? 0 : 1);
    if (!this.isInOrder) for (const each of arrived) this.#confirm(each);
    super.acknowledge(sequence);
    this.onAcknowledged?.(sequence);
  }

  /** Looks at the player's link: what has got lost on it, and whether it takes states now. */
  review({ tick, nowMs }: ReplicationMoment): void {
    const { connection } = this;
    this.#follow(connection.inOrder());
    // Packets of an earlier link that keeps no order may still be on their way.
    if (this.hasOpenPackets) this.lose(nowMs - connection.lostAfterMs(), tick);
    this.#isSlow = connection.isSlow(nowMs);
    // States that would only wait in a queue are not encoded.
    this.#isBlocked = this.#isSlow && !connection.takesStates();
    if (this.#isBlocked) this.#heldAtMs = nowMs;
  }

  /** True if states would only wait in a queue. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  /** Decides what the player gets at this tick: the due states, or only as many as its own budget affords. */
  prepare(turn: Turn): void {
    this.review(turn);
    this.#isFree = this.isInOrder && this.termsKey === turn.termsKey;
    // Most players of most ticks get what is due, and pay for nothing alone.
    if (this.#isFree && !this.#isBlocked && !this.isNew && !this.isExceptional) {
      this.isSkipping = false;
      this.#affordable = 0;
    } else this.#pay(turn);
  }

  #follow(link: Link | undefined): void {
    // The former link may have lost what was sent over it.
    if (this.#link && link !== this.#link) this.restart();
    this.#link = link;
    this.setInOrder(link !== undefined);
  }

  /** Decides what the player's own budget pays for. */
  #pay({ nowMs, due, maxBytesPerSecond }: Turn): void {
    this.#budget.refill(nowMs, Math.min(maxBytesPerSecond, this.terms.bytesPerSecond));
    const affordable = this.#afford(due);
    // The player pays for all entities before it gets all of them again.
    const hasToWait = this.isNew ? affordable <= 0 : !this.#isFree && due.length > affordable;
    this.isSkipping = this.#isBlocked || hasToWait;
    const left = this.isSkipping || this.#isFree ? affordable : affordable - due.length;
    this.#affordable = this.#isBlocked || this.isNew ? 0 : left;
  }

  /** Returns the number of states for which the budget suffices, and notes a shortage. */
  #afford(due: readonly EntityRows[]): number {
    if (this.#isFree) return this.#budget.affordable;
    let waiting = this.waiting;
    if (waiting > 0)
      for (const entity of due) if (this.exceptions.get(entity)?.isWanted !== true) waiting += 1;
    return this.#budget.afford(waiting > 0 ? waiting : due.length);
  }

  /** True if there are ids of removed entities to announce. */
  get hasRemovals(): boolean {
    return this.#removals.size > 0;
  }

  /** True if the player gets the ids of removed entities alone. */
  get isAnnouncing(): boolean {
    return this.isSkipping && !this.#isBlocked && this.#removals.size > 0;
  }

  /** Returns the entities, with their states of a tick, that the player gets alone now, within its budget. */
  alone(tick: number): readonly EntityRows[] {
    if (!this.isExceptional || this.#affordable <= 0) return NO_ROWS;
    const rows: EntityRows[] = [];
    for (const { id } of this.wanted(this.#affordable)) {
      const record = this.#world.records.get(id);
      if (record) rows.push(this.#world.rowsAt(record, tick));
    }
    return rows;
  }

  /** Sends a body of states. */
  send(states: GroupStates, moment: ReplicationMoment): void {
    const { body, content, number, removed, rows } = states;
    this.#hasSent = true;
    const key = this.#keyOf(number);
    const sequence = this.connection.send(body, key, this.#departure(moment, removed.length > 0));
    this.noteSent(states, sequence, moment.nowMs);
    if (sequence === undefined || (this.#isFree && content !== "wanted")) return;
    // Whole states are the beginning, not the course: the budget pays for them, but does not learn from them.
    this.#budget.spent(costOf(states), content === "all" ? 0 : rows.length);
  }

  /** Sends bodies in one packet, the further ones with their heads. `hasRemovals`: see {@link noteSent}. */
  sendBodies(
    body: Uint8Array,
    number: number,
    moment: ReplicationMoment,
    hasRemovals: boolean,
    further: readonly Uint8Array[],
  ): number | undefined {
    this.#hasSent = true;
    return this.connection.send(body, this.#keyOf(number), this.#departure(moment, hasRemovals), further);
  }

  /** A slow line says how many states it takes: see `prepare`. None waits long enough to be replaced. */
  #keyOf(number: number): number {
    return this.isInOrder && !this.#isSlow ? 0 : number;
  }

  #departure({ tick, nowMs }: ReplicationMoment, hasRemovals: boolean): StateMoment {
    return { tick, nowMs, isFollowed: !this.isInOrder || hasRemovals };
  }

  /** Notes the packet that carries states. Its removals are announced until its acknowledgement. */
  noteSent(states: GroupStates, sequence: number | undefined, nowMs: number): void {
    this.sent(states, sequence, nowMs);
    if (sequence !== undefined && states.removed.length > 0) this.#announce(states.removed, sequence);
  }

  #announce(ids: readonly number[], sequence: number): void {
    if (this.isInOrder) for (const id of ids) this.#removals.delete(id);
    this.#announced.push({ ids, sequence, number: this.#announcements });
    this.#announcements += 1;
    if (this.#announced.length > MAX_ANNOUNCED) this.#announced.shift();
  }
}
