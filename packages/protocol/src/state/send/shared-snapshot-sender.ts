import type { EntityRows } from "../columns/entity-rows.js";
import type { StateHistory } from "../columns/state-history.js";
import { put, type AcknowledgedTicks } from "./acknowledged-ticks.js";
import type { SharedTick } from "./shared-ticks.js";
import type { SharedWriter } from "./shared-writer.js";
import {
  SnapshotSender,
  type OutgoingStates,
  type SentPacket,
  type SnapshotSenderOptions,
} from "./snapshot-sender.js";

/** Limit of removals in a tick. With more, they would take the place of states in all ticks of a round trip. */
const REMOVALS_PER_TICK = 256;

export interface SharedSnapshotSenderOptions extends SnapshotSenderOptions {
  /** The writer that the senders of all receivers share. It encodes equal packets once. */
  readonly writer: SharedWriter;
}

/**
 * Sends states to one of many receivers, for a server. Receivers whose acknowledged states are equal share
 * the choice of baselines and the packets. Announces removed entities in its packets.
 */
export class SharedSnapshotSender extends SnapshotSender {
  readonly #history: StateHistory;
  readonly #writer: SharedWriter;
  /** The removals that were announced longest ago come first. */
  readonly #removals = new Set<number>();
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

  constructor(options: SharedSnapshotSenderOptions) {
    super(options);
    const { history, writer, maxBytes = 0, checksumTicks = 0 } = options;
    this.#history = history;
    this.#writer = writer;
    this.#settings = { state: writer.ticks.states.newState(), maxBytes, checksumTicks };
  }

  override start(tick: number, entities: readonly EntityRows[]): void {
    const writer = this.#writer;
    writer.start(tick);
    this.#shared = undefined;
    const isShared = this.#removals.size === 0;
    const known = isShared ? writer.ticks.find(writer.epoch, this.#settings, entities) : undefined;
    this.#repeated = known && writer.holds(known.from) ? known : undefined;
    this.#repeats = 0;
    if (this.#repeated) return this.begin(tick);
    if (isShared) this.#shared = this.#startShared(entities);
    this.#encoded = writer.encoded;
    super.start(tick, entities);
  }

  protected override begin(tick: number): void {
    super.begin(tick, this.#removals.size === 0 ? undefined : this.#idsToRemove());
  }

  override next(): OutgoingStates | undefined {
    const states = super.next();
    if (states) return states;
    this.#writer.reused += this.#repeats;
    if (this.#shared && this.#writer.encoded === this.#encoded) this.#adoptState(this.#shared);
    this.#shared = undefined;
    return undefined;
  }

  /** Ids of removed entities that the receiver may still hold. */
  get removals(): ReadonlySet<number> {
    return this.#removals;
  }

  /**
   * Announces the removal of an entity until it is acknowledged, unless the entity was never sent. Call before
   * its id is used again.
   */
  remove(entity: EntityRows): void {
    if (entity.isEmpty) return;
    this.forget(entity);
    this.#removals.add(entity.id);
  }

  /** Announces removals that another sender had to announce to the receiver. */
  addRemovals(ids: Iterable<number>): void {
    for (const id of ids) this.#removals.add(id);
  }

  /** Assumes that this receiver holds the same states as another one, without acknowledgements of its own. */
  copyBaselines(other: SharedSnapshotSender): void {
    this.restart();
    for (const [index, ticks] of other.acknowledged.entries()) this.acknowledged[index] = ticks?.copy();
    this.addRemovals(other.#removals);
  }

  protected override changed(packet?: SentPacket): void {
    this.#settings.state = this.#writer.ticks.states.after(this.#settings.state, packet?.tag ?? 0);
    if (packet) for (const id of packet.removed) this.#removals.delete(id);
  }

  /**
   * Returns the ids to announce as removed in this tick, without ids that are in use again. If there are many,
   * those that were announced longest ago.
   */
  #idsToRemove(): readonly number[] {
    for (const id of this.#removals) if (this.#history.find(id)) this.#removals.delete(id);
    const ids = [...this.#removals];
    if (ids.length <= REMOVALS_PER_TICK) return ids;
    ids.length = REMOVALS_PER_TICK;
    for (const id of ids) {
      this.#removals.delete(id);
      this.#removals.add(id);
    }
    return ids;
  }

  protected override writeNext(): boolean {
    if (this.#repeated) return this.#repeat(this.#repeated);
    const isWritten = super.writeNext();
    this.#tag = this.#writer.tag;
    return isWritten;
  }

  /** Returns the next packet of a receiver in the same state. */
  #repeat({ sent, bodies, tags, ends, packets }: SharedTick): boolean {
    const index = this.#repeats;
    if (index === packets) return false;
    this.#tag = tags[index]!;
    this.setOutgoing(bodies[index]!, sent, index === 0 ? 0 : ends[index - 1]!, ends[index]!);
    this.#repeats += 1;
    return true;
  }

  /** Records the packet for receivers in the same state, too. */
  protected override recordSent(): SentPacket {
    const packet = super.recordSent();
    packet.tag = this.#tag;
    const shared = this.#shared;
    if (!shared) return packet;
    const { body, entities, from, to } = this.outgoing;
    let end = shared.packets === 0 ? 0 : shared.ends[shared.packets - 1]!;
    for (let index = from; index < to; index++) put(shared.sent, end++, entities[index]!);
    shared.bodies[shared.packets] = body;
    shared.tags[shared.packets] = this.#tag;
    shared.ends[shared.packets] = end;
    shared.packets += 1;
    return packet;
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
   * Takes the number of another receiver's state if both got the same packets and have the same baselines, so
   * that later packets are encoded once for both.
   */
  #adoptState(shared: SharedTick): void {
    const equal = this.#writer.ticks.findEqual(shared);
    const sender = equal?.sender;
    if (equal && sender instanceof SharedSnapshotSender && sender.#hasSameBaselines(this.acknowledged))
      this.#settings.state = equal.state;
  }

  #hasSameBaselines(other: readonly (AcknowledgedTicks | undefined)[]): boolean {
    for (const { index } of this.#history.entities) {
      const a = this.acknowledged[index];
      const b = other[index];
      if (a === b) continue;
      const isSame =
        a?.entity === b?.entity && a?.tick0 === b?.tick0 && a?.tick1 === b?.tick1 && a?.tick2 === b?.tick2;
      if (!isSame) return false;
    }
    return true;
  }
}
