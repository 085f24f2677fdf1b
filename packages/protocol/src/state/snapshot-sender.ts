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
  ids: Uint16Array;
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
 * Sends states to one receiver as differences from the newest that it has acknowledged. What was never acknowledged,
 * or is too long ago, goes whole; so nothing ever depends on a packet that may be lost.
 */
export class SnapshotSender {
  readonly #history: StateHistory;
  readonly #splitter: PacketSplitter;
  readonly #acknowledged = new Map<EntityRows, AcknowledgedTicks>();
  readonly #sent: SentPacket[] = [];
  readonly #removals = new Set<number>();
  readonly #job: SplitJob;
  #send: (body: Uint8Array) => number = () => -1;

  constructor(options: SnapshotSenderOptions) {
    const { history, writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    this.#history = history;
    this.#splitter = new PacketSplitter(history, writer);
    // One object for all ticks: writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks: options.checksumTicks ?? DEFAULT_CHECKSUM_TICKS,
      tick: 0,
      removed: NOTHING,
      choose: (entries, index) => this.#choose(entries, index),
      take: (body, entries, removed) => this.#remember(this.#send(body), entries, removed),
    };
  }

  /**
   * Writes the states of a tick as packets; `send` puts each into a packet and returns its sequence number. The
   * body it is given is a view that does not last. `entities`: those that are due, each with a state of the tick.
   */
  write(tick: number, entities: readonly EntityRows[], send: (body: Uint8Array) => number): void {
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
      const entity = this.#history.find(packet.ids[index]!);
      // The id may be another entity's by now; then it has no state of that tick.
      if (!entity || entity.find(packet.tick) < 0) continue;
      let ticks = this.#acknowledged.get(entity);
      if (!ticks) this.#acknowledged.set(entity, (ticks = new AcknowledgedTicks()));
      ticks.add(packet.tick);
    }
    for (const id of packet.removed) this.#removals.delete(id);
  }

  /** The entity is no more: told with every packet until acknowledged. Call before its id is used again. */
  remove(entity: EntityRows): void {
    this.#acknowledged.delete(entity);
    this.#removals.add(entity.id);
  }

  /** The receiver's states of the entity are not to be relied on: the next one goes whole. */
  resync(entity: EntityRows): void {
    this.#acknowledged.delete(entity);
    // Holes are skipped: not every place has been used yet.
    this.#sent.forEach((packet) => {
      for (let index = 0; index < packet.count; index++) {
        if (packet.ids[index] === entity.id) packet.sequence = -1;
      }
    });
  }

  /** The receiver cannot make sense of what it gets: everything goes whole. */
  restart(): void {
    this.#acknowledged.clear();
    this.#sent.forEach((packet) => (packet.sequence = -1));
  }

  /** Ids to tell as removed; one that is in use again is not. */
  #gone(): readonly number[] {
    for (const id of this.#removals) if (this.#history.find(id)) this.#removals.delete(id);
    return [...this.#removals];
  }

  #choose(entries: PacketEntries, index: number): void {
    const { tick } = this.#job;
    const ticks = this.#acknowledged.get(entries.entities[index]!);
    if (!ticks || ticks.tick0 === NO_TICK) return;
    const { tick0 } = ticks;
    const age = (tick - tick0) | 0;
    const entity = entries.entities[index]!;
    if (age < 1 || age > OLDEST_BASELINE_TICKS || entity.find(tick0) < 0) return;
    const tick1 = entity.find(ticks.tick1) >= 0 ? ticks.tick1 : NO_TICK;
    const tick2 = tick1 !== NO_TICK && entity.find(ticks.tick2) >= 0 ? ticks.tick2 : NO_TICK;
    entries.setBaselines(index, tick0, tick1, tick2);
  }

  #remember(sequence: number, entries: PacketEntries, removed: readonly number[]): void {
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= newPacket());
    packet.sequence = sequence;
    packet.tick = this.#job.tick;
    packet.count = entries.count;
    packet.removed = removed;
    if (packet.ids.length < entries.count) packet.ids = new Uint16Array(entries.count * 2);
    for (let index = 0; index < entries.count; index++) packet.ids[index] = entries.entities[index]!.id;
  }
}

const NOTHING: readonly number[] = [];

function newPacket(): SentPacket {
  return { sequence: -1, tick: 0, ids: new Uint16Array(16), count: 0, removed: NOTHING };
}
