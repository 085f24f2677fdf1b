import {
  SharedSnapshotSender,
  limits,
  sequenceDistance,
  type EntityRows,
  type KindInfo,
  type ToAuthority,
  type ViewLimits,
} from "@paceline/protocol";
import { StateBudget, type ReplicationMoment, type StateShortage } from "@paceline/netcode";
import type { Link, StateMoment } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { SharedSnapshot } from "./shared-snapshot.js";
import type { DueCost } from "./room-replication.js";
import { exactTerms, termsKey, termsOf, type StateTerms } from "./state-terms.js";

/** Bytes of a packet's header, of its message's head, and of the feedback. */
const HEADS_BYTES = 40;
/** Bytes of a removed id in a packet. */
export const REMOVAL_BYTES = 2;
/** A player that was slow, or restarted, gets states of its own for this long. */
const INDIVIDUAL_SECONDS = 0.25;
/** Shortest time between two reports of a shortage, ms. */
const SHORTAGE_PERIOD_MS = 1000;
/** Time after states were last held back for which the player counts as slow, ms. */
const HELD_MS = 1000;
/** A shortage is reported again if its number has changed by more than this share. */
const SHORTAGE_CHANGE = 0.1;

/** The connection to one player, as its snapshot stream uses it. */
export interface SnapshotStreamConnection {
  /** Returns the link if it brings all states in the order in which they are sent, else undefined. */
  inOrder(): Link | undefined;
  /** Returns true while sent bytes still wait. The stream then sends less. */
  isSlow(nowMs: number): boolean;
  /** Returns true if states can be sent now, even if {@link isSlow}. */
  takesStates(): boolean;
  /** Returns the time without an acknowledgement after which a packet counts as lost, ms. */
  lostAfterMs(): number;
  /** Sends the player the limits of the room that override its terms. */
  sendLimits(limits: ViewLimits): void;
  /** Sends a body of states. Returns the sequence number of its packet, or undefined if nothing was sent. */
  send(states: Uint8Array, key: number, moment: StateMoment): number | undefined;
}

/** The entities that are due at a tick under one set of {@link StateTerms}. */
export interface Turn {
  readonly due: readonly EntityRecord[];
  /** Returns the rows of the due entities whose kinds the stream sends. */
  rowsOf(snapshots: PlayerSnapshotStream): readonly EntityRows[];
  /** True if the terms send in this tick. Entities that the player lacks are sent in any tick. */
  readonly isTurn: boolean;
  /** Returns the last tick at which the entity was sent under these terms; undefined before the first. */
  sentTick(record: EntityRecord): number | undefined;
  /** The room's limit of states for each player. */
  readonly maxBytesPerSecond: number;
}

/** A sent packet that is not a baseline yet. It is acknowledged if `hasArrived`, else it may be lost. */
interface Pending {
  readonly sequence: number;
  readonly tick: number;
  readonly sentAtMs: number;
  readonly rows: readonly EntityRows[];
  hasArrived: boolean;
}

/** Returns true if a shortage has begun or ended, or its number has changed enough. */
function hasChanged(before: StateShortage | undefined, now: StateShortage | undefined): boolean {
  if (!before || !now) return before !== now;
  const { neededBytesPerSecond } = before;
  return Math.abs(now.neededBytesPerSecond - neededBytesPerSecond) > SHORTAGE_CHANGE * neededBytesPerSecond;
}

/**
 * Sends the world to one player, limited to the kinds that its game knows. It mostly uses a
 * {@link SharedSnapshot}. If it cannot, it sends differences to the states that the player has acknowledged;
 * streams with the same baseline share that encoding, too.
 */
export class PlayerSnapshotStream {
  readonly connection: SnapshotStreamConnection;
  /** The connection's answer of this tick: {@link SnapshotStreamConnection.isSlow} asks the path itself. */
  isSlow = false;
  /** The rates and distances that the player asked for. */
  terms = exactTerms;
  /** Streams with the same key send the same states, if their `kindsKey` is the same too. */
  termsKey = termsKey(exactTerms);
  /** Kinds that are sent. Streams with the same `kindsKey` send the same kinds. */
  readonly kinds = new Set<number>();
  kindsKey = "";
  readonly #world: World;
  /** The room's limits that were last sent to the player. */
  #limits: ViewLimits | undefined;
  /** The shortage that was last sent to the player. */
  #shortage: StateShortage | undefined;
  #shortageAtMs = -Infinity;
  #heldAtMs = -Infinity;
  /** True if the player was told that its states are held back. */
  #isHeld = false;
  #sender: SharedSnapshotSender | undefined;
  /** The shared snapshot that this stream joined, at that snapshot's `epoch` and over that link. */
  #sharedSnapshot: SharedSnapshot | undefined;
  #epoch = 0;
  #link: Link | undefined;
  /**
   * Link that still has to bring the last packets of the shared snapshot, on which {@link #sender} builds.
   * Undefined once a later packet was acknowledged.
   */
  #reliesOn: Link | undefined;
  /** The stream joins no shared snapshot before this tick. */
  #individualUntilTick = 0;
  #isWhole = true;
  /** True once the player was sent something. Before, it holds no entity whose removal it could miss. */
  #hasSent = false;
  /** Pays for this player's states and repeats. The budget of its tier pays for what is due to all. */
  readonly #budget = new StateBudget();
  /** Entities that this player lacks: their packet was lost, or {@link #budget} could not pay for them. */
  readonly #forced = new Set<EntityRecord>();
  /** Removed entities that the player may still hold and that {@link #sender} does not announce. */
  readonly #removals = new Set<number>();
  /** Removals that the shared snapshot has announced, oldest first, and that nothing has acknowledged yet. */
  #announced: { readonly ids: readonly number[]; readonly sequence: number }[] = [];
  #pending: Pending[] = [];

  constructor(world: World, connection: SnapshotStreamConnection) {
    this.#world = world;
    this.connection = connection;
  }

  /** Applies a request of the player. Returns the name of a kind that the room defines differently. */
  setView(message: Exclude<ToAuthority, { readonly type: "own" | "disown" }>): string | undefined {
    if (message.type === "kinds") return this.setKinds(message.kinds);
    if (message.type === "view") this.#setTerms(termsOf(message));
    else if (message.ids.length === 0) this.restart();
    else for (const id of message.ids) this.resync(id);
    return undefined;
  }

  #setTerms(terms: StateTerms): void {
    const key = termsKey(terms);
    if (key === this.termsKey) return;
    // The stream is about to share packets with other streams: send the differences first.
    this.catchUp();
    this.terms = terms;
    this.termsKey = key;
  }

  /**
   * Sets the room's limits in force (undefined: none) and the shortage of the tier's budget. Sends them to the
   * player if the limits are another object than before, or the shortage has changed enough, or the path has begun or
   * ceased to hold states back.
   */
  setLimits(limits: ViewLimits | undefined, ofTier: StateShortage | undefined, nowMs: number): void {
    // In the shared snapshot the player's own budget does not count.
    const own = this.#sharedSnapshot ? undefined : this.#budget.shortage;
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

  /** Sends every entity whole. */
  restart(): void {
    this.#sharedSnapshot = undefined;
    this.#reset();
  }

  /** Sends this entity whole, because the player does not trust its state. */
  resync(id: number): void {
    const record = this.#world.records.get(id);
    if (!record) return;
    this.leave();
    this.#sender?.resync(record.rows);
    this.#forced.add(record);
  }

  /** Sends all entities as differences, because a packet was not sent. */
  catchUp(): void {
    this.leave();
    this.#isWhole = true;
  }

  /** Marks a packet as arrived. {@link rebase} makes it a baseline. */
  acknowledge(sequence: number): void {
    // The shared snapshot's link keeps order, so that this packet confirms all before it.
    while (this.#announced[0] && sequenceDistance(sequence, this.#announced[0].sequence) >= 0)
      this.#announced.shift();
    const packet = this.#pending.find((each) => each.sequence === sequence);
    if (packet) {
      packet.hasArrived = true;
      this.#reliesOn = undefined;
    } else this.#sender?.acknowledge(sequence);
  }

  /**
   * Returns the newest tick up to which every packet has arrived; undefined if no packet is on its way. A
   * missing packet is passed over once a packet that is more than `patienceTicks` newer has arrived.
   */
  arrivedTick(patienceTicks: number): number | undefined {
    let newest: number | undefined;
    let missing: number | undefined;
    for (const { tick, hasArrived } of this.#pending) {
      if (hasArrived) newest = tick;
      else missing ??= tick;
    }
    if (missing === undefined) return newest;
    const before = missing - 1;
    return newest === undefined || newest - before <= patienceTicks ? before : newest;
  }

  /** Makes the arrived packets of this tick and of earlier ones the baseline. */
  rebase(tick: number): void {
    const pending = this.#pending;
    let kept = 0;
    for (const packet of pending) {
      if (packet.hasArrived && packet.tick <= tick) this.#sender?.acknowledge(packet.sequence);
      else pending[kept++] = packet;
    }
    pending.length = kept;
  }

  removed(record: EntityRecord): void {
    this.#forced.delete(record);
    const { rows } = record;
    if (!this.#hasSent || rows.isEmpty || !this.kinds.has(record.kind)) return;
    if (this.#sender) this.#sender.remove(rows);
    else this.#removals.add(record.id);
  }

  /** Removals that a shared snapshot must announce when this stream joins it. */
  get removals(): ReadonlySet<number> {
    return this.#removals;
  }

  /** Notes that the shared snapshot has announced removals to this stream, in the packet of that sequence. */
  announced(ids: readonly number[], sequence: number): void {
    for (const id of ids) this.#removals.delete(id);
    this.#announced.push({ ids, sequence });
  }

  /** Returns true if the stream is an up-to-date member of the shared snapshot, over this link. */
  isMemberOf(sharedSnapshot: SharedSnapshot, link: Link): boolean {
    return (
      this.#sharedSnapshot === sharedSnapshot && this.#epoch === sharedSnapshot.epoch && this.#link === link
    );
  }

  mayJoin(tick: number): boolean {
    return tick >= this.#individualUntilTick;
  }

  /** Joins the shared snapshot. */
  join(sharedSnapshot: SharedSnapshot, link: Link, individualUntilTick: number): void {
    this.#reset();
    this.#sender = undefined;
    this.#isWhole = false;
    this.#sharedSnapshot = sharedSnapshot;
    this.#link = link;
    this.#individualUntilTick = individualUntilTick;
  }

  /** Notes that the shared snapshot has sent this stream a packet. */
  markSent(sharedSnapshot: SharedSnapshot): void {
    this.#hasSent = true;
    this.#epoch = sharedSnapshot.epoch;
  }

  /** Leaves the shared snapshot. Packets that it has sent will still arrive. */
  leave(): void {
    const sharedSnapshot = this.#sharedSnapshot;
    if (!sharedSnapshot) return;
    this.#sharedSnapshot = undefined;
    this.#reset();
    if (this.#epoch !== sharedSnapshot.epoch || this.connection.inOrder() !== this.#link) return;
    this.#isWhole = false;
    this.#sender = this.#newSender();
    this.#sender.copyBaselines(sharedSnapshot.sender);
    this.#reliesOn = this.#link;
  }

  /** Sends states to this player alone. Returns their cost if they are exactly the due ones. */
  write(moment: ReplicationMoment, turn: Turn, tickHz: number): DueCost | undefined {
    if (this.#reliesOn && this.connection.inOrder() !== this.#reliesOn) this.#reset();
    if (!turn.isTurn && !this.#isWhole) return undefined;
    if (!this.#mayWrite(moment, turn, tickHz)) return undefined;
    const rows = this.#rowsToSend(moment, turn);
    const isWhole = this.#isWhole;
    const bytes = this.#send(moment, rows);
    // Whole states are the beginning, not the course: the budget pays for them, but does not learn from them.
    this.#budget.spent(bytes, isWhole ? 0 : rows.length);
    if (isWhole || bytes === 0) return undefined;
    return rows === turn.rowsOf(this) && !this.#isWhole ? { bytes, states: rows.length } : undefined;
  }

  #mayWrite({ tick, nowMs }: ReplicationMoment, turn: Turn, tickHz: number): boolean {
    // A slow player stays alone for a while, so that it does not change groups at every tick.
    const { isSlow } = this;
    if (isSlow) this.#individualUntilTick = tick + INDIVIDUAL_SECONDS * tickHz;
    // States that would only wait in a queue are not encoded.
    const isBlocked = isSlow && !this.connection.takesStates();
    this.#isWhole ||= isBlocked;
    if (isBlocked) this.#heldAtMs = nowMs;
    if (isBlocked) return false;
    this.#budget.refill(nowMs, Math.min(turn.maxBytesPerSecond, this.terms.bytesPerSecond));
    // The player pays for all entities before it gets all of them again.
    return !this.#isWhole || this.#budget.affordable > 0;
  }

  #send(moment: ReplicationMoment, rows: readonly EntityRows[]): number {
    const { tick, nowMs } = moment;
    const followed = { tick, nowMs, isFollowed: true };
    const sender = (this.#sender ??= this.#newSender());
    let packets = 0;
    let bytes = 0;
    let isMissing = false;
    sender.start(tick, rows);
    for (let states = sender.next(); states; states = sender.next()) {
      const { body, entities, from, to, removed } = states;
      packets += 1;
      this.#hasSent = true;
      const sequence = this.connection.send(body, packets, followed);
      isMissing ||= sequence === undefined;
      if (sequence === undefined) continue;
      states.sequence = sequence;
      bytes += body.length + HEADS_BYTES - removed.length * REMOVAL_BYTES;
      const sent = to - from === rows.length ? rows : entities.slice(from, to);
      this.#pending.push({ sequence, tick, sentAtMs: nowMs, rows: sent, hasArrived: false });
    }
    if (isMissing || packets > 0) this.#isWhole = isMissing;
    return bytes;
  }

  #rowsToSend(moment: ReplicationMoment, turn: Turn): readonly EntityRows[] {
    const { tick, nowMs } = moment;
    this.#forceLost(nowMs, turn);
    if (this.#isWhole) this.#forced.clear();
    else if (this.#forced.size === 0 && turn.due.length <= this.#budget.affordable) {
      this.#budget.afford(turn.due.length);
      return turn.rowsOf(this);
    }
    const wanted = this.#isWhole
      ? this.#sentOf(this.#world.records.values())
      : this.#mostUrgent(this.#sentOf(turn.due));
    return wanted.map((record) => this.#world.rowsAt(record, tick));
  }

  /**
   * Returns the entities to send within the budget: the due ones that have waited, other due ones, repeats.
   * The rest waits, so that every entity gets its turn.
   */
  #mostUrgent(due: readonly EntityRecord[]): EntityRecord[] {
    const forced = this.#forced;
    const isDue = new Set(due);
    const waited = Array.from(forced).filter((record) => isDue.has(record));
    const wanted = new Set([...waited, ...due, ...this.#sentOf(forced)]);
    const sent = [...wanted].slice(0, this.#budget.afford(wanted.size));
    // One that has waited before keeps its place.
    for (const record of wanted) forced.add(record);
    for (const record of sent) forced.delete(record);
    return sent;
  }

  /** Returns the entities of the kinds that the player's game reads. */
  #sentOf(records: Iterable<EntityRecord>): EntityRecord[] {
    return [...records].filter(({ kind }) => this.kinds.has(kind));
  }

  /** Sends the entities of lost packets that no later packet repeated. */
  #forceLost(nowMs: number, turn: Turn): void {
    const lostAfterMs = this.connection.lostAfterMs();
    const isOverdue = ({ sentAtMs }: Pending): boolean => nowMs - sentAtMs > lostAfterMs;
    if (!this.#pending[0] || !isOverdue(this.#pending[0])) return;
    const overdue = this.#pending.filter((packet) => isOverdue(packet) && !packet.hasArrived);
    this.#pending = this.#pending.filter((packet) => !isOverdue(packet) || packet.hasArrived);
    for (const { rows, tick } of overdue) {
      for (const each of rows) {
        const record = this.#world.records.get(each.id);
        if (record?.rows !== each) continue;
        const sentTick = turn.sentTick(record);
        if (sentTick === undefined || ((sentTick - tick) | 0) <= 0) this.#forced.add(record);
      }
    }
  }

  /** Forgets all that was sent, except for removals: the player may still hold those entities. */
  #reset(): void {
    for (const { ids } of this.#announced) for (const id of ids) this.#removals.add(id);
    for (const id of this.#sender?.removals ?? []) this.#removals.add(id);
    this.#announced = [];
    this.#reliesOn = undefined;
    this.#sender = undefined;
    this.#isWhole = true;
    this.#forced.clear();
    this.#pending = [];
  }

  #newSender(): SharedSnapshotSender {
    const { history, writer } = this.#world;
    const sender = new SharedSnapshotSender({
      history,
      writer,
      maxBytes: limits.unreliablePacketBytes - HEADS_BYTES,
    });
    sender.addRemovals(this.#removals);
    this.#removals.clear();
    return sender;
  }
}
