import {
  ByteWriter,
  listCode,
  limits,
  stateWeight,
  type CollectionSender,
  type EntityDefinition,
  type EntityRows,
  type GroupStates,
  type PeerPayload,
} from "@paceline/protocol";
import {
  ReceiverReplication,
  lostAfterMsOf,
  type SendDecisionPolicy,
  type ReplicationMoment,
  type StateBudget,
  type StateShortage,
} from "@paceline/netcode";
import {
  ANSWER_PACKET_BYTES,
  SharedPackets,
  type AnswerBudget,
  type Link,
  type Session,
  type Uplink,
} from "@paceline/transport";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import type { PeerConnection } from "../../peers/peer-connection.js";
import { policyOf, type StateRates } from "../../policy/state-policy.js";
import { decisionOf } from "../decision-of.js";
import type { CellPackets } from "../cells/cell-packets.js";
import type { RoomParts } from "../room-mode.js";
import type { PairMessages } from "./pair-messages.js";
import { SlotSender } from "./slot-sender.js";
import { StateReceiver } from "./state-receiver.js";
import { StateStream, keyOf, type StreamReceiver } from "../state-stream.js";

/**
 * Mean time from an update's arrival to its display, ms: the frame, and the simulation step that notices the
 * change.
 */
const SHOWN_AFTER_MS = 14;
/** Limit of the horizon, ms: no motion model predicts farther. */
const MAX_HORIZON_MS = 250;
const ASSUMED_RTT_MS = 200;
/** Header bytes of a packet with states for one receiver. */
const PACKET_HEAD_BYTES = 19;
/** Pause before the columns of a stream are offered again, ms. */
const RETRY_MS = 250;
/** Share of the states at once that a newcomer's world and repairs take. Those that are due take the rest. */
const REPAIR_BURST_SHARE = 0.875;
/** Pause after a join, before the slots for the next newcomer: the packets of the join are more urgent, ms. */
const JOIN_PAUSE_MS = 1000;

/**
 * Sends the states of own entities: only those that receivers need, as differences from states that they
 * have.
 */
export class StateSender {
  readonly #parts: RoomParts;
  readonly #messages: PairMessages;
  readonly #peers: () => PeerConnection[];
  readonly #streams = new Map<EntityDefinition, StateStream>();
  readonly #replication: ReceiverReplication;
  /** Packets of states and events that are the same for several receivers. */
  readonly publications: SharedPackets;
  readonly #receivers = new Map<PeerConnection, StateReceiver>();
  readonly #answers: AnswerBudget;
  readonly #slots: SlotSender;
  /** Undefined until this participant owns an entity with lists or maps. */
  #lists: CollectionSender<PeerConnection> | undefined;
  /** Undefined if receivers get the states of all entities. */
  readonly #cellPackets: CellPackets | undefined;
  #nextStream = 0;
  #sentAtMs = -Infinity;
  /** When states last went before their turn, because their entities have come into another cell. */
  #crossedAtMs = -Infinity;
  /** Entities that have come into another cell since the last turn. */
  readonly #crossed = new Set<OwnedRecord>();
  #tick = 0;

  constructor(
    parts: RoomParts,
    messages: PairMessages,
    peers: () => PeerConnection[],
    answers: AnswerBudget,
  ) {
    this.#parts = parts;
    this.#messages = messages;
    this.#peers = peers;
    const uplink = (): Uplink | undefined => parts.connection.uplink;
    const { cells, cellCode } = parts;
    this.publications = new SharedPackets({ ...parts, peers, uplink, hasGaps: cells !== undefined });
    this.#cellPackets = cells && new cellCode!.CellPackets(cells, this.publications, uplink);
    this.#answers = answers;
    this.#slots = new SlotSender(
      parts.scheduler,
      () => this.#streams.values(),
      () => this.#serverSession,
      (stream) => !this.#goesByCell(stream),
    );
    this.#replication = new ReceiverReplication({
      tickSeconds: 1 / parts.time.tickHz,
      decisionOf,
      onFault: (record, fault) =>
        parts.listeners.faulted(record.definition.name, (record as OwnedRecord).entity.id, fault),
    });
  }

  /** The own states that wait because the budget is too small; undefined if it suffices, or nobody is there. */
  get shortage(): StateShortage | undefined {
    return this.#peers().length > 0 ? this.#replication.shortage : undefined;
  }

  spawned(record: OwnedRecord, tick: number): void {
    this.#slots.refresh();
    const stream = this.#streams.get(record.definition) ?? this.#begin(record.definition);
    stream.add(record);
    // Before the state, so that the entity appears with its lists.
    this.#addLists(record, stream.number);
    if (this.#goesByCell(stream)) return;
    for (const peer of this.#peers())
      this.#receiverOf(peer).repairs.spend(wholeStates(stream, 1), this.#nowMs);
    try {
      for (const message of stream.whole([record], tick)) this.#messages.postStates(message);
    } catch (error) {
      stream.remove(record.id);
      throw error;
    }
  }

  #addLists({ id, collections }: OwnedRecord, stream: number): void {
    if (!collections) return;
    if (!this.#lists) {
      this.#lists = new listCode.inUse!.CollectionSender({
        newWriter: () => new ByteWriter(),
        hasRoom: ({ session }, bytes) =>
          !session.isClosed && session.commands.bytes + bytes <= limits.pairQueueBytes / 2,
        send: (messages, to) => {
          for (const message of messages) this.#messages.postTo({ kind: "changes", ...message }, to);
        },
      });
      for (const peer of this.#peers()) this.#lists.join(peer);
    }
    this.#lists.add({ id, stream, collections: collections.filter(({ isForOwner }) => !isForOwner) });
    this.#lists.flush();
  }

  despawned(record: OwnedRecord, tick: number): void {
    const { definition, id } = record;
    this.#crossed.delete(record);
    this.#lists?.remove(id);
    this.#slots.refresh();
    const stream = this.#streams.get(definition);
    stream?.remove(id);
    this.#replication.remove(id);
    if (stream && this.#goesByCell(stream)) this.#sendEndByCell(stream, id, tick);
    for (const message of stream?.removal(id, tick) ?? []) this.#messages.postStates(message);
  }

  teleported({ definition, id }: OwnedRecord): void {
    this.#streams.get(definition)?.teleport(id);
    this.#replication.teleported(id);
    this.#slots.refresh();
  }

  /** Sends a new receiver all streams and states, as if it had asked for a resync of each. */
  joined(peer: PeerConnection, tick: number): void {
    this.#slots.refresh(JOIN_PAUSE_MS);
    for (const stream of this.#streams.values()) peer.send(stream.announcement);
    this.#lists?.join(peer);
    this.#lists?.flush();
    for (const stream of this.#streams.values()) {
      this.#receiverOf(peer).repairs.spend(wholeStates(stream, stream.records.size), this.#nowMs);
      if (this.#goesByCell(stream)) continue;
      this.#bringUpToDate(peer, stream, stream.records.values(), tick);
    }
  }

  left(peer: PeerConnection): void {
    for (const stream of this.#streams.values()) stream.forget(peer.number);
    this.#receivers.delete(peer);
    this.#lists?.leave(peer);
  }

  acknowledged(peer: PeerConnection, sequence: number): void {
    for (const stream of this.#streams.values()) stream.acknowledge(peer.number, sequence);
    this.#replication.acknowledged(sequence);
  }

  /** Handles a receiver's message about the streams. */
  answer(peer: PeerConnection, payload: PeerPayload, moment: ReplicationMoment): void {
    if (payload.kind === "resync") this.#resync(peer, payload.stream, payload.entities, moment);
    else if (payload.kind === "columns") this.#describe(peer, payload.stream);
    else if (payload.kind === "changes") {
      this.#lists?.repeat(peer, payload.stream);
      this.#lists?.flush();
    }
  }

  /** Sends whole states to a receiver that lacks baselines: of some entities, or of all if `ids` is empty. */
  #resync(peer: PeerConnection, number: number, ids: readonly number[], moment: ReplicationMoment): void {
    const stream = this.#numbered(number);
    if (!stream) return;
    const receiver = this.#receiverOf(peer);
    if (receiver.isHasty(number, moment.nowMs)) return peer.session.drops.count("rate-limit");
    const wanted = ids.length === 0 ? stream.records.keys() : new Set(ids);
    const records = Array.from(wanted, (id) => stream.records.get(id)).filter(
      (record) => record !== undefined,
    );
    const { repairs } = receiver;
    // A request of few bytes must not make this side write its whole world again and again. The receiver pays
    // for the last answer before it gets the next one.
    const budget = this.#budgetOf(receiver);
    if (budget.affordable === 0) return peer.session.drops.count("rate-limit");
    if (!repairs.take(Math.min(wholeStates(stream, records.length), repairs.burst), moment.nowMs))
      return peer.session.drops.count("rate-limit");
    receiver.resynced(number, moment.nowMs);
    stream.invalidate(peer.number, ids);
    if (receiver.inOrder) receiver.lostOrder(moment.nowMs);
    budget.spent(this.#bringUpToDate(peer, stream, records, moment.tick, true), 0);
  }

  /**
   * Sends the columns of a stream to a receiver of another build. Once is enough, because the message is
   * reliable.
   */
  #describe(peer: PeerConnection, number: number): void {
    const stream = this.#numbered(number);
    const { described } = this.#receiverOf(peer);
    if (!stream || described.has(number)) return peer.session.drops.count("rate-limit");
    described.add(number);
    const { loadColumns, scheduler } = this.#parts;
    void loadColumns().then(({ describeColumns }) => {
      const columns = describeColumns(stream.definition);
      const send = (): void => {
        const isHere = this.#receivers.get(peer)?.described === described;
        const isWanted = isHere && this.#numbered(number) === stream;
        if (isWanted && !peer.trySend({ kind: "columns", stream: number, columns }))
          scheduler.after(RETRY_MS, send);
      };
      send();
    });
  }

  /** Notes a tick whose states only those get who have waited. */
  recordStates(tick: number): void {
    this.#tick = tick;
  }

  /** Sends the due states of this tick, and refreshes the slots at the server. */
  replicate(all: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    this.#tick = moment.tick;
    this.#lists?.flush();
    const receivers = this.#peers();
    const records = this.#cellPackets ? this.#replicateByCell(all, receivers, moment) : all;
    const { state } = this.#parts.transport.plan.channels;
    const isDue = receivers.length > 0 && this.#isDue(moment, state.periodMs);
    if (state.delivery === "ordered-reliable") {
      if (isDue) this.#sendInOrder(receivers, records, moment);
    } else if (receivers.length > 1) this.#sendToAll(receivers, records, moment, isDue);
    // Without a link nothing can be sent, so the states stay due.
    else if (isDue && receivers[0]!.session.activeLink)
      this.#sendToGroup(receivers, records, moment, undefined);
    this.#slots.step(moment.tick);
  }

  /** True if the states of a stream go to those who see the cell of its entities. */
  #goesByCell({ definition }: StateStream): boolean {
    return this.#parts.cells?.has(definition) === true;
  }

  /**
   * Sends the due states that go by cell, whole: a receiver may have come to see the cell just now. Returns the other
   * entities.
   */
  #replicateByCell(
    all: Iterable<OwnedRecord>,
    receivers: readonly PeerConnection[],
    moment: ReplicationMoment,
  ): OwnedRecord[] {
    const cells = this.#parts.cells!;
    const others: OwnedRecord[] = [];
    const records: OwnedRecord[] = [];
    for (const record of all) {
      if (!cells.has(record.definition)) others.push(record);
      else {
        records.push(record);
        if (cells.track(record)) {
          this.#replication.force([record.id]);
          this.#crossed.add(record);
        }
      }
    }
    cells.update();
    if (receivers.length === 0) return others;
    const { periodMs } = this.#parts.transport.plan.channels.state;
    const isDue = this.#isDue(moment, periodMs);
    for (const [stream, rows] of isDue
      ? this.#due(records, undefined, moment)
      : this.#dueOfCrossed(moment, periodMs))
      for (const group of this.#cellGroups(stream, rows).values()) this.#sendToCell(stream, group, moment);
    if (isDue) this.#crossed.clear();
    return others;
  }

  /**
   * Returns the states of entities that have come into another cell, before their turn: those who see only this cell
   * wait for them. This happens once in a period, so that a game that moves its entities to and fro sends no more.
   */
  #dueOfCrossed(moment: ReplicationMoment, periodMs: number): Iterable<[StateStream, EntityRows[]]> {
    if (this.#crossed.size === 0 || moment.nowMs - this.#crossedAtMs < periodMs) return [];
    this.#crossedAtMs = moment.nowMs;
    const turnMs = this.#sentAtMs;
    const due = [...this.#due([...this.#crossed], undefined, moment, 0)];
    this.#crossed.clear();
    // The turn of the others stays.
    this.#sentAtMs = turnMs;
    return due;
  }

  /** Returns the states by the cell of their entities, and by the one that they have left. */
  #cellGroups(stream: StateStream, rows: readonly EntityRows[]): Map<string | number, CellGroup> {
    const cells = this.#parts.cells!;
    const groups = new Map<string | number, CellGroup>();
    for (const each of rows) {
      const at = cells.takeCell(each.id);
      if (!at) continue;
      const key = cells.goesAlone(stream.definition) ? each.id : `${at.cell} ${at.left}`;
      const group = groups.get(key);
      if (group) group.rows.push(each);
      else groups.set(key, { ...at, record: stream.records.get(each.id)!, rows: [each] });
    }
    return groups;
  }

  #sendToCell(stream: StateStream, { cell, left, record, rows }: CellGroup, moment: ReplicationMoment): void {
    const { x, y } = this.#parts.cells!.placeOfOwn(record);
    const { head } = stream;
    const { tick } = moment;
    stream.writeShared(tick, rows, (body, sent) => {
      const alone = sent.length === 1 ? this.#roomWide(sent[0]!.id) : undefined;
      const bytes = this.#cellPackets!.send({ cell, left, x, y, tick, head, body, alone }, this.#peers());
      this.#replication.spent(bytes, sent.length);
      this.#sent(stream, sent, moment);
    });
  }

  /** Replaces what the server keeps of an entity by the news of its end. */
  #sendEndByCell(stream: StateStream, id: number, tick: number): void {
    const cells = this.#parts.cells!;
    const at = cells.takeCell(id);
    cells.untrack(id);
    if (!at) return;
    const { head } = stream;
    const send = (body: Uint8Array): void =>
      void this.#cellPackets!.send(
        { ...at, x: NaN, y: NaN, tick, head, body, alone: this.#roomWide(id) },
        [],
      );
    stream.writeShared(tick, [], send, [id]);
  }

  #roomWide(id: number): number {
    return this.#parts.facts.sessionNumber * 0x10000 + id;
  }

  /**
   * Sends to several receivers: to a group if they get everything through the server in order, else whole. Both are
   * encoded once, and the relay forwards one packet to all.
   */
  #sendToAll(
    receivers: readonly PeerConnection[],
    records: Iterable<OwnedRecord>,
    moment: ReplicationMoment,
    isDue: boolean,
  ): void {
    const inOrder = this.#linkInOrder(receivers);
    if (inOrder) {
      // A waiting state could be replaced, and the receivers could not read the states that build on it.
      const isOpen = isDue && this.#serverSession?.takesStates === true;
      if (isOpen) this.#sendToGroup(receivers, records, moment, inOrder);
      this.publications.send();
      return;
    }
    for (const peer of receivers) this.#follow(this.#receiverOf(peer), undefined, moment.nowMs);
    for (const [stream, rows] of isDue ? this.#due(records, undefined, moment) : [])
      this.#publish(receivers, stream, rows, moment);
    this.publications.send();
  }

  /** Returns the server's link if all receivers get everything over it in order, as far as this side knows. */
  #linkInOrder(receivers: readonly PeerConnection[]): Link | undefined {
    const link = this.#serverSession?.linkFor("state");
    const isOrdered = link?.isUnreliable === false && (link.width ?? 1) === 1;
    const isForAll = receivers.every(({ relayedState, session }) => relayedState || !session.activeLink);
    return isOrdered && isForAll ? link : undefined;
  }

  /** Returns true if the plan's period has passed. A tick that is early by up to half a tick counts. */
  #isDue({ nowMs }: ReplicationMoment, periodMs: number): boolean {
    return nowMs - this.#sentAtMs >= periodMs - 500 / this.#parts.time.tickHz;
  }

  *#due(
    records: Iterable<OwnedRecord>,
    only: PeerConnection | undefined,
    moment: ReplicationMoment,
    minIntervalMs = this.#policy().minIntervalMs,
  ): Iterable<[StateStream, EntityRows[]]> {
    // The other players' plan is most likely this one. If it bundles longer, some states are sent twice.
    const { periodMs } = this.#parts.transport.plan.channels.command;
    const lostAfterMs = only ? lostAfterMsOf(only.rttMs ?? ASSUMED_RTT_MS, periodMs) : Infinity;
    const due = this.#replication.due(records, moment, { ...this.#policy(), minIntervalMs, lostAfterMs });
    if (due.length > 0) this.#sentAtMs = moment.nowMs;
    for (const stream of this.#streams.values()) {
      const own = due.filter((record) => stream.records.get(record.id) === record) as OwnedRecord[];
      if (own.length > 0) yield [stream, own.map((record) => stream.rowsAt(record, moment.tick))];
    }
  }

  /**
   * Sends whole states as reliable messages, because all of them must arrive. A blocked receiver gets later
   * states when it has room.
   */
  #sendInOrder(
    receivers: readonly PeerConnection[],
    records: Iterable<OwnedRecord>,
    moment: ReplicationMoment,
  ): void {
    const open = receivers.filter(({ session }) => !session.isClosed && !session.isBacklogged);
    if (open.length === 0) return;
    for (const [stream, rows] of this.#due(records, undefined, moment)) {
      const messages = stream.wholeOf(rows, moment.tick);
      for (const peer of open) {
        peer.sendAll(messages);
        peer.meter.countUpdatesOut(rows.length);
      }
      for (const message of messages)
        if (message.kind === "reference") this.#replication.spent(message.states.length, rows.length);
      this.#sent(stream, rows, moment);
    }
  }

  /**
   * Sends the due states as differences from what each receiver holds. Receivers that hold the same get one packet if
   * all of them get it over the server's link, which keeps order. The others acknowledge what they get.
   */
  #sendToGroup(
    receivers: readonly PeerConnection[],
    records: Iterable<OwnedRecord>,
    moment: ReplicationMoment,
    inOrder: Link | undefined,
  ): void {
    const only = receivers.length === 1 ? receivers[0] : undefined;
    for (const peer of receivers) this.#follow(this.#receiverOf(peer), inOrder, moment.nowMs);
    for (const [stream, rows] of this.#due(records, only, moment)) {
      const members = receivers.map((peer) => this.#prepared(peer, stream, rows.length, moment, only));
      stream.begin(moment.tick, rows, members);
      const cost = this.#sendStarted(stream, moment, only);
      if (only) continue;
      this.#replication.spent(cost, rows.length);
      this.#sent(stream, rows, moment);
    }
    if (!only) for (const peer of receivers) this.#sendWaiting(this.#receiverOf(peer));
  }

  /** Notes over which link a receiver gets states in order. What a former one carried may be lost. */
  #follow(receiver: StateReceiver, inOrder: Link | undefined, nowMs: number): void {
    const { peer } = receiver;
    const isHere = peer.relayedState !== undefined;
    const link = isHere && inOrder && receiver.keepsOrder(nowMs) ? inOrder : undefined;
    if (receiver.inOrder && (!isHere || (link && link !== receiver.inOrder)))
      for (const stream of this.#streams.values()) stream.invalidate(peer.number);
    receiver.inOrder = link;
  }

  /** Returns a peer's record in a stream, and decides whether it gets the due states now. */
  #prepared(
    peer: PeerConnection,
    stream: StateStream,
    due: number,
    { tick, nowMs }: ReplicationMoment,
    only: PeerConnection | undefined,
  ): StreamReceiver {
    const receiver = this.#receiverOf(peer);
    const record = stream.receiver(peer.number);
    record.isInOrder = receiver.inOrder !== undefined;
    // Nobody else notices what the only receiver has lost: the replication does, and its states are due again.
    record.lose(only ? -Infinity : nowMs - lostAfterMsOf(peer.rttMs ?? ASSUMED_RTT_MS), tick);
    record.isSkipping = !only && !record.isInOrder && !this.#affords(receiver, due);
    return record;
  }

  /** Returns true if a receiver that gets its own packets can be sent so many states now. */
  #affords(receiver: StateReceiver, due: number): boolean {
    if (!receiver.peer.session.activeLink || due > this.#budgetOf(receiver).affordable) return false;
    // Any peer could ask for its own packets, so the pairs' budget of answers limits them, too.
    return this.#answers.bytes.admits(receiver.send);
  }

  /**
   * Sends what a stream has started. Returns the fewest bytes of those that get it in order; undefined if nobody does.
   * The states of a newcomer are whole, and the others do not pay for them.
   */
  #sendStarted(
    stream: StateStream,
    moment: ReplicationMoment,
    only: PeerConnection | undefined,
  ): number | undefined {
    const costs: number[] = [];
    for (let states = stream.next(); states; states = stream.next()) {
      if (states.receivers[0]!.isInOrder) {
        if (states.number === 1) costs.push(0);
        costs[costs.length - 1]! += states.body.length + PACKET_HEAD_BYTES;
        this.#publishInOrder(stream, states, moment);
        continue;
      }
      for (const to of states.receivers) {
        const peer = this.#peerOf(to.number)!;
        const sequence = peer.session.sendState(states.body, keyOf(states), stream.head);
        to.sent(states, sequence, moment.nowMs);
        if (only) this.#sentToOnly(stream, states, moment, sequence);
        else this.#sentToOne(this.#receiverOf(peer), states);
        peer.meter.countUpdatesOut(states.rows.length);
      }
    }
    return costs.length > 0 ? Math.min(...costs) : undefined;
  }

  #publishInOrder(
    stream: StateStream,
    states: GroupStates<StreamReceiver>,
    { tick }: ReplicationMoment,
  ): void {
    const peers = states.receivers.map(({ number }) => this.#peerOf(number)!);
    this.#publishTo(peers, stream, states.body, states.rows, tick);
    for (const receiver of states.receivers) receiver.sent(states, 0, 0);
  }

  #sentToOnly(
    stream: StateStream,
    { body, rows }: GroupStates,
    moment: ReplicationMoment,
    sequence: number | undefined,
  ): void {
    this.#replication.spent(body.length + PACKET_HEAD_BYTES, rows.length);
    this.#sent(stream, rows, moment, sequence);
  }

  #sentToOne({ budget, send }: StateReceiver, { body, rows }: GroupStates): void {
    this.#answers.bytes.countSent(Math.max(body.length, ANSWER_PACKET_BYTES), send);
    budget.spent(body.length + PACKET_HEAD_BYTES, rows.length);
  }

  /** Sends a receiver the states that it waits for, within its own budget and that of the pairs. */
  #sendWaiting(receiver: StateReceiver): void {
    const { peer } = receiver;
    if (this.#receivers.get(peer) !== receiver || !peer.session.activeLink) return;
    for (const stream of this.#streams.values()) {
      const record = stream.receiver(peer.number);
      const waiting =
        record.waiting > 0 && this.#affords(receiver, 1) ? this.#budgetOf(receiver).affordable : 0;
      const rows: EntityRows[] = [];
      for (const { id } of record.wanted(waiting)) {
        const owned = stream.records.get(id);
        if (owned) rows.push(stream.rowsAt(owned, this.#tick));
      }
      if (rows.length === 0) continue;
      stream.beginAlone(this.#tick, rows, record);
      this.#sendStarted(stream, { tick: this.#tick, nowMs: this.#nowMs }, undefined);
    }
    this.publications.send();
  }

  /** Publishes whole states. */
  #publish(
    receivers: readonly PeerConnection[],
    stream: StateStream,
    rows: readonly EntityRows[],
    moment: ReplicationMoment,
  ): void {
    stream.writeShared(moment.tick, rows, (body, sent) => {
      this.#publishTo(receivers, stream, body, sent, moment.tick);
      this.#replication.spent(body.length + PACKET_HEAD_BYTES, sent.length);
      this.#sent(stream, sent, moment);
    });
  }

  #publishTo(
    receivers: readonly PeerConnection[],
    stream: StateStream,
    body: Uint8Array,
    rows: readonly EntityRows[],
    tick: number,
  ): void {
    const alone = rows.length === 1 ? this.#roomWide(rows[0]!.id) : undefined;
    // The body is a view until the next one, and the packet may wait for others of this tick.
    const message = { head: stream.head, body: body.slice() };
    this.publications.add(message, { trafficClass: "state", tick, receivers, alone });
    for (const { meter } of receivers) meter.countUpdatesOut(rows.length);
  }

  #policy(): SendDecisionPolicy & StateRates {
    return { ...policyOf(this.#parts.transport.plan), horizonMs: this.#horizonMs };
  }

  /**
   * Delay until receivers show an update, ms. All receivers get the same update, so the median of their round
   * trips counts: a peer that delays its answers does not change the updates of others. Of two median values
   * it takes the shorter.
   */
  get #horizonMs(): number {
    const rttsMs = Array.from(this.#peers(), ({ rttMs }) => rttMs ?? Number.NaN).filter(
      (rttMs) => rttMs >= 0,
    );
    const medianMs = rttsMs.sort((a, b) => a - b)[(rttsMs.length - 1) >> 1] ?? 0;
    return Math.min(medianMs / 2 + SHOWN_AFTER_MS, MAX_HORIZON_MS);
  }

  /** Sends a receiver these whole states. Returns their bytes. */
  #bringUpToDate(
    peer: PeerConnection,
    stream: StateStream,
    records: Iterable<OwnedRecord>,
    tick: number,
    isAnswer = false,
  ): number {
    if (peer.session.isBacklogged) return 0;
    let bytes = 0;
    for (const message of stream.whole(records, tick)) {
      bytes += message.states.length + PACKET_HEAD_BYTES;
      if (isAnswer) peer.answer([message]);
      else peer.send(message);
    }
    return bytes;
  }

  #begin(definition: EntityDefinition): StateStream {
    const stream = new StateStream(this.#nextStream++, definition, this.#parts.time.tickHz);
    this.#streams.set(definition, stream);
    this.#messages.postStates(stream.announcement);
    return stream;
  }

  #receiverOf(peer: PeerConnection): StateReceiver {
    const known = this.#receivers.get(peer);
    if (known) return known;
    const send = (to: StateReceiver): void => this.#sendWaiting(to);
    const receiver = new StateReceiver(peer, REPAIR_BURST_SHARE, this.#nowMs, send);
    this.#receivers.set(peer, receiver);
    return receiver;
  }

  /** Returns the budget of what a receiver gets alone: its own packets, and the whole states that it asks for. */
  #budgetOf({ budget }: StateReceiver): StateBudget {
    budget.refill(this.#nowMs, this.#policy().bytesPerSecond);
    return budget;
  }

  #peerOf(number: number): PeerConnection | undefined {
    return this.#peers().find((peer) => peer.number === number);
  }

  get #nowMs(): number {
    return this.#parts.scheduler.nowMs();
  }

  get #serverSession(): Session | undefined {
    const { state, session } = this.#parts.connection;
    return state === "joined" ? session : undefined;
  }

  #sent(
    stream: StateStream,
    entities: readonly EntityRows[],
    moment: ReplicationMoment,
    sequence?: number,
  ): void {
    for (const { id } of entities) {
      const record = stream.records.get(id);
      if (record) this.#replication.sent(record, stream.restored(record, moment.tick), moment, sequence);
    }
  }

  #numbered(number: number): StateStream | undefined {
    for (const stream of this.#streams.values()) if (stream.number === number) return stream;
    return undefined;
  }
}

/** Own entities of one kind that are in the same cell, and have left the same one. */
interface CellGroup {
  readonly cell: number;
  readonly left: number | undefined;
  /** One of them. */
  readonly record: OwnedRecord;
  readonly rows: EntityRows[];
}

function weightOf({ plan }: StateStream): number {
  return stateWeight(plan.width, plan.texts.length);
}

/** Returns as how many states the whole states of so many entities count at a receiver that lacks them. */
function wholeStates(stream: StateStream, entities: number): number {
  return entities * (1 + limits.newEntityStates) * weightOf(stream);
}
