import {
  NetError,
  limits,
  stateWeight,
  type EntityDefinition,
  type EntityRows,
  type PeerPayload,
} from "@paceline/protocol";
import {
  ReceiverReplication,
  lostAfterMsOf,
  type SendDecisionPolicy,
  type Receipt,
  type ReplicationMoment,
  type StateShortage,
} from "@paceline/netcode";
import { SharedPackets, TokenBucket, type AnswerBudget, type Link, type Session } from "@paceline/transport";
import { decisionOf } from "../../entities/motion.js";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import type { PeerConnection } from "../../peers/peer-connection.js";
import { policyOf, type StateRates } from "../../policy/state-policy.js";
import type { RoomParts } from "../room-mode.js";
import type { PairMessages } from "./pair-messages.js";
import { IndividualStates, PACKET_HEAD_BYTES } from "./individual-states.js";
import { SlotSender } from "./slot-sender.js";
import { StateStream, type ReferenceCode } from "../state-stream.js";

/**
 * Mean time from an update's arrival to its display, ms: the frame, and the simulation step that notices the
 * change.
 */
const SHOWN_AFTER_MS = 14;
/** Limit of the horizon, ms: no motion model predicts farther. */
const MAX_HORIZON_MS = 250;
/** Rate limit for resync requests, per peer and stream. */
const RESYNC_INTERVAL_MS = 250;
const ASSUMED_RTT_MS = 200;
/**
 * Shares of the states that a receiver reads of this participant. Those that are due take the rest, half of
 * them.
 */
const REFERENCE_SHARE = 0.25;
const REPAIR_SHARE = 0.25;
/** Share of the states at once that are references. A newcomer's world and repairs take the rest. */
const REFERENCE_BURST_SHARE = 0.125;
/** States of an entity in a reference, and in those that a newcomer gets: the active and the pending one. */
const REFERENCE_STATES = 3;
const JOIN_STATES = 2 * REFERENCE_STATES;
/** Pause after a join, before the slots for the next newcomer: the packets of the join are more urgent, ms. */
const JOIN_PAUSE_MS = 1000;
/** Pause before code that failed to load is fetched again, ms. */
const REFETCH_MS = 3000;

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
  /** Streams whose columns each receiver has requested. */
  readonly #described = new WeakMap<PeerConnection, Set<number>>();
  readonly #resyncedAtMs = new WeakMap<PeerConnection, Map<number, number>>();
  /** States that receivers still read besides the due ones: in references, and in messages to one of them. */
  readonly #referenceStates: TokenBucket;
  readonly #repairStates = new WeakMap<PeerConnection, TokenBucket>();
  readonly #slots: SlotSender;
  readonly #individualStates: IndividualStates;
  /** Link over which all receivers get states in order; undefined while there is none. */
  #inOrderLink: Link | undefined;
  /** Peers that missed states, because they had no link at that time. */
  readonly #unreached = new WeakSet<PeerConnection>();
  #referenceCode: ReferenceCode | undefined;
  #isFetching = false;
  #nextStream = 0;
  #sentAtMs = -Infinity;
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
    this.publications = new SharedPackets({ ...parts, peers, uplink: () => parts.connection.uplink });
    this.#referenceStates = new TokenBucket(
      limits.statesPerSecond * REFERENCE_SHARE,
      limits.statesBurst * REFERENCE_BURST_SHARE,
      parts.scheduler.nowMs(),
    );
    this.#individualStates = new IndividualStates({
      answers,
      streams: this.#streams,
      nowMs: () => this.#nowMs,
      tick: () => this.#tick,
      bytesPerSecond: () => this.#policy().bytesPerSecond,
    });
    this.#slots = new SlotSender(
      parts.scheduler,
      () => this.#streams.values(),
      () => this.#serverSession,
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
    for (const peer of this.#peers()) this.#repairsOf(peer).spend(wholeStates(stream, 1), this.#nowMs);
    try {
      for (const message of stream.whole([record], tick)) this.#messages.postStates(message);
    } catch (error) {
      stream.remove(record.id);
      throw error;
    }
  }

  despawned({ definition, id }: OwnedRecord, tick: number): void {
    this.#slots.refresh();
    const stream = this.#streams.get(definition);
    stream?.remove(id);
    this.#replication.remove(id);
    this.#individualStates.remove(id);
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
    this.#follow(peer);
    for (const stream of this.#streams.values()) {
      this.#repairsOf(peer).spend(repairStates(stream, stream.records.size), this.#nowMs);
      peer.send(stream.announcement);
      this.#bringUpToDate(peer, stream, stream.records.values(), tick);
    }
  }

  left(peer: PeerConnection): void {
    for (const stream of this.#streams.values()) stream.forget(peer.number);
    this.#described.delete(peer);
    this.#individualStates.delete(peer);
    const only = this.#onlyFollower(this.#peers());
    // A broken link may have lost the last states, and a direct link may overtake them.
    if (only?.relayedState && !this.#unreached.has(only))
      for (const stream of this.#streams.values()) stream.leaveOrder(only.number);
  }

  /** Lets a new receiver follow the ordered states, which are whole once for its sake. */
  #follow(peer: PeerConnection): void {
    const only = this.#onlyFollower(this.#peers().filter((each) => each !== peer));
    if (only) for (const stream of this.#streams.values()) stream.enterOrder(only.number);
    if (this.#inOrderLink && !this.#individualStates.isPaid) this.#individualStates.addNewcomer(peer);
    else for (const stream of this.#streams.values()) stream.restartInOrder();
  }

  /** Returns the only receiver of ordered states; undefined if there are others, or it gets its own packets. */
  #onlyFollower([only, ...others]: readonly PeerConnection[]): PeerConnection | undefined {
    const isOne = only && others.length === 0 && !this.#individualStates.has(only);
    return this.#inOrderLink && isOne ? only : undefined;
  }

  acknowledged(peer: PeerConnection, sequence: number): void {
    for (const stream of this.#streams.values()) stream.acknowledge(peer.number, sequence);
    this.#replication.acknowledged(sequence);
  }

  /** Handles a receiver's message about the streams. */
  answer(peer: PeerConnection, payload: PeerPayload, moment: ReplicationMoment): void {
    if (payload.kind === "resync") this.#resync(peer, payload.stream, payload.entities, moment);
    else if (payload.kind === "columns") this.#describe(peer, payload.stream);
  }

  /** Sends whole states to a receiver that lacks baselines: of some entities, or of all if `ids` is empty. */
  #resync(peer: PeerConnection, number: number, ids: readonly number[], moment: ReplicationMoment): void {
    const stream = this.#numbered(number);
    const times = this.#resyncedAtMs.get(peer) ?? new Map<number, number>();
    this.#resyncedAtMs.set(peer, times);
    if (!stream) return;
    if (moment.nowMs - (times.get(number) ?? -Infinity) < RESYNC_INTERVAL_MS) {
      return peer.session.drops.count("rate-limit");
    }
    const wanted = ids.length === 0 ? stream.records.keys() : new Set(ids);
    const records = Array.from(wanted, (id) => stream.records.get(id)).filter(
      (record) => record !== undefined,
    );
    const repairs = this.#repairsOf(peer);
    // A request of few bytes must not make this side write its whole world again and again. The receiver pays
    // for the last answer before it gets the next one.
    const budget = this.#individualStates.budgetOf(peer);
    if (budget.affordable === 0) return peer.session.drops.count("rate-limit");
    if (!repairs.take(Math.min(repairStates(stream, records.length), repairs.burst), moment.nowMs))
      return peer.session.drops.count("rate-limit");
    times.set(number, moment.nowMs);
    stream.invalidate(peer.number, ids);
    if (this.#inOrderLink) this.#individualStates.addAfterLoss(peer);
    budget.spent(this.#bringUpToDate(peer, stream, records, moment.tick, true), 0);
  }

  /**
   * Sends the columns of a stream to a receiver of another build. Once is enough, because the message is
   * reliable.
   */
  #describe(peer: PeerConnection, number: number): void {
    const stream = this.#numbered(number);
    const described = this.#described.get(peer) ?? new Set<number>();
    this.#described.set(peer, described);
    if (!stream || described.has(number)) return peer.session.drops.count("rate-limit");
    described.add(number);
    const { loadColumns, scheduler } = this.#parts;
    void loadColumns().then(({ describeColumns }) => {
      const columns = describeColumns(stream.definition);
      const send = (): void => {
        const isWanted = this.#described.get(peer) === described && this.#numbered(number) === stream;
        if (isWanted && !peer.trySend({ kind: "columns", stream: number, columns }))
          scheduler.after(RESYNC_INTERVAL_MS, send);
      };
      send();
    });
  }

  /** Stores the states of a tick that is not sent: a reference consists of three ticks in a row. */
  recordStates(tick: number): void {
    this.#tick = tick;
    this.#gather(tick);
  }

  /** Sends the due states of this tick, and refreshes the slots at the server. */
  replicate(records: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    this.#tick = moment.tick;
    const receivers = this.#peers();
    const { state } = this.#parts.transport.plan.channels;
    const isDue = receivers.length > 0 && this.#isDue(moment, state.periodMs);
    if (state.delivery === "ordered-reliable") {
      if (isDue) this.#sendInOrder(receivers, records, moment);
    } else if (receivers.length > 1) this.#publishDue(receivers, records, moment, isDue);
    // Without a link nothing can be sent, so the states stay due.
    else if (isDue && receivers[0]!.session.activeLink) this.#sendTo(receivers[0]!, records, moment);
    this.#slots.step(moment.tick);
  }

  #publishDue(
    receivers: readonly PeerConnection[],
    records: Iterable<OwnedRecord>,
    moment: ReplicationMoment,
    isDue: boolean,
  ): void {
    const mayPublish = this.#mayPublish(receivers, moment.tick);
    for (const [stream, rows] of isDue && mayPublish ? this.#due(records, undefined, moment) : [])
      this.#publish(receivers, stream, rows, moment);
    this.publications.send();
    if (isDue) this.#individualStates.send();
    if (!this.#inOrderLink)
      for (const stream of this.#streams.values()) this.#refresh(stream, receivers, moment);
  }

  /**
   * Returns true if states may be sent to several receivers. They are encoded once, and the relay forwards
   * one packet to all. Over an ordered link they are differences from the last ones, otherwise from a shared
   * reference.
   */
  #mayPublish(receivers: readonly PeerConnection[], tick: number): boolean {
    // A waiting state could be replaced, and the receivers could not read the states that build on it.
    if (this.#isInOrder(receivers)) return this.#serverSession?.takesStates === true;
    if (receivers.some(({ session }) => session.activeLink)) this.fetchReferences();
    this.#gather(tick);
    return true;
  }

  /** Fetches the code of references. Several receivers get whole states until it is there. */
  fetchReferences(): void {
    if (this.#referenceCode || this.#isFetching) return;
    this.#isFetching = true;
    const { loadReferences, scheduler } = this.#parts;
    loadReferences().then(
      (code) => {
        this.#referenceCode = code;
        for (const stream of this.#streams.values()) stream.refer(code);
      },
      () => scheduler.after(REFETCH_MS, () => (this.#isFetching = false)),
    );
  }

  /** Returns true if all receivers get everything through the server in order, as far as this side knows. */
  #isInOrder(receivers: readonly PeerConnection[]): boolean {
    const link = this.#serverSession?.linkFor("state");
    const isOrdered = link?.isUnreliable === false && (link.width ?? 1) === 1;
    // An unreachable peer gets whole states when it is back.
    const isInOrder =
      isOrdered && receivers.every(({ relayedState, session }) => relayedState || !session.activeLink);
    const before = this.#inOrderLink;
    this.#inOrderLink = isInOrder ? link : undefined;
    for (const peer of receivers)
      if (peer.relayedState && this.#unreached.delete(peer)) this.#individualStates.addNewcomer(peer);
    if (!isInOrder) this.#individualStates.clear();
    // The former link may have lost the states that it carried.
    else if (this.#individualStates.release() || before !== link)
      for (const stream of this.#streams.values()) stream.restartInOrder();
    return isInOrder;
  }

  /** Returns true if the plan's period has passed. A tick that is early by up to half a tick counts. */
  #isDue({ nowMs }: ReplicationMoment, periodMs: number): boolean {
    return nowMs - this.#sentAtMs >= periodMs - 500 / this.#parts.time.tickHz;
  }

  *#due(
    records: Iterable<OwnedRecord>,
    only: PeerConnection | undefined,
    moment: ReplicationMoment,
  ): Iterable<[StateStream, EntityRows[]]> {
    // The other players' plan is most likely this one. If it bundles longer, some states are sent twice.
    const { periodMs } = this.#parts.transport.plan.channels.command;
    const lostAfterMs = only ? lostAfterMsOf(only.rttMs ?? ASSUMED_RTT_MS, periodMs) : Infinity;
    const due = this.#replication.due(records, moment, { ...this.#policy(), lostAfterMs });
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

  /** Sends the only receiver differences from the newest states that it has acknowledged. */
  #sendTo(peer: PeerConnection, records: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    const { number, session, meter } = peer;
    for (const [stream, rows] of this.#due(records, peer, moment))
      stream.sendTo(number, session, moment.tick, rows, (bytes, entities, sequence) => {
        meter.countUpdatesOut(entities.length);
        this.#replication.spent(bytes + PACKET_HEAD_BYTES, entities.length);
        this.#sent(stream, entities, moment, sequence);
      });
  }

  #publish(
    receivers: readonly PeerConnection[],
    stream: StateStream,
    rows: readonly EntityRows[],
    moment: ReplicationMoment,
  ): void {
    const following = receivers.filter((peer) => !this.#individualStates.has(peer));
    const take = (body: Uint8Array, entities: readonly EntityRows[], from: number, to: number): void => {
      const alone =
        to - from === 1 ? this.#parts.facts.sessionNumber * 0x10000 + entities[from]!.id : undefined;
      this.publications.add(
        // The body is a view until the next one, and the packet may wait for others of this tick.
        { head: stream.head, body: body.slice() },
        { trafficClass: "state", tick: moment.tick, receivers: following, alone },
      );
      for (const peer of following) {
        peer.meter.countUpdatesOut(to - from);
        if (this.#inOrderLink && !peer.relayedState) this.#unreached.add(peer);
      }
      const sent = entities.slice(from, to);
      // The others do not pay for what is whole for one receiver's sake: it counts as states of usual size.
      const isRestart = this.#inOrderLink !== undefined && stream.sentInOrder(sent);
      const bytes = body.length + PACKET_HEAD_BYTES;
      if (isRestart) this.#individualStates.pay(bytes);
      this.#replication.spent(isRestart ? undefined : bytes, sent.length);
      if (!this.#inOrderLink) stream.cycle?.spent(body.length);
      this.#sent(stream, sent, moment);
    };
    if (this.#inOrderLink) stream.writeInOrder(moment.tick, rows, take);
    else stream.writeShared(moment.tick, rows, take);
    this.#individualStates.due(rows);
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

  #gather(tick: number): void {
    for (const stream of this.#streams.values()) {
      if (!stream.cycle?.isGathering) continue;
      for (const record of stream.records.values()) stream.rowsAt(record, tick);
    }
  }

  #refresh(
    stream: StateStream,
    receivers: readonly PeerConnection[],
    { tick, nowMs }: ReplicationMoment,
  ): void {
    if (stream.records.size === 0) return;
    const bucket = this.#referenceStates;
    const post = (messages: readonly Uint8Array[]): Receipt[] => {
      bucket.spend(REFERENCE_STATES * stream.records.size * weightOf(stream), nowMs);
      return receivers.flatMap((peer) => this.#referTo(peer, stream, messages));
    };
    stream.cycle?.step(tick, nowMs, post, bucket.take(0, nowMs));
  }

  #referTo(
    peer: PeerConnection,
    stream: StateStream,
    messages: readonly Uint8Array[],
    isAnswer = false,
  ): Receipt[] {
    // A backlogged peer gets no reference and no receipt, so that the cycle does not wait for it. If its
    // queue stays full, its pair starts again.
    const { session } = peer;
    if (messages.length === 0 || session.isClosed) return [];
    if (session.isBacklogged) return [];
    const references = messages.map((states) => stream.reference(states));
    const id = isAnswer ? peer.answer(references) : peer.sendAll(references);
    return [{ isOver: () => session.isClosed || session.commands.isAcknowledged(id) }];
  }

  /** Sends a receiver these whole states, and the references. Returns their bytes. */
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
    const references = stream.cycle?.sender.join() ?? [];
    stream.cycle?.await(this.#referTo(peer, stream, references, isAnswer));
    return references.reduce((sum, { length }) => sum + length + PACKET_HEAD_BYTES, bytes);
  }

  #begin(definition: EntityDefinition): StateStream {
    if (this.#nextStream >= limits.streams) {
      throw new NetError("limit/entities", `a participant may have entities of ${limits.streams} kinds`);
    }
    const stream = new StateStream(this.#nextStream++, definition, this.#parts.time.tickHz);
    if (this.#referenceCode) stream.refer(this.#referenceCode);
    this.#streams.set(definition, stream);
    this.#messages.postStates(stream.announcement);
    return stream;
  }

  /** Returns the states that a receiver still reads in messages for it alone. */
  #repairsOf(peer: PeerConnection): TokenBucket {
    let bucket = this.#repairStates.get(peer);
    if (!bucket) {
      const burst = limits.statesBurst * (1 - REFERENCE_BURST_SHARE);
      bucket = new TokenBucket(limits.statesPerSecond * REPAIR_SHARE, burst, this.#nowMs);
      this.#repairStates.set(peer, bucket);
    }
    return bucket;
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

function weightOf({ plan }: StateStream): number {
  return stateWeight(plan.width, plan.texts.length);
}

/** Returns as how many states the whole states of so many entities count at a receiver that lacks them. */
function wholeStates(stream: StateStream, entities: number): number {
  return entities * (1 + limits.newEntityStates) * weightOf(stream);
}

/** As {@link wholeStates}, with the references that follow. */
function repairStates(stream: StateStream, entities: number): number {
  const references = stream.cycle ? JOIN_STATES * stream.records.size * weightOf(stream) : 0;
  return wholeStates(stream, entities) + references;
}
