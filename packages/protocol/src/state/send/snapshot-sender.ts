import { limits } from "../../errors/codes.js";
import { AcknowledgedTicks } from "./acknowledged-ticks.js";
import type { EntityRows } from "../plan/entity-rows.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { SharedTick } from "./shared-ticks.js";
import type { SharedWriter } from "./shared-writer.js";
import type { StateHistory } from "../plan/state-history.js";

/** Packets whose acknowledgement may still come. */
const IN_FLIGHT = 1024;
const DEFAULT_CHECKSUM_TICKS = 32;
/** An age is coded in at most this many ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;
const NOTHING: readonly number[] = [];
const NO_BODY = new Uint8Array(0);

type Mutable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] };

interface SentPacket {
  sequence: number;
  tick: number;
  /** The shared writer's number of it. */
  tag: number;
  readonly entities: (EntityRows | undefined)[];
  count: number;
  removed: readonly number[];
}

export interface SnapshotSenderOptions {
  readonly history: StateHistory;
  /** Shared by the senders of all receivers: they then encode together what they have in common. */
  readonly writer: SharedWriter;
  /** Largest packet body. Default: what an unreliable packet takes, less 16 bytes of heads. */
  readonly maxBytes?: number;
  /** A checksum goes along this often. Default 32 ticks. */
  readonly checksumTicks?: number;
}

/** A body that is to be sent: a view that does not last. */
export interface OutgoingStates {
  readonly body: Uint8Array;
  /** The states in it are those of these entities, from one index to before another. */
  readonly entities: readonly EntityRows[];
  readonly from: number;
  readonly to: number;
  /** The caller sets it to the sequence of the packet that carries the body; -1: none does. */
  sequence: number;
}

/** Takes a body as {@link OutgoingStates} have it. Returns the sequence of its packet. */
type SendBody = (body: Uint8Array, entities: readonly EntityRows[], from: number, to: number) => number;

/**
 * Sends states to one receiver as differences from the newest that it has acknowledged. What was never acknowledged,
 * or is too long ago, goes whole; so nothing ever depends on a packet that may be lost.
 */
export class SnapshotSender {
  readonly #history: StateHistory;
  readonly #writer: SharedWriter;
  readonly #splitter: PacketSplitter;
  /** One place for each entity's index. */
  readonly #acknowledged: (AcknowledgedTicks | undefined)[] = [];
  readonly #sent: SentPacket[] = [];
  readonly #removals = new Set<number>();
  readonly #job: SplitJob;
  /** Given by {@link next}, again and again: writing a tick allocates nothing. */
  readonly #outgoing: Mutable<OutgoingStates> = { body: NO_BODY, entities: [], from: 0, to: 0, sequence: -1 };
  #isGiven = false;
  /** The shared writer's number of it. */
  #tag = 0;
  /** This tick as another receiver in the same state got it, and how many packets of it were given. */
  #repeated: SharedTick | undefined;
  #repeats = 0;
  /** {@link SharedWriter.encoded} when the tick began. */
  #encoded = 0;
  /** The number of what is acknowledged: see AcknowledgedStates. */
  readonly #like: { state: number; readonly maxBytes: number; readonly checksumTicks: number };
  /** The tick in writing, for other receivers to share. */
  #noted: SharedTick | undefined;

  constructor(options: SnapshotSenderOptions) {
    const { history, writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    const { checksumTicks = DEFAULT_CHECKSUM_TICKS } = options;
    this.#history = history;
    this.#writer = writer;
    this.#splitter = new PacketSplitter(writer);
    // One object for all ticks: writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks,
      tick: 0,
      removed: NOTHING,
      choose: (entries, index) => this.#choose(entries, index),
    };
    this.#like = { state: writer.ticks.states.fresh(), maxBytes, checksumTicks };
  }

  /** Writes the states of a tick as packets; `send` puts each into a packet: see {@link start}. */
  write(tick: number, entities: readonly EntityRows[], send: SendBody): void {
    this.start(tick, entities);
    for (let states = this.next(); states; states = this.next())
      states.sequence = send(states.body, states.entities, states.from, states.to);
  }

  /**
   * Begins the states of a tick: {@link next} gives them, until there are no more. `entities`: those that are due, each
   * with a state of the tick.
   */
  start(tick: number, entities: readonly EntityRows[]): void {
    const writer = this.#writer;
    writer.start(tick);
    this.#job.tick = tick;
    this.#isGiven = false;
    this.#noted = undefined;
    const isShared = this.#removals.size === 0;
    const known = isShared ? writer.ticks.find(writer.epoch, this.#like, entities) : undefined;
    this.#repeated = known && writer.holds(known.from) ? known : undefined;
    this.#repeats = 0;
    if (this.#repeated) return;
    this.#job.removed = isShared ? NOTHING : this.#gone();
    if (isShared) this.#noted = this.#note(entities);
    this.#encoded = writer.encoded;
    this.#splitter.split(entities, this.#job);
  }

  /** The next body of the tick, whose packet's sequence the caller sets before the next call; undefined behind the last. */
  next(): OutgoingStates | undefined {
    if (this.#isGiven) this.#remember();
    this.#isGiven = this.#repeated ? this.#repeat(this.#repeated) : this.#writeNext();
    if (this.#isGiven) return this.#outgoing;
    this.#writer.reused += this.#repeats;
    if (this.#noted && this.#writer.encoded === this.#encoded) this.#join(this.#noted);
    this.#noted = undefined;
    return undefined;
  }

  /** The receiver has the packet of that sequence. Unknown ones, such as from the future, change nothing. */
  acknowledge(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    packet.sequence = -1;
    this.#like.state = this.#writer.ticks.states.after(this.#like.state, packet.tag);
    for (let index = 0; index < packet.count; index++) {
      const entity = packet.entities[index];
      if (entity === undefined || entity.isGone) continue;
      let ticks = this.#acknowledged[entity.index];
      if (ticks?.entity !== entity) {
        ticks = new AcknowledgedTicks(entity);
        this.#acknowledged[entity.index] = ticks;
      }
      ticks.add(packet.tick);
    }
    for (const id of packet.removed) this.#removals.delete(id);
  }

  /** The entity is no more: told with every packet until acknowledged. Call before its id is used again. */
  remove(entity: EntityRows): void {
    this.#forget(entity);
    this.#removals.add(entity.id);
  }

  /** The receiver's states of the entity are not to be relied on: the next one goes whole. */
  resync(entity: EntityRows): void {
    this.#forget(entity);
    // Holes are skipped: not every place has been used yet.
    this.#sent.forEach((packet) => {
      for (let index = 0; index < packet.count; index++) {
        if (packet.entities[index] !== entity) continue;
        packet.entities[index] = undefined;
        packet.tag = 0;
      }
    });
  }

  /** The receiver cannot make sense of what it gets: everything goes whole. */
  restart(): void {
    this.#acknowledged.length = 0;
    this.#like.state = this.#writer.ticks.states.fresh();
    this.#sent.forEach((packet) => (packet.sequence = -1));
  }

  /** This receiver holds what another one does: that is known without an acknowledgement of its own. */
  holdAs(other: SnapshotSender): void {
    this.restart();
    for (const [index, ticks] of other.#acknowledged.entries()) this.#acknowledged[index] = ticks?.copy();
    for (const id of other.#removals) this.#removals.add(id);
  }

  /** Ids to tell as removed; one that is in use again is not. */
  #gone(): readonly number[] {
    for (const id of this.#removals) if (this.#history.find(id)) this.#removals.delete(id);
    return [...this.#removals];
  }

  #forget(entity: EntityRows): void {
    this.#like.state = this.#writer.ticks.states.fresh();
    if (this.#acknowledged[entity.index]?.entity === entity) this.#acknowledged[entity.index] = undefined;
  }

  #choose(entries: PacketEntries, index: number): void {
    const entity = entries.entities[index]!;
    const ticks = this.#acknowledged[entity.index];
    if (ticks?.entity !== entity) return;
    const { tick0, tick1, tick2 } = ticks;
    const age = (this.#job.tick - tick0) | 0;
    if (age < 1 || age > OLDEST_BASELINE_TICKS || !entity.holds(tick0)) return;
    const isSecond = tick1 !== NO_TICK && entity.holds(tick1);
    const isThird = isSecond && tick2 !== NO_TICK && entity.holds(tick2);
    entries.setBaselines(index, tick0, isSecond ? tick1 : NO_TICK, isThird ? tick2 : NO_TICK);
  }

  #writeNext(): boolean {
    const body = this.#splitter.next();
    if (!body) return false;
    const { entities, count } = this.#splitter.entries;
    this.#tag = this.#writer.tag;
    this.#give(body, entities, 0, count);
    return true;
  }

  /** Gives the next packet that a receiver in the same state has got. */
  #repeat({ sent, bodies, tags, ends, packets }: SharedTick): boolean {
    const index = this.#repeats;
    if (index === packets) return false;
    this.#tag = tags[index]!;
    this.#give(bodies[index]!, sent, index === 0 ? 0 : ends[index - 1]!, ends[index]!);
    this.#repeats += 1;
    return true;
  }

  #give(body: Uint8Array, entities: readonly EntityRows[], from: number, to: number): void {
    const outgoing = this.#outgoing;
    outgoing.body = body;
    outgoing.entities = entities;
    outgoing.from = from;
    outgoing.to = to;
    outgoing.sequence = -1;
  }

  /** The packet that was given has left: an acknowledgement may come, and other receivers may get the same. */
  #remember(): void {
    const { body, entities, from, to, sequence } = this.#outgoing;
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.tag = this.#tag;
    packet.count = to - from;
    packet.removed = this.#repeated ? NOTHING : this.#splitter.removed;
    const noted = this.#noted;
    let end = noted === undefined || noted.packets === 0 ? 0 : noted.ends[noted.packets - 1]!;
    for (let index = from; index < to; index++) {
      const entity = entities[index]!;
      put(packet.entities, index - from, entity);
      if (noted) put(noted.sent, end++, entity);
    }
    if (!noted) return;
    noted.bodies[noted.packets] = body;
    noted.tags[noted.packets] = this.#tag;
    noted.ends[noted.packets] = end;
    noted.packets += 1;
  }

  #note(given: readonly EntityRows[]): SharedTick {
    const writer = this.#writer;
    const noted = writer.ticks.start(writer.epoch);
    noted.state = this.#like.state;
    noted.sender = this;
    noted.from = writer.kept;
    noted.maxBytes = this.#like.maxBytes;
    noted.checksumTicks = this.#like.checksumTicks;
    noted.count = given.length;
    for (let index = 0; index < given.length; index++) put(noted.given, index, given[index]!);
    return noted;
  }

  /** All packets were those of another receiver: if it has acknowledged the same of all entities, states are one again. */
  #join(noted: SharedTick): void {
    const twin = this.#writer.ticks.twin(noted);
    const sender = twin?.sender;
    if (twin && sender instanceof SnapshotSender && sender.#holdsSame(this.#acknowledged, this.#history)) {
      this.#like.state = twin.state;
    }
  }

  #holdsSame(other: readonly (AcknowledgedTicks | undefined)[], { entities }: StateHistory): boolean {
    for (const { index } of entities) {
      const a = this.#acknowledged[index];
      const b = other[index];
      if (a === b) continue;
      const isSame =
        a?.entity === b?.entity && a?.tick0 === b?.tick0 && a?.tick1 === b?.tick1 && a?.tick2 === b?.tick2;
      if (!isSame) return false;
    }
    return true;
  }
}

/** Lists hold the same entities tick after tick: to compare is cheaper than to write. */
function put(list: (EntityRows | undefined)[], index: number, entity: EntityRows): void {
  if (list[index] !== entity) list[index] = entity;
}

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, tag: 0, entities: [], count: 0, removed: NOTHING };
}
