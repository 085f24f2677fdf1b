import {
  ByteWriter,
  SnapshotWriter,
  Receiver,
  ReceiverGroup,
  StateHistory,
  limits,
  planState,
  restore,
  type EntityDefinition,
  type EntityRows,
  type GroupStates,
  type PeerPayload,
  type StatePlan,
  type StreamStart,
} from "@paceline/protocol";
import type { OwnedRecord } from "../entities/owned-entities.js";

type ReferencePayload = Extract<PeerPayload, { readonly kind: "reference" }>;

/** Limit of a body of states, bytes: a packet without its headers and the stream's number. */
const BODY_BYTES = 1160;
/** Ticks between two states with a checksum: at most a few of the sent states per second carry one. */
const CHECKSUM_TICKS = 8;
/** Bytes of a reliable message beside the states. */
const MESSAGE_HEAD_BYTES = 64;

/** One receiver of a stream. */
export class StreamReceiver extends Receiver {
  /** Number of the participant that receives. */
  readonly number: number;

  constructor(number: number) {
    super();
    this.number = number;
  }
}

/** States of all own entities of one kind, for sending. */
export class StateStream {
  readonly number: number;
  /** Header of each body of states: the stream's number. */
  readonly head: Uint8Array;
  readonly definition: EntityDefinition;
  readonly records = new Map<number, OwnedRecord>();
  readonly plan: StatePlan;
  readonly #history: StateHistory;
  readonly #group: ReceiverGroup<StreamReceiver>;
  /** For reliable messages, which are longer. */
  readonly #messageGroup: ReceiverGroup;
  readonly #receivers = new Map<number, StreamReceiver>();
  readonly #restored: Float32Array;

  constructor(number: number, definition: EntityDefinition, tickHz: number) {
    this.number = number;
    this.head = Uint8Array.of(number);
    this.definition = definition;
    this.plan = planState(definition, { tickHz, hasRates: true });
    const plans = [this.plan];
    this.#history = new StateHistory({ plans, historyTicks: limits.historyTicks });
    const writer = new SnapshotWriter(plans);
    this.#group = new ReceiverGroup({ writer, maxBytes: BODY_BYTES, checksumTicks: CHECKSUM_TICKS });
    const maxBytes = limits.reliablePacketBytes - MESSAGE_HEAD_BYTES;
    this.#messageGroup = new ReceiverGroup({ writer, maxBytes, checksumTicks: Infinity });
    this.#restored = new Float32Array(definition.components.length);
  }

  get start(): StreamStart {
    const { name, schemaHash } = this.definition;
    return { stream: this.number, name, tickHz: this.plan.tickHz, schemaHash };
  }

  /** Returns the announcement for a receiver that is new, with the list of all entities. */
  get announcement(): PeerPayload {
    return { kind: "stream", ...this.start, entities: [...this.records.keys()] };
  }

  add(record: OwnedRecord): void {
    this.records.set(record.id, record);
    this.#history.spawn(record.id, this.plan);
  }

  remove(id: number): void {
    this.records.delete(id);
    const rows = this.#history.find(id);
    for (const receiver of this.#receivers.values()) if (rows) receiver.forget(rows);
    this.#history.remove(id);
  }

  teleport(id: number): void {
    this.#history.teleport(id);
  }

  /**
   * Returns the entity's state of a tick. The first call stores it, because sent states of a tick must not
   * change.
   */
  rowsAt(record: OwnedRecord, tick: number): EntityRows {
    const rows = this.#history.find(record.id)!;
    if (rows.find(tick) < 0) this.#history.write(rows, tick, record.state, record.texts.slice());
    return rows;
  }

  /** Returns the state of the tick as receivers read it. It is valid until the next call. */
  restored(record: OwnedRecord, tick: number): Float32Array {
    const rows = this.rowsAt(record, tick);
    this.#restored.set(record.state);
    restore(this.plan, rows.rows, rows.find(tick), this.#restored);
    return this.#restored;
  }

  /** Returns the record of a receiver. A new one gets what is due from now on, whole at first. */
  receiver(number: number): StreamReceiver {
    const known = this.#receivers.get(number);
    if (known) return known;
    const receiver = new StreamReceiver(number);
    receiver.join(this.#group);
    this.#receivers.set(number, receiver);
    return receiver;
  }

  /**
   * Begins the states of a tick, as differences from what the receivers hold. Call {@link next} until it returns
   * undefined.
   */
  begin(tick: number, rows: readonly EntityRows[], receivers: readonly StreamReceiver[]): void {
    for (const receiver of receivers) if (receiver.isNew) receiver.attend(tick);
    this.#group.start(tick, rows, receivers, () => this.#rowsOf(this.records.values(), tick));
  }

  /** Begins states for one receiver that has waited for them. */
  beginAlone(tick: number, rows: readonly EntityRows[], receiver: StreamReceiver): void {
    this.#group.startAlone(tick, receiver, rows);
  }

  /** Returns the tick's next body, or undefined after the last one. */
  next(): GroupStates<StreamReceiver> | undefined {
    return this.#group.next();
  }

  /** Writes whole states once for several receivers that may lose some. `rows`: entities with a state of the tick. */
  writeShared(
    tick: number,
    rows: readonly EntityRows[],
    send: (body: Uint8Array, rows: readonly EntityRows[]) => void,
    removed: readonly number[] = [],
  ): void {
    this.#group.startWhole(tick, rows, removed);
    for (let states = this.#group.next(); states; states = this.#group.next()) send(states.body, states.rows);
  }

  acknowledge(receiver: number, sequence: number): void {
    this.#receivers.get(receiver)?.acknowledge(sequence);
  }

  /** Makes the receiver's next states of these entities whole, or of all if `ids` is empty. */
  invalidate(receiver: number, ids: readonly number[] = []): void {
    const known = this.#receivers.get(receiver);
    if (ids.length === 0) known?.restart();
    for (const id of ids) {
      const rows = this.#history.find(id);
      // It gets them in a reliable message.
      if (rows) known?.resync(rows, false);
    }
  }

  forget(receiver: number): void {
    this.#receivers.delete(receiver);
  }

  /** Returns messages with the whole states of these entities at a tick. */
  whole(records: Iterable<OwnedRecord>, tick: number): ReferencePayload[] {
    return this.wholeOf(this.#rowsOf(records, tick), tick);
  }

  #rowsOf(records: Iterable<OwnedRecord>, tick: number): EntityRows[] {
    return Array.from(records, (record) => this.rowsAt(record, tick));
  }

  /** As {@link whole}, of entities whose states of the tick are stored. */
  wholeOf(rows: readonly EntityRows[], tick: number): ReferencePayload[] {
    return this.#messages(rows, tick, []);
  }

  removal(id: number, tick: number): PeerPayload[] {
    return this.#messages([], tick, [id]);
  }

  #messages(rows: readonly EntityRows[], tick: number, removed: readonly number[]): ReferencePayload[] {
    const messages: ReferencePayload[] = [];
    const group = this.#messageGroup;
    group.startWhole(tick, rows, removed);
    for (let states = group.next(); states; states = group.next()) {
      const bytes = new ByteWriter(states.body.length + 4).u32(tick).bytes(states.body).take();
      messages.push({ kind: "reference", stream: this.number, states: bytes });
    }
    return messages;
  }
}

/** Returns the key of a packet of states: only one about one entity may replace an older one about the same entity. */
export function keyOf({ rows }: Pick<GroupStates, "rows">): number {
  return rows.length === 1 ? (rows[0]!.id + 1) & 0xffff : 0;
}
