import {
  ByteWriter,
  SnapshotWriter,
  SoleReceiver,
  StateHistory,
  WholeSender,
  limits,
  planState,
  restore,
  type EntityDefinition,
  type EntityRows,
  type PeerPayload,
  type ReferenceSender,
  type StatePlan,
  type StreamStart,
} from "@paceline/protocol";
import type { ReferenceCycle } from "@paceline/netcode";
import type { Session } from "@paceline/transport";
import type { OwnedRecord } from "../entities/owned-entities.js";

/** The code of references, which players need whose states may be lost on a path to several receivers. */
export interface ReferenceCode {
  readonly ReferenceSender: typeof ReferenceSender;
  readonly ReferenceCycle: typeof ReferenceCycle;
}

type ReferencePayload = Extract<PeerPayload, { readonly kind: "reference" }>;

/** Limit of a body of states, bytes: a packet without its headers and the stream's number. */
const BODY_BYTES = 1160;
/** Ticks between two states with a checksum: at most a few of the sent states per second carry one. */
const CHECKSUM_TICKS = 8;
/** Stands for all receivers that get everything in order. */
const FOLLOWERS = -1;
/** Bytes of a reliable message beside the states. */
const MESSAGE_HEAD_BYTES = 64;

/** States of all own entities of one kind, for sending. */
export class StateStream {
  readonly number: number;
  /** Header of each body of states: the stream's number. */
  readonly head: Uint8Array;
  readonly definition: EntityDefinition;
  /** Differences from references, for several receivers; undefined before {@link refer}. */
  cycle: ReferenceCycle | undefined;
  readonly records = new Map<number, OwnedRecord>();
  readonly plan: StatePlan;
  readonly #history: StateHistory;
  readonly #writer: SnapshotWriter;
  /** For reliable messages. */
  readonly #whole: WholeSender;
  /** For packets to several receivers that have no reference yet. */
  readonly #unreferred: WholeSender;
  readonly #receivers = new Map<number, SoleReceiver>();
  readonly #restored: Float32Array;
  /** Entities whose next ordered state is whole, because a receiver has missed some. */
  readonly #restarted = new Set<number>();

  constructor(number: number, definition: EntityDefinition, tickHz: number) {
    this.number = number;
    this.head = Uint8Array.of(number);
    this.definition = definition;
    this.plan = planState(definition, { tickHz, hasRates: true });
    const plans = [this.plan];
    this.#history = new StateHistory({ plans, historyTicks: limits.historyTicks });
    this.#writer = new SnapshotWriter(plans);
    const maxBytes = limits.reliablePacketBytes - MESSAGE_HEAD_BYTES;
    this.#whole = new WholeSender({ writer: this.#writer, maxBytes, checksumTicks: Infinity });
    this.#unreferred = new WholeSender(this.#packets);
    this.#restored = new Float32Array(definition.components.length);
  }

  get #packets() {
    const [history, writer] = [this.#history, this.#writer];
    return { history, writer, maxBytes: BODY_BYTES, checksumTicks: CHECKSUM_TICKS };
  }

  /** Starts to make references, from which later states differ less. */
  refer({ ReferenceSender, ReferenceCycle }: ReferenceCode): void {
    this.cycle ??= new ReferenceCycle(new ReferenceSender(this.#packets));
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
    this.#restarted.delete(id);
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

  /**
   * Sends states to one receiver, as differences from those that it has acknowledged. Calls `onSent` for each
   * packet, with the bytes and entities in it. `sequence`: -1 if no link is usable and nothing was sent.
   */
  sendTo(
    receiver: number,
    session: Session,
    tick: number,
    rows: readonly EntityRows[],
    onSent: (bytes: number, entities: readonly EntityRows[], sequence: number) => void,
  ): void {
    const states = this.#receiver(receiver);
    states.start(tick, rows);
    for (let part = states.next(); part; part = states.next()) {
      // Only a packet about one entity may replace an older one about the same entity.
      const key = part.rows.length === 1 ? (part.rows[0]!.id + 1) & 0xffff : 0;
      const sequence = session.sendState(part.body, key, this.head);
      states.sent(part, sequence, 0);
      onSent(part.body.length, part.rows, sequence ?? -1);
    }
  }

  #receiver(number: number): SoleReceiver {
    const known = this.#receivers.get(number);
    if (known) return known;
    const receiver = new SoleReceiver(this.#packets);
    this.#receivers.set(number, receiver);
    return receiver;
  }

  /** Writes states once for all receivers that get them in order, as differences from the last ones. */
  writeInOrder(
    tick: number,
    rows: readonly EntityRows[],
    send: (body: Uint8Array, entities: readonly EntityRows[], from: number, to: number) => void,
  ): void {
    const followers = this.#receiver(FOLLOWERS);
    followers.isInOrder = true;
    followers.start(tick, rows);
    for (let part = followers.next(); part; part = followers.next()) {
      send(part.body, part.rows, 0, part.rows.length);
      followers.sent(part, 0, 0);
    }
  }

  /** Writes states once for several receivers that may lose some: as differences from a reference, or whole. */
  writeShared(...states: Parameters<WholeSender["write"]>): void {
    (this.cycle?.sender ?? this.#unreferred).write(...states);
  }

  /** Makes the next ordered states whole, because a receiver has missed some. */
  restartInOrder(): void {
    this.#receivers.get(FOLLOWERS)?.restart();
    for (const id of this.records.keys()) this.#restarted.add(id);
  }

  /**
   * Lets the ordered states continue those that the only receiver so far has got alone, so that none has to be
   * whole for its sake.
   */
  enterOrder(receiver: number): void {
    this.#handOver(receiver, FOLLOWERS);
    this.#restarted.clear();
  }

  /** As {@link enterOrder}, the other way: all receivers but one have left. */
  leaveOrder(receiver: number): void {
    this.#handOver(FOLLOWERS, receiver);
  }

  #handOver(from: number, to: number): void {
    const receiver = this.#receivers.get(from);
    this.#receivers.delete(from);
    if (!receiver) return;
    receiver.isInOrder = to === FOLLOWERS;
    this.#receivers.set(to, receiver);
  }

  /** Notes sent ordered states. Returns true if some of them were whole because of {@link restartInOrder}. */
  sentInOrder(entities: readonly EntityRows[]): boolean {
    // Each is taken from the set, so no short cut.
    return entities.filter(({ id }) => this.#restarted.delete(id)).length > 0;
  }

  acknowledge(receiver: number, sequence: number): void {
    this.#receivers.get(receiver)?.acknowledge(sequence);
  }

  /** Forgets the receiver's baselines of these entities, or of all if `ids` is empty. */
  invalidate(receiver: number, ids: readonly number[]): void {
    const known = this.#receivers.get(receiver);
    if (ids.length === 0) known?.restart();
    for (const id of ids) {
      const rows = this.#history.find(id);
      if (rows) known?.resync(rows);
    }
  }

  forget(receiver: number): void {
    this.#receivers.delete(receiver);
  }

  /** Returns messages with the whole states of these entities at a tick. */
  whole(records: Iterable<OwnedRecord>, tick: number): ReferencePayload[] {
    return this.wholeOf(
      Array.from(records, (record) => this.rowsAt(record, tick)),
      tick,
    );
  }

  /** As {@link whole}, of entities whose states of the tick are stored. */
  wholeOf(rows: readonly EntityRows[], tick: number): ReferencePayload[] {
    return this.#messages(rows, tick, []);
  }

  removal(id: number, tick: number): PeerPayload[] {
    return this.#messages([], tick, [id]);
  }

  reference(states: Uint8Array): ReferencePayload {
    return { kind: "reference", stream: this.number, states };
  }

  #messages(rows: readonly EntityRows[], tick: number, removed: readonly number[]): ReferencePayload[] {
    const messages: ReferencePayload[] = [];
    const take = (body: Uint8Array) => {
      messages.push(this.reference(new ByteWriter(body.length + 4).u32(tick).bytes(body).take()));
    };
    this.#whole.write(tick, rows, take, removed);
    return messages;
  }
}
