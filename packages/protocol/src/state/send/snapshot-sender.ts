import { limits } from "../../limits.js";
import { AcknowledgedTicks, put } from "./acknowledged-ticks.js";
import type { EntityRows } from "../columns/entity-rows.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { SnapshotWriter } from "./snapshot-writer.js";
import type { StateHistory } from "../columns/state-history.js";

/** Limit of packets that await an acknowledgement. */
const IN_FLIGHT = 1024;
const DEFAULT_CHECKSUM_TICKS = 32;
/** Largest age of a baseline that the coding can hold, in ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;
const NO_IDS: readonly number[] = [];
const NO_BODY = new Uint8Array(0);

type Mutable<Shape> = { -readonly [Key in keyof Shape]: Shape[Key] };

/** A packet that awaits its acknowledgement. */
export interface SentPacket {
  sequence: number;
  tick: number;
  /** Number of the packet among those that several receivers get; 0 without such packets. */
  tag: number;
  readonly entities: (EntityRows | undefined)[];
  count: number;
  removed: readonly number[];
}

export interface SnapshotSenderOptions {
  readonly history: StateHistory;
  /** Encodes packets. Its bodies are views until the next one. */
  readonly writer: Pick<SnapshotWriter, "write">;
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
  /** Ids that the body announces as removed. */
  readonly removed: readonly number[];
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
  /** Indexed by {@link EntityRows.index}. */
  protected readonly acknowledged: (AcknowledgedTicks | undefined)[] = [];
  readonly #splitter: PacketSplitter;
  /** Packets without an acknowledgement, at their sequence modulo IN_FLIGHT. */
  readonly #sent: (SentPacket | undefined)[] = [];
  /**
   * Records of acknowledged packets, for the next ones. One for each of IN_FLIGHT packets held a megabyte for
   * each player of a large room.
   */
  readonly #spare: SentPacket[] = [];
  readonly #job: SplitJob;
  /** Reused result of {@link next}, so that writing a tick allocates nothing. */
  protected readonly outgoing: Mutable<OutgoingStates> = {
    body: NO_BODY,
    entities: [],
    from: 0,
    to: 0,
    removed: NO_IDS,
    sequence: -1,
  };
  #hasUnsent = false;

  constructor(options: SnapshotSenderOptions) {
    const { writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    const { checksumTicks = DEFAULT_CHECKSUM_TICKS } = options;
    this.#splitter = new PacketSplitter(writer);
    // Reused, so that writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks,
      tick: 0,
      removed: NO_IDS,
      choose: (entries, index) => this.#choose(entries, index),
    };
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
    this.begin(tick);
    this.#splitter.split(entities, this.#job);
  }

  /** Begins a tick whose packets also announce these entities as removed. */
  protected begin(tick: number, removed: readonly number[] = NO_IDS): void {
    this.#job.tick = tick;
    this.#job.removed = removed;
    this.#hasUnsent = false;
  }

  /**
   * Returns the tick's next body, or undefined after the last one. Set its `sequence` before the next call.
   */
  next(): OutgoingStates | undefined {
    if (this.#hasUnsent) this.recordSent();
    this.#hasUnsent = this.writeNext();
    return this.#hasUnsent ? this.outgoing : undefined;
  }

  /** Records that the receiver has the packet of that sequence. Unknown sequences are ignored. */
  acknowledge(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    this.#sent[sequence % IN_FLIGHT] = undefined;
    this.#spare.push(packet);
    this.changed(packet);
    for (let index = 0; index < packet.count; index++) {
      const entity = packet.entities[index];
      if (entity === undefined || entity.isRemoved) continue;
      let ticks = this.acknowledged[entity.index];
      if (ticks?.entity !== entity) {
        ticks = new AcknowledgedTicks(entity);
        this.acknowledged[entity.index] = ticks;
      }
      ticks.add(packet.tick);
    }
  }

  /** Sends the entity's next state whole, because the receiver's states of it are wrong or missing. */
  resync(entity: EntityRows): void {
    this.forget(entity);
    for (const packet of this.#sent) {
      for (let index = 0; packet && index < packet.count; index++) {
        if (packet.entities[index] !== entity) continue;
        packet.entities[index] = undefined;
        packet.tag = 0;
      }
    }
  }

  /** Sends all next states whole, because the receiver cannot decode its packets. */
  restart(): void {
    this.acknowledged.length = 0;
    this.changed();
    this.#sent.length = 0;
  }

  /**
   * Called when the baselines of the receiver change: by the acknowledgement of a packet, or otherwise
   * without one.
   */
  protected changed(_packet?: SentPacket): void {
    // Only a sender that shares packets follows the changes.
  }

  protected forget(entity: EntityRows): void {
    this.changed();
    if (this.acknowledged[entity.index]?.entity === entity) this.acknowledged[entity.index] = undefined;
  }

  #choose(entries: PacketEntries, index: number): void {
    const entity = entries.entities[index]!;
    const ticks = this.acknowledged[entity.index];
    if (ticks?.entity !== entity) return;
    const { tick0, tick1, tick2 } = ticks;
    const age = (this.#job.tick - tick0) | 0;
    if (age < 1 || age > OLDEST_BASELINE_TICKS || !entity.holds(tick0)) return;
    // An entity at rest needs no second baseline. So receivers of the same newest state get the same bytes,
    // whatever each of them acknowledged before.
    const isSecond = tick1 !== NO_TICK && entity.holds(tick1) && !entity.isSameAt(tick0, tick1);
    const isThird = isSecond && tick2 !== NO_TICK && entity.holds(tick2);
    if (entity.plan.isStepping && !(isThird && tick0 - tick2 === 2)) {
      entries.setBaselines(index, tick0, NO_TICK, NO_TICK);
      return;
    }
    entries.setBaselines(index, tick0, isSecond ? tick1 : NO_TICK, isThird ? tick2 : NO_TICK);
  }

  /** Writes the next packet into {@link outgoing}. Returns false after the last one. */
  protected writeNext(): boolean {
    const body = this.#splitter.next();
    if (!body) return false;
    const { entities, count } = this.#splitter.entries;
    this.setOutgoing(body, entities, 0, count);
    this.outgoing.removed = this.#splitter.removed;
    return true;
  }

  protected setOutgoing(body: Uint8Array, entities: readonly EntityRows[], from: number, to: number): void {
    const { outgoing } = this;
    outgoing.removed = NO_IDS;
    outgoing.body = body;
    outgoing.entities = entities;
    outgoing.from = from;
    outgoing.to = to;
    outgoing.sequence = -1;
  }

  /** Records the last returned packet after it was sent, for its acknowledgement. */
  protected recordSent(): SentPacket {
    const { entities, from, to, removed, sequence } = this.outgoing;
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= this.#spare.pop() ?? newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.count = to - from;
    packet.removed = removed;
    for (let index = from; index < to; index++) put(packet.entities, index - from, entities[index]!);
    return packet;
  }
}

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, tag: 0, entities: [], count: 0, removed: NO_IDS };
}
