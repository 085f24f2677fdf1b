import { limits } from "../codes.js";
import { AcknowledgedTicks } from "./acknowledged-ticks.js";
import type { EntityRows } from "./entity-rows.js";
import { NO_TICK, type PacketEntries } from "./packet-entries.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { SharedWriter } from "./shared-writer.js";
import type { StateHistory } from "./state-history.js";

/** Packets whose acknowledgement may still come. */
const IN_FLIGHT = 1024;
const DEFAULT_CHECKSUM_TICKS = 32;
/** An age is coded in at most this many ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;

interface SentPacket {
  sequence: number;
  tick: number;
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

/** Takes a body, and what is in it: both are views that do not last. Returns the sequence of its packet. */
type SendBody = (body: Uint8Array, entries: PacketEntries) => number;

/**
 * Sends states to one receiver as differences from the newest that it has acknowledged. What was never acknowledged,
 * or is too long ago, goes whole; so nothing ever depends on a packet that may be lost.
 */
export class SnapshotSender {
  readonly #history: StateHistory;
  readonly #splitter: PacketSplitter;
  /** By the entities' indices. */
  readonly #acknowledged: (AcknowledgedTicks | undefined)[] = [];
  readonly #sent: SentPacket[] = [];
  readonly #removals = new Set<number>();
  readonly #job: SplitJob;
  #send: SendBody = () => -1;

  constructor(options: SnapshotSenderOptions) {
    const { history, writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    this.#history = history;
    this.#splitter = new PacketSplitter(writer);
    // One object for all ticks: writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks: options.checksumTicks ?? DEFAULT_CHECKSUM_TICKS,
      tick: 0,
      removed: NOTHING,
      choose: (entries, index) => this.#choose(entries, index),
      take: (body, entries, removed) => this.#remember(this.#send(body, entries), entries, removed),
    };
  }

  /**
   * Writes the states of a tick as packets; `send` puts each into a packet and returns its sequence number. The
   * body it is given is a view that does not last. `entities`: those that are due, each with a state of the tick.
   */
  write(tick: number, entities: readonly EntityRows[], send: SendBody): void {
    this.#job.tick = tick;
    this.#job.removed = this.#removals.size === 0 ? NOTHING : this.#gone();
    this.#send = send;
    this.#splitter.split(entities, this.#job);
  }

  /** The receiver has the packet of that sequence. Unknown ones, such as from the future, change nothing. */
  acknowledge(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    packet.sequence = -1;
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
        if (packet.entities[index] === entity) packet.entities[index] = undefined;
      }
    });
  }

  /** The receiver cannot make sense of what it gets: everything goes whole. */
  restart(): void {
    this.#acknowledged.length = 0;
    this.#sent.forEach((packet) => (packet.sequence = -1));
  }

  /** Ids to tell as removed; one that is in use again is not. */
  #gone(): readonly number[] {
    for (const id of this.#removals) if (this.#history.find(id)) this.#removals.delete(id);
    return [...this.#removals];
  }

  #forget(entity: EntityRows): void {
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

  #remember(sequence: number, entries: PacketEntries, removed: readonly number[]): void {
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.count = entries.count;
    packet.removed = removed;
    for (let index = 0; index < entries.count; index++) packet.entities[index] = entries.entities[index];
  }
}

const NOTHING: readonly number[] = [];

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, entities: [], count: 0, removed: NOTHING };
}
