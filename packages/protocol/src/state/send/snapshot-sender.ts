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

/**
 * Takes a body, which is a view that does not last; in it are the states of `entities` from one index to before another.
 * Returns the sequence of its packet.
 */
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
  #send: SendBody = () => -1;
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
      take: (body, entries, removed) => this.#take(body, entries, removed),
    };
    this.#like = { state: writer.ticks.states.fresh(), maxBytes, checksumTicks };
  }

  /**
   * Writes the states of a tick as packets; `send` puts each into a packet and returns its sequence number. The
   * body it is given is a view that does not last. `entities`: those that are due, each with a state of the tick.
   */
  write(tick: number, entities: readonly EntityRows[], send: SendBody): void {
    const writer = this.#writer;
    writer.start(tick);
    this.#job.tick = tick;
    this.#send = send;
    const isShared = this.#removals.size === 0;
    if (isShared) {
      const known = writer.ticks.find(writer.epoch, this.#like, entities);
      if (known && writer.holds(known.from)) {
        this.#repeat(known);
        return;
      }
    }
    this.#job.removed = isShared ? NOTHING : this.#gone();
    this.#noted = isShared ? this.#note(entities) : undefined;
    const { encoded } = writer;
    this.#splitter.split(entities, this.#job);
    if (this.#noted && writer.encoded === encoded) this.#join(this.#noted);
    this.#noted = undefined;
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

  #take(body: Uint8Array, entries: PacketEntries, removed: readonly number[]): void {
    const { tag } = this.#writer;
    const sequence = this.#send(body, entries.entities, 0, entries.count);
    const packet = this.#remember(sequence, tag, entries.count, removed);
    const noted = this.#noted;
    let end = noted === undefined || noted.packets === 0 ? 0 : noted.ends[noted.packets - 1]!;
    for (let index = 0; index < entries.count; index++) {
      const entity = entries.entities[index]!;
      put(packet.entities, index, entity);
      if (noted) put(noted.sent, end++, entity);
    }
    if (!noted) return;
    noted.bodies[noted.packets] = body;
    noted.tags[noted.packets] = tag;
    noted.ends[noted.packets] = end;
    noted.packets += 1;
  }

  #remember(sequence: number, tag: number, count: number, removed: readonly number[]): SentPacket {
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.tag = tag;
    packet.count = count;
    packet.removed = removed;
    return packet;
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

  /** Takes the packets that a receiver in the same state has got. */
  #repeat({ sent, bodies, tags, ends, packets }: SharedTick): void {
    let from = 0;
    for (let index = 0; index < packets; index++) {
      const end = ends[index]!;
      const sequence = this.#send(bodies[index]!, sent, from, end);
      const packet = this.#remember(sequence, tags[index]!, end - from, NOTHING);
      for (let to = 0; from < end; from++) put(packet.entities, to++, sent[from]!);
    }
    this.#writer.reused += packets;
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

const NOTHING: readonly number[] = [];

/** Lists hold the same entities tick after tick: to compare is cheaper than to write. */
function put(list: (EntityRows | undefined)[], index: number, entity: EntityRows): void {
  if (list[index] !== entity) list[index] = entity;
}

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, tag: 0, entities: [], count: 0, removed: NOTHING };
}
