import {
  SnapshotSender,
  limits,
  type EntityRows,
  type KindInfo,
  type ToAuthority,
  type ViewLimits,
} from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Link } from "@paceline/transport";
import type { EntityRecord, World } from "../entities/world.js";
import type { Flock } from "./flock.js";
import { exactTerms, termsKey, termsOf, type Terms } from "./terms.js";

/** Header of a packet, head of its message, feedback. */
const HEADS_BYTES = 40;
/** Who was slow, or has begun anew, is served alone for so long. */
const ALONE_SECONDS = 0.25;

/** The way to one player, as its feed needs it. */
export interface FeedLine {
  /** The link that brings all states in the order in which they are sent; undefined where there is none. */
  inOrder(): Link | undefined;
  /** Whether what is sent waits somewhere: then less is more. */
  isSlow(): boolean;
  /** Whether something could be sent now all the same. */
  takesStates(): boolean;
  /** After this time without an acknowledgement a packet counts as lost, ms. */
  lostAfterMs(): number;
  /** Says which of the player's terms do not count, because of a limit of the room. */
  limited(limits: ViewLimits): void;
  /** Sends a body of states; the sequence of its packet, or undefined where nothing was sent. */
  send(states: Uint8Array, key: number): number | undefined;
}

export interface FeedOptions {
  readonly world: World;
  readonly line: FeedLine;
}

/** What a feed's {@link Terms} say at a tick. */
export interface Turn {
  readonly due: readonly EntityRecord[];
  /** The states of those that are due, of the kinds that a feed tells. */
  rowsOf(feed: Feed): readonly EntityRows[];
  /** Whether it is told anything in this tick; what it lacks altogether does not wait for that. */
  readonly isTurn: boolean;
  /** The last tick of which the entity's state was due; undefined before the first. */
  toldTick(record: EntityRecord): number | undefined;
}

/** A packet that may have been lost, or that has arrived and is not built on yet. */
interface Pending {
  readonly sequence: number;
  readonly tick: number;
  readonly sentAtMs: number;
  readonly rows: readonly EntityRows[];
  hasArrived: boolean;
}

/**
 * What one player is told of the world, of the kinds that its game knows. Mostly it goes with a {@link Flock}; where it
 * cannot, it is told by itself, of what differs from the states that it has acknowledged: feeds that hold the same share
 * these encodings, too.
 */
export class Feed {
  readonly line: FeedLine;
  /** How the player wants to be told. */
  terms = exactTerms;
  /** Feeds of equal ones are told the same, as far as their kinds are the same. */
  termsKey = termsKey(exactTerms);
  /** Kinds that are told. Feeds of equal keys are told the same. */
  readonly kinds = new Set<number>();
  kindsKey = "";
  readonly #world: World;
  /** What the player was told of the room's limits. */
  #limits: ViewLimits | undefined;
  #sender: SnapshotSender | undefined;
  /** The flock that this one went with at the flock's `epoch`, over that link. */
  #flock: Flock | undefined;
  #epoch = 0;
  #link: Link | undefined;
  /** No flock takes it before this tick. */
  #aloneUntilTick = 0;
  #isWhole = true;
  readonly #forced = new Set<EntityRecord>();
  #pending: Pending[] = [];

  constructor({ world, line }: FeedOptions) {
    this.#world = world;
    this.line = line;
  }

  /** What the player says of it; the name of a kind that the room describes otherwise is returned. */
  hear(message: Exclude<ToAuthority, { readonly type: "own" | "disown" }>): string | undefined {
    if (message.type === "kinds") return this.setKinds(message.kinds);
    if (message.type === "view") this.#setTerms(termsOf(message));
    else if (message.ids.length === 0) this.restart();
    else for (const id of message.ids) this.resync(id);
    return undefined;
  }

  #setTerms(terms: Terms): void {
    const key = termsKey(terms);
    if (key === this.termsKey) return;
    // It goes with others from now on.
    this.catchUp();
    this.terms = terms;
    this.termsKey = key;
  }

  /** These of the room's limits count now, none: undefined. The player is told where that is another object than before. */
  limitedBy(limits: ViewLimits | undefined): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    this.line.limited(limits ?? {});
  }

  /** The player's game reads these kinds; the first one that the room describes otherwise is returned, by name. */
  setKinds(kinds: readonly KindInfo[]): string | undefined {
    this.kinds.clear();
    let other: string | undefined;
    const mine = this.#world.kinds;
    for (const { name, stateHash } of kinds) {
      const kind = mine.findIndex((each) => each.name === name);
      if (kind >= 0 && mine[kind]!.stateHash === stateHash) this.kinds.add(kind);
      else other ??= name;
    }
    this.kindsKey = [...this.kinds].sort((a, b) => a - b).join();
    this.restart();
    return other;
  }

  /** Everything goes whole. */
  restart(): void {
    this.#flock = undefined;
    this.#begin();
  }

  /** The player's state of that entity is not to be relied on. */
  resync(id: number): void {
    const record = this.#world.records.get(id);
    if (!record) return;
    this.leave();
    this.#sender?.resync(record.rows);
    this.#forced.add(record);
  }

  /** Something was not sent to this one: all is told, as differences from what it has. */
  catchUp(): void {
    this.leave();
    this.#isWhole = true;
  }

  /** The packet has arrived; {@link settle} says when it is built on. */
  acknowledge(sequence: number): void {
    const packet = this.#pending.find((each) => each.sequence === sequence);
    if (packet) packet.hasArrived = true;
    else this.#sender?.acknowledge(sequence);
  }

  /**
   * Up to and with this tick all that was sent has arrived; undefined where nothing is on its way. A packet that is
   * missing while others of more than `patienceTicks` later have arrived holds nothing back.
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

  /** What has arrived of this tick, and of those before it, is built on from now on. */
  settle(tick: number): void {
    if (!this.#pending.some((packet) => packet.hasArrived && packet.tick <= tick)) return;
    const open: Pending[] = [];
    for (const packet of this.#pending) {
      if (packet.hasArrived && packet.tick <= tick) this.#sender?.acknowledge(packet.sequence);
      else open.push(packet);
    }
    this.#pending = open;
  }

  removed(record: EntityRecord): void {
    this.#forced.delete(record);
    this.#sender?.remove(record.rows);
  }

  /** Whether this one has all that the flock has told, and can be told with it. */
  goesWith(flock: Flock, link: Link): boolean {
    return this.#flock === flock && this.#epoch === flock.epoch && this.#link === link;
  }

  mayEnter(tick: number): boolean {
    return tick >= this.#aloneUntilTick;
  }

  /** From now on this one is told with the flock. */
  enter(flock: Flock, link: Link, aloneUntilTick: number): void {
    this.#begin();
    this.#sender = undefined;
    this.#isWhole = false;
    this.#flock = flock;
    this.#link = link;
    this.#aloneUntilTick = aloneUntilTick;
  }

  /** The flock has told something. */
  toldWith(flock: Flock): void {
    this.#epoch = flock.epoch;
  }

  /** From now on this one is told by itself; what the flock has told it will still arrive. */
  leave(): void {
    const flock = this.#flock;
    if (!flock) return;
    this.#flock = undefined;
    this.#begin();
    if (this.#epoch !== flock.epoch || this.line.inOrder() !== this.#link) return;
    this.#isWhole = false;
    this.#sender = this.#newSender();
    this.#sender.holdAs(flock.sender);
  }

  /** Tells this one alone. Returns how many bytes left. */
  write(moment: ReplicationMoment, turn: Turn, tickHz: number): number {
    const { tick } = moment;
    if (!turn.isTurn && !this.#isWhole) return 0;
    // One that was slow has to be quick for a while before it goes with the others again.
    const isSlow = this.line.isSlow();
    if (isSlow) this.#aloneUntilTick = tick + ALONE_SECONDS * tickHz;
    // What would only wait is not worth being encoded.
    this.#isWhole ||= isSlow && !this.line.takesStates();
    if (isSlow && !this.line.takesStates()) return 0;
    const rows = this.#wanted(moment, turn);
    const sender = (this.#sender ??= this.#newSender());
    let packets = 0;
    let bytes = 0;
    let isMissing = false;
    sender.write(tick, rows, (states, entities, from, to) => {
      packets += 1;
      const sequence = this.line.send(states, packets);
      isMissing ||= sequence === undefined;
      if (sequence === undefined) return -1;
      bytes += states.length + HEADS_BYTES;
      const sent = to - from === rows.length ? rows : entities.slice(from, to);
      this.#pending.push({ sequence, tick, sentAtMs: moment.nowMs, rows: sent, hasArrived: false });
      return sequence;
    });
    if (isMissing || packets > 0) this.#isWhole = isMissing;
    return bytes;
  }

  #wanted(moment: ReplicationMoment, turn: Turn): readonly EntityRows[] {
    const { tick } = moment;
    const own = new Set(this.#forced);
    this.#forced.clear();
    for (const record of this.#lost(moment.nowMs, turn)) own.add(record);
    if (!this.#isWhole && own.size === 0) return turn.rowsOf(this);
    const wanted = new Set(this.#isWhole ? this.#world.records.values() : turn.due);
    for (const record of own) wanted.add(record);
    const rows: EntityRows[] = [];
    for (const record of wanted) if (this.kinds.has(record.kind)) rows.push(this.#world.rowsAt(record, tick));
    return rows;
  }

  /** What was in packets that have not arrived, and has not been told since. */
  *#lost(nowMs: number, turn: Turn): Iterable<EntityRecord> {
    const lostAfterMs = this.line.lostAfterMs();
    const isOverdue = ({ sentAtMs }: Pending): boolean => nowMs - sentAtMs > lostAfterMs;
    if (!this.#pending[0] || !isOverdue(this.#pending[0])) return;
    const overdue = this.#pending.filter((packet) => isOverdue(packet) && !packet.hasArrived);
    this.#pending = this.#pending.filter((packet) => !isOverdue(packet) || packet.hasArrived);
    for (const { rows, tick } of overdue) {
      for (const each of rows) {
        const record = this.#world.records.get(each.id);
        if (record?.rows !== each) continue;
        const told = turn.toldTick(record);
        if (told === undefined || ((told - tick) | 0) <= 0) yield record;
      }
    }
  }

  #begin(): void {
    this.#sender = undefined;
    this.#isWhole = true;
    this.#forced.clear();
    this.#pending = [];
  }

  #newSender(): SnapshotSender {
    const { history, writer } = this.#world;
    return new SnapshotSender({ history, writer, maxBytes: limits.unreliablePacketBytes - HEADS_BYTES });
  }
}
