import { limits } from "../../errors/codes.js";
import { AcknowledgedTicks } from "./acknowledged-ticks.js";
import type { EntityRows } from "../plan/entity-rows.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { SharedTick } from "./shared-ticks.js";
import type { SharedWriter } from "./shared-writer.js";
import type { StateHistory } from "../plan/state-history.js";

/** Most packets that may await an acknowledgement. */
const IN_FLIGHT = 1024;
const DEFAULT_CHECKSUM_TICKS = 32;
/** Largest age of a baseline that the coding can hold, in ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;
const NO_IDS: readonly number[] = [];
const NO_BODY = new Uint8Array(0);

type Mutable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] };

interface SentPacket {
  sequence: number;
  tick: number;
  /** The shared writer's number of the packet. */
  tag: number;
  readonly entities: (EntityRows | undefined)[];
  count: number;
  removed: readonly number[];
}

export interface SnapshotSenderOptions {
  readonly history: StateHistory;
  /** The writer that the senders of all receivers share. It encodes equal packets once. */
  readonly writer: SharedWriter;
  /** Largest packet body, bytes. Default: an unreliable packet less 16 bytes for heads. */
  readonly maxBytes?: number;
  /** Ticks from one checksum to the next. Default 32. */
  readonly checksumTicks?: number;
}

/** A body to send: a view until the next call. */
export interface OutgoingStates {
  readonly body: Uint8Array;
  /** Entities of the states in the body: `from` up to, not including, `to`. */
  readonly entities: readonly EntityRows[];
  readonly from: number;
  readonly to: number;
  /** Set by the caller: the sequence of the packet that carries the body; -1 if none does. */
  sequence: number;
}

/** Sends a body, described as in {@link OutgoingStates}. Returns the sequence of its packet. */
type SendBody = (body: Uint8Array, entities: readonly EntityRows[], from: number, to: number) => number;

/**
 * Sends states to one receiver as differences from its newest acknowledged states. States without an
 * acknowledged baseline, or with one that is too old, are sent whole. So no state depends on a packet that
 * may be lost.
 */
export class SnapshotSender {
  readonly #history: StateHistory;
  readonly #writer: SharedWriter;
  readonly #splitter: PacketSplitter;
  /** Indexed by {@link EntityRows.index}. */
  readonly #acknowledged: (AcknowledgedTicks | undefined)[] = [];
  readonly #sent: SentPacket[] = [];
  readonly #removals = new Set<number>();
  readonly #job: SplitJob;
  /** Reused result of {@link next}, so that writing a tick allocates nothing. */
  readonly #outgoing: Mutable<OutgoingStates> = { body: NO_BODY, entities: [], from: 0, to: 0, sequence: -1 };
  #hasUnsent = false;
  /** The shared writer's number of the current packet. */
  #tag = 0;
  /** The packets of another receiver in the same state, and how many of them were returned. */
  #repeated: SharedTick | undefined;
  #repeats = 0;
  /** Value of {@link SharedWriter.encoded} at the beginning of the tick. */
  #encoded = 0;
  /**
   * The receiver's acknowledgement state (see AcknowledgedStates) and the settings that packets depend on.
   */
  readonly #settings: { state: number; readonly maxBytes: number; readonly checksumTicks: number };
  /** Record of the current tick, for other receivers to share. */
  #shared: SharedTick | undefined;

  constructor(options: SnapshotSenderOptions) {
    const { history, writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    const { checksumTicks = DEFAULT_CHECKSUM_TICKS } = options;
    this.#history = history;
    this.#writer = writer;
    this.#splitter = new PacketSplitter(writer);
    // Reused, so that writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks,
      tick: 0,
      removed: NO_IDS,
      choose: (entries, index) => this.#choose(entries, index),
    };
    this.#settings = { state: writer.ticks.states.newState(), maxBytes, checksumTicks };
  }

  /** Writes the states of a tick as bodies. `send` puts each body into a packet and returns its sequence. */
  write(tick: number, entities: readonly EntityRows[], send: SendBody): void {
    this.start(tick, entities);
    for (let states = this.next(); states; states = this.next())
      states.sequence = send(states.body, states.entities, states.from, states.to);
  }

  /**
   * Begins the states of a tick. Call {@link next} until it returns undefined. `entities`: the due entities,
   * each with a state of the tick.
   */
  start(tick: number, entities: readonly EntityRows[]): void {
    const writer = this.#writer;
    writer.start(tick);
    this.#job.tick = tick;
    this.#hasUnsent = false;
    this.#shared = undefined;
    const isShared = this.#removals.size === 0;
    const known = isShared ? writer.ticks.find(writer.epoch, this.#settings, entities) : undefined;
    this.#repeated = known && writer.holds(known.from) ? known : undefined;
    this.#repeats = 0;
    if (this.#repeated) return;
    this.#job.removed = isShared ? NO_IDS : this.#idsToRemove();
    if (isShared) this.#shared = this.#startShared(entities);
    this.#encoded = writer.encoded;
    this.#splitter.split(entities, this.#job);
  }

  /**
   * Returns the tick's next body, or undefined after the last one. Set its `sequence` before the next call.
   */
  next(): OutgoingStates | undefined {
    if (this.#hasUnsent) this.#recordSent();
    this.#hasUnsent = this.#repeated ? this.#repeat(this.#repeated) : this.#writeNext();
    if (this.#hasUnsent) return this.#outgoing;
    this.#writer.reused += this.#repeats;
    if (this.#shared && this.#writer.encoded === this.#encoded) this.#adoptState(this.#shared);
    this.#shared = undefined;
    return undefined;
  }

  /** Records that the receiver has the packet of that sequence. Unknown sequences are ignored. */
  acknowledge(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    packet.sequence = -1;
    this.#settings.state = this.#writer.ticks.states.after(this.#settings.state, packet.tag);
    for (let index = 0; index < packet.count; index++) {
      const entity = packet.entities[index];
      if (entity === undefined || entity.isRemoved) continue;
      let ticks = this.#acknowledged[entity.index];
      if (ticks?.entity !== entity) {
        ticks = new AcknowledgedTicks(entity);
        this.#acknowledged[entity.index] = ticks;
      }
      ticks.add(packet.tick);
    }
    for (const id of packet.removed) this.#removals.delete(id);
  }

  /**
   * Announces the removal of an entity in every packet until acknowledged. Call before its id is used again.
   */
  remove(entity: EntityRows): void {
    this.#forget(entity);
    this.#removals.add(entity.id);
  }

  /** Sends the entity's next state whole, because the receiver's states of it are wrong or missing. */
  resync(entity: EntityRows): void {
    this.#forget(entity);
    // forEach skips the slots that were never used.
    this.#sent.forEach((packet) => {
      for (let index = 0; index < packet.count; index++) {
        if (packet.entities[index] !== entity) continue;
        packet.entities[index] = undefined;
        packet.tag = 0;
      }
    });
  }

  /** Sends all next states whole, because the receiver cannot decode its packets. */
  restart(): void {
    this.#acknowledged.length = 0;
    this.#settings.state = this.#writer.ticks.states.newState();
    this.#sent.forEach((packet) => (packet.sequence = -1));
  }

  /** Assumes that this receiver holds the same states as another one, without acknowledgements of its own. */
  copyBaselines(other: SnapshotSender): void {
    this.restart();
    for (const [index, ticks] of other.#acknowledged.entries()) this.#acknowledged[index] = ticks?.copy();
    for (const id of other.#removals) this.#removals.add(id);
  }

  /** Returns the ids to announce as removed, without ids that are in use again. */
  #idsToRemove(): readonly number[] {
    for (const id of this.#removals) if (this.#history.find(id)) this.#removals.delete(id);
    return [...this.#removals];
  }

  #forget(entity: EntityRows): void {
    this.#settings.state = this.#writer.ticks.states.newState();
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
    this.#setOutgoing(body, entities, 0, count);
    return true;
  }

  /** Returns the next packet of a receiver in the same state. */
  #repeat({ sent, bodies, tags, ends, packets }: SharedTick): boolean {
    const index = this.#repeats;
    if (index === packets) return false;
    this.#tag = tags[index]!;
    this.#setOutgoing(bodies[index]!, sent, index === 0 ? 0 : ends[index - 1]!, ends[index]!);
    this.#repeats += 1;
    return true;
  }

  #setOutgoing(body: Uint8Array, entities: readonly EntityRows[], from: number, to: number): void {
    const outgoing = this.#outgoing;
    outgoing.body = body;
    outgoing.entities = entities;
    outgoing.from = from;
    outgoing.to = to;
    outgoing.sequence = -1;
  }

  /**
   * Records the last returned packet after it was sent: for its acknowledgement, and for receivers in the
   * same state.
   */
  #recordSent(): void {
    const { body, entities, from, to, sequence } = this.#outgoing;
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.tag = this.#tag;
    packet.count = to - from;
    packet.removed = this.#repeated ? NO_IDS : this.#splitter.removed;
    const shared = this.#shared;
    let end = shared === undefined || shared.packets === 0 ? 0 : shared.ends[shared.packets - 1]!;
    for (let index = from; index < to; index++) {
      const entity = entities[index]!;
      put(packet.entities, index - from, entity);
      if (shared) put(shared.sent, end++, entity);
    }
    if (!shared) return;
    shared.bodies[shared.packets] = body;
    shared.tags[shared.packets] = this.#tag;
    shared.ends[shared.packets] = end;
    shared.packets += 1;
  }

  #startShared(due: readonly EntityRows[]): SharedTick {
    const writer = this.#writer;
    const shared = writer.ticks.start(writer.epoch);
    shared.state = this.#settings.state;
    shared.sender = this;
    shared.from = writer.kept;
    shared.maxBytes = this.#settings.maxBytes;
    shared.checksumTicks = this.#settings.checksumTicks;
    shared.count = due.length;
    for (let index = 0; index < due.length; index++) put(shared.due, index, due[index]!);
    return shared;
  }

  /**
   * Continues in another receiver's state if both got the same packets and have acknowledged the same of all
   * entities.
   */
  #adoptState(shared: SharedTick): void {
    const equal = this.#writer.ticks.findEqual(shared);
    const sender = equal?.sender;
    if (
      equal &&
      sender instanceof SnapshotSender &&
      sender.#hasSameBaselines(this.#acknowledged, this.#history)
    ) {
      this.#settings.state = equal.state;
    }
  }

  #hasSameBaselines(other: readonly (AcknowledgedTicks | undefined)[], { entities }: StateHistory): boolean {
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

/**
 * Stores an entity unless it is already there. Lists change little between ticks, and comparing is cheaper
 * than writing.
 */
function put(list: (EntityRows | undefined)[], index: number, entity: EntityRows): void {
  if (list[index] !== entity) list[index] = entity;
}

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, tag: 0, entities: [], count: 0, removed: NO_IDS };
}
