import {
  ByteWriter,
  MessageKind,
  SEQUENCE_MODULUS,
  limits,
  messageBytes,
  nextSequence,
  onlyKind,
  sequenceDistance,
  writeMessage,
  writeMessageHead,
  writePacketHeader,
  type Acks,
  type DropReason,
  type Packet,
  type PacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import { losesPackets, mayBeLost, type Link } from "../link.js";
import type { PlannedClass } from "../profiles/plan.js";
import { RelayedLink } from "../relayed/relayed-link.js";
import type { DropCounters, PongTimes } from "./session-options.js";
import { ANSWER_PACKET_BYTES, sessionAnswerBudget, type AnswerBudget } from "./outbox/answer-budget.js";
import { Bundle, commandPeriodMs } from "./outbox/bundle.js";
import type { ByteBudget } from "./outbox/byte-budget.js";
import { ClassQueue, newWaiting, type Waiting } from "./outbox/class-queue.js";
import { DelayWindow } from "./outbox/delay-window.js";
import { Outbox, type OutboxCounters, type OutboxOptions, type PacketSource } from "./outbox/outbox.js";
import { PathDelay } from "./outbox/path-delay.js";
import {
  BULK,
  COMMANDS,
  ReliableQueue,
  type Fragment,
  type Pending,
  type ReliableClass,
  type SavedQueue,
} from "./outbox/reliable-queue.js";
import { LossCount } from "./loss-count.js";
import { SentLoss } from "./sent-loss.js";
import {
  LAST_FRAGMENT,
  MAX_EVENT_BYTES,
  MAX_PAYLOAD_BYTES,
  PACKET_OVERHEAD_BYTES,
  assertBytes,
  assertEventBytes,
  assertMessageBytes,
} from "./outbox/payload-limits.js";
import { ACK_BITS, SequenceWindow, areOfSent } from "./sequence-window.js";

/** Budget of bulk bytes through a relay that all sessions of a room share. */
export interface BulkRate {
  /** Returns true if this many bytes may leave now, and counts them then. */
  take(bytes: number, nowMs: number): boolean;
}

export interface SenderOptions extends OutboxOptions {
  /** Returns the simulation tick for packets with states. */
  currentTick(): number;
  /** Returns the acks and receipts that a packet must contain if it leaves now. */
  takeAcks(mayBeLost: boolean, nowMs: number): Pick<PacketHeader, "acks" | "receipt">;

  /**
   * Called once for a state that has arrived at the other side, with the number of {@link Sender.addState}.
   * Oldest first.
   */
  onArrived?(number: number): void;
  readonly bulkRate?: BulkRate | undefined;
  /** Budget of answers that sessions share. Default: a budget of this session's own. */
  readonly answers?: AnswerBudget | undefined;
  /** Returns true while commands and bulk must wait. Default: they never must. */
  readonly holdsReliable?: (() => boolean) | undefined;
  /** Counters of lost messages that nobody repeats. */
  readonly drops?: DropCounters | undefined;
}

/** The sending half of a session that goes on in another process. */
export interface SavedSender {
  /** Sequence of the next packet. */
  readonly sequence: number;
  readonly packetsSent: number;
  readonly command: SavedQueue;
  readonly bulk: SavedQueue;
}

/** The moment at which states leave: a room that sends to many asks its clock and its tick once for all. */
export interface StateMoment {
  readonly tick: number;
  readonly nowMs: number;
  /** True if the owner wants to hear of the arrival, see {@link SenderOptions.onArrived}. */
  readonly isFollowed: boolean;
}

interface PacketStart {
  readonly key?: number;
  readonly lifetimeMs?: number;
  /** Kind of the packet's only message. */
  readonly only?: MessageKind | undefined;
  /** Tick of a packet of states. */
  readonly tick?: number | undefined;
  readonly nowMs?: number;
}

/** Key of packets of inputs, greater than all keys of entities. At most one such packet waits. */
const INPUT_KEY = 2 ** 40;
/** Limit of states that are remembered without acks. */
const MAX_UNACKNOWLEDGED_STATES = 1024;
const RELIABLE: readonly ReliableClass[] = ["command", "bulk"];

const NO_BYTES = new Uint8Array(0);
const NO_BODIES: readonly Uint8Array[] = [];
/** Bytes of a message's kind and length. */
const HEAD_BYTES = 4;
const NO_ACKS = { acks: undefined, receipt: undefined };
/** Size of the memory blocks for packets. A packet that waits keeps its whole block in memory. */
const SLAB_BYTES = 8192;
/** Writes the packets of all sessions, one after the other. Each is released before the next one begins. */
const writer = new ByteWriter(SLAB_BYTES);

/**
 * The sending half of a session. It numbers messages and packets, keeps commands and bulk until their
 * receipts, and takes acks. Packets without room wait in an {@link Outbox}, which a session creates with the
 * first link of its own. Packets through the relay wait in the outbox of the session with the server, and
 * this one passes only as many commands and bulk on as the relayed link has room for.
 */
export class Sender implements PacketSource {
  readonly counters: OutboxCounters = { statesReplaced: 0, packetsDropped: 0 };
  /** Messages without a receipt. */
  reliable = {
    command: new ReliableQueue(COMMANDS),
    bulk: new ReliableQueue(BULK, new DelayWindow()),
  };
  readonly #options: SenderOptions;
  #outbox: Outbox | undefined;
  /** Created late, because mostly nothing is repeated. */
  #answers: ByteBudget | undefined;
  readonly #delay = new PathDelay();
  readonly #acknowledged = new SequenceWindow();
  readonly #commandBundle: Bundle;
  readonly #eventBundle: Bundle;
  readonly #bundledEvents: Waiting[] = [];
  /**
   * States without an ack that may still be acknowledged, oldest first, with the sequences of their packets.
   */
  readonly #unacknowledged: { readonly sequence: number; readonly number: number }[] = [];
  /** Outgoing loss of states and inputs. */
  readonly loss = new LossCount();
  readonly #sentLoss = new SentLoss(this.loss);
  /** Time at which the other side last acknowledged a further packet. */
  acknowledgedAtMs = -Infinity;
  /** Time at which the newest acks were received. */
  #acksAtMs = -Infinity;
  /** True if the other side may answer to states. */
  hasSentStates = false;
  #sequence = 0;
  #stateNumber = 0;
  /** Bytes of the envelope's head, before the packet that is being written. */
  #envelopeBytes = 0;
  /** Packets sent so far, up to half a circle of sequences. Older packets cannot be acknowledged. */
  #packetsSent = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#answers = options.answers?.bytes;
    this.#commandBundle = new Bundle(options.scheduler, () => this.pump());
    this.#eventBundle = new Bundle(options.scheduler, () => this.#releaseEvents());
  }

  save(): SavedSender {
    const { command, bulk } = this.reliable;
    const [sequence, packetsSent] = [this.#sequence, this.#packetsSent];
    return { sequence, packetsSent, command: command.save(), bulk: bulk.save() };
  }

  restore({ sequence, packetsSent, command, bulk }: SavedSender): void {
    const nowMs = this.#nowMs();
    this.#sequence = sequence;
    this.#packetsSent = packetsSent;
    this.reliable.command.restore(command, nowMs);
    this.reliable.bulk.restore(bulk, nowMs);
  }

  /** The queue of the session's own links. */
  get outbox(): Outbox {
    return (this.#outbox ??= new Outbox(this.#options, this));
  }

  /** Bytes that wait for room. Commands and bulk that wait for a receipt do not count. */
  get queuedBytes(): number {
    return this.#outbox?.queuedBytes ?? 0;
  }

  /** Estimated memory of messages without a receipt, bytes. */
  get heldBytes(): number {
    return this.reliable.command.heldBytes + this.reliable.bulk.heldBytes;
  }

  /** True if nothing waits, neither for room nor for a receipt. */
  get isEmpty(): boolean {
    return this.queuedBytes + this.reliable.command.length + this.reliable.bulk.length === 0;
  }

  /** True if states take much longer than the path needs, because they wait in a queue of the network. */
  isStateSlow(nowMs: number): boolean {
    return this.#delay.isSlow(nowMs);
  }

  /**
   * Returns the longest recent time to an ack or to a receipt, ms: the shorter of the two. Undefined before there
   * are enough of either.
   */
  answerMs(nowMs: number): number | undefined {
    const states = this.#delay.answers.longestMs(nowMs);
    const commands = this.reliable.command.answers.longestMs(nowMs);
    return states === undefined || commands === undefined ? (states ?? commands) : Math.min(states, commands);
  }

  /** True if a state would leave at once. Otherwise the caller need not encode it. */
  get takesStates(): boolean {
    const hasRoom = this.#options.linkFor("state")?.hasRoom("state");
    return hasRoom === true && !this.#outbox?.hasStates && this.maySendState();
  }

  /** The number of the next state; undefined if no link is usable. */
  get nextState(): number | undefined {
    return this.#options.linkFor("state") && nextSequence(this.#stateNumber);
  }

  /** Returns true unless the path is too slow for one more state. */
  maySendState(nowMs = this.#nowMs()): boolean {
    return this.#delay.maySend(nowMs);
  }

  /**
   * Adds commands. Throws if one is too long, or if too much waits. Returns the number of the last message.
   * @param isAnswer true if the other side caused them: they wait for the budget of answers
   */
  addCommands(payloads: readonly Uint8Array[], periodMs?: number, isAnswer?: boolean): number {
    for (const { length } of payloads) assertMessageBytes(length);
    const id = this.reliable.command.add(payloads, this.#nowMs(), isAnswer);
    let bytes = 0;
    for (const { length } of payloads) bytes += messageBytes(length + 2);
    this.#commandBundle.add(bytes, periodMs ?? commandPeriodMs(payloads, this.#options.channel));
    return id;
  }

  /** Puts commands before those that wait, of which none has been sent. */
  addBefore(payloads: readonly Uint8Array[]): void {
    const { fragments } = this.reliable.command.save();
    this.reliable.command = new ReliableQueue(COMMANDS);
    this.reliable.command.add([...payloads, ...fragments], this.#nowMs());
  }

  /**
   * Numbers a command that leaves in one packet for this and other receivers. Returns undefined and takes
   * nothing if earlier commands have not left. Throws if too much waits for a receipt.
   */
  addBroadcast(payload: Uint8Array): number | undefined {
    assertMessageBytes(payload.length);
    this.#commandBundle.release();
    const commands = this.reliable.command;
    if (commands.hasUnsent || !commands.isWindowOpen) return undefined;
    if (this.#options.linkFor("command")?.hasRoom("command") !== true) return undefined;
    return commands.addSent(payload, (this.#sequence - 1) & (SEQUENCE_MODULUS - 1), this.#nowMs());
  }

  /** Adds a message of bulk. Throws if too much waits. */
  addBulk(payload: Uint8Array): void {
    this.reliable.bulk.add([payload], this.#nowMs());
    this.pump();
  }

  addEvent(body: Uint8Array, lifetimeMs: number | undefined, periodMs: number | undefined): void {
    assertEventBytes(body.length);
    const policy = this.#options.channel?.("event");
    const lifetime = lifetimeMs ?? policy?.lifetimeMs;
    this.#bundledEvents.push(newWaiting(this.#nowMs(), "event", MessageKind.event, body, lifetime));
    this.#eventBundle.add(messageBytes(body.length), periodMs ?? policy?.periodMs ?? 0);
  }

  /**
   * Sends or queues a state. Returns its number for `onArrived`. Returns undefined if no link is usable. `further`:
   * bodies with their heads for the same packet.
   */
  addState(
    body: Uint8Array,
    key: number,
    head: Uint8Array = NO_BYTES,
    moment: StateMoment = { tick: this.#options.currentTick(), nowMs: this.#nowMs(), isFollowed: true },
    further: readonly Uint8Array[] = NO_BODIES,
  ): number | undefined {
    const link = this.#options.linkFor("state");
    const bytes = further.reduce((sum, { length }) => sum + messageBytes(length), head.length + body.length);
    assertBytes("state", bytes, link?.isUnreliable === false ? MAX_PAYLOAD_BYTES : MAX_EVENT_BYTES);
    if (!link) return undefined;
    const { tick, nowMs, isFollowed } = moment;
    const number = (this.#stateNumber = nextSequence(this.#stateNumber));
    const followed = isFollowed ? number : undefined;
    const isGated = key > 0;
    const only = further.length === 0 ? MessageKind.state : undefined;
    const outbox = this.#outboxOf(link);
    if (!outbox || (outbox.maySendNow(link, "state") && (!isGated || this.maySendState(nowMs)))) {
      const sequence = this.#sequence;
      this.#startPacket(link, "state", { key, only, tick, nowMs });
      writeStates(writer, body, head, further, only);
      this.#recordState(sequence, followed, isGated, nowMs);
      this.#sendPacket(link, "state", key);
    } else {
      const whole = new ByteWriter(bytes + HEAD_BYTES);
      writeStates(whole, body, head, further, only);
      const waiting = newWaiting(nowMs, "state", MessageKind.state, whole.view());
      outbox.put("state", { ...waiting, isSeries: !only, key, number: followed, tick });
    }
    return number;
  }

  addInput(body: Uint8Array): void {
    assertBytes("input", body.length, MAX_EVENT_BYTES);
    // In a reliable class, no message replaces another.
    const isReliable = this.#options.channel?.("input").delivery === "ordered-reliable";
    const trafficClass = isReliable ? "command" : "input";
    const key = isReliable ? 0 : INPUT_KEY;
    const link = this.#options.linkFor(trafficClass);
    if (!link) return;
    const outbox = this.#outboxOf(link);
    if (!outbox || outbox.maySendNow(link, trafficClass))
      this.#write(link, trafficClass, MessageKind.input, body, { key });
    else {
      const waiting = newWaiting(this.#nowMs(), trafficClass, MessageKind.input, body.slice());
      outbox.put(trafficClass, { ...waiting, key });
    }
  }

  /** Sends one message of the session itself over a link, at once if the link has room. */
  sendNow(
    link: Link | undefined,
    trafficClass: "event" | "command",
    kind: MessageKind,
    body: Uint8Array,
  ): void {
    if (!link) return;
    const outbox = this.#outboxOf(link);
    if (!outbox || outbox.hasRoom(link, trafficClass) || link !== this.#options.linkFor(trafficClass)) {
      this.#write(link, trafficClass, kind, body);
    } else {
      outbox.put(trafficClass, newWaiting(this.#nowMs(), trafficClass, kind, body));
    }
  }

  /**
   * Sends a ping or a pong. With `isRepeated` it travels like an event, which a data channel repeats within
   * its lifetime: it then shows if the remote is there, but no loss. A report shares the packet.
   */
  sendProbe(link: Link, kind: MessageKind, body: Uint8Array, isRepeated = false, report?: Uint8Array): void {
    if (isRepeated || !losesPackets(link)) return this.sendNow(link, "event", kind, body);
    if (!report) return this.#write(link, "state", kind, body);
    this.#startPacket(link, "state");
    writeMessage(writer, MessageKind.report, report);
    writeMessage(writer, kind, body);
    this.#sendPacket(link, "state");
  }

  /** Sends a packet with only acks and receipts. Returns false if the link has no room, or the budget none. */
  sendAcks(trafficClass: "state" | "command"): boolean {
    const link = this.#options.linkFor(trafficClass);
    if (!link) return true;
    if (!(this.#outboxOf(link)?.hasRoom(link, trafficClass) ?? link.hasRoom(trafficClass))) return false;
    const budget = link.kind === "relayed" ? this.#options.answers?.ackPackets : undefined;
    if (budget?.isOpen() === false) return false;
    budget?.countSent(1);
    this.#startPacket(link, trafficClass);
    this.#sendPacket(link, trafficClass);
    return true;
  }

  /** Sends at once the messages that wait to share a packet. */
  flush(): void {
    this.#commandBundle.release();
    this.#eventBundle.release();
  }

  /**
   * Takes receipts and acks of the other side. Returns false if they contain numbers that were never sent.
   */
  acknowledge({ receipt, acks }: Pick<Packet, "receipt" | "acks">, nowMs: number): boolean {
    const { command, bulk } = this.reliable;
    // Takes all of them, because a receipt is valid even if the others are not.
    let isKnown = receipt === undefined || command.acknowledge(receipt, nowMs);
    if (acks?.bulkReceipt !== undefined && !bulk.acknowledge(acks.bulkReceipt, nowMs)) isKnown = false;
    if (acks && !this.#acknowledgePackets(acks, nowMs)) isKnown = false;
    this.pump();
    return isKnown;
  }

  #acknowledgePackets(acks: Acks, nowMs: number): boolean {
    if (!areOfSent(acks, this.#sequence, this.#packetsSent)) return false;
    this.#acksAtMs = nowMs;
    this.#acknowledged.merge(acks, this.#arrived);
    this.#sentLoss.acksReceived(acks.ack);
    // Later acks do not cover older states.
    while (
      this.#unacknowledged[0] &&
      sequenceDistance(acks.ack, this.#unacknowledged[0].sequence) > ACK_BITS
    ) {
      this.#unacknowledged.shift();
    }
    return true;
  }

  readonly #arrived = (sequence: number): void => {
    const nowMs = (this.acknowledgedAtMs = this.#acksAtMs);
    this.#sentLoss.acknowledged(sequence);
    const isTimely = this.#delay.acknowledged(sequence, nowMs);
    const { command, bulk } = this.reliable;
    if (command.length > 0) command.rewindIfLost(sequence);
    if (bulk.length > 0) bulk.rewindIfLost(sequence);
    if (this.#outbox?.hasStates) this.pump();
    if (isTimely && !this.#outbox?.hasStates) this.#delay.recovered();
    const states = this.#unacknowledged;
    let at = 0;
    while (at < states.length && states[at]!.sequence !== sequence) at += 1;
    const state = states[at];
    if (!state) return;
    // Mostly the oldest arrives first.
    if (at === 0) states.shift();
    else states.splice(at, 1);
    this.#options.onArrived?.(state.number);
  };

  /** Repeats messages that have waited for a receipt for `patienceMs`. Called at intervals. */
  update(patienceMs: number): void {
    const nowMs = this.#nowMs();
    for (const name of RELIABLE) this.reliable[name].rewindIfOverdue(patienceMs, nowMs);
    this.pump();
  }

  /** Sends all messages without a receipt again. */
  repeat(): void {
    for (const name of RELIABLE) this.reliable[name].rewind();
    this.#commandBundle.flush();
  }

  /** Takes the times of a pong over the link that carries the states. */
  pongReceived(times: PongTimes): void {
    this.#delay.pongReceived(times);
  }

  /** Forgets measurements, because another link carries the states. */
  stateLinkMoved(): void {
    this.loss.clear();
    this.#sentLoss.restart();
    this.#delay.reset();
    this.pump();
  }

  /** Stops all timers and drops waiting messages. */
  stop(): void {
    this.#commandBundle.stop();
    this.#eventBundle.stop();
    this.#answers?.cancel(this.#onTurn);
    this.#outbox?.stop();
  }

  /** Sends as much as the links have room for and the budget allows. */
  pump(): void {
    // Called at every packet, and mostly nothing waits.
    if (this.isEmpty) return;
    for (const name of RELIABLE) {
      const link = this.#options.linkFor(name);
      if (!link) continue;
      if (this.#outboxOf(link)) return this.outbox.pump();
      while (link.hasRoom(name) && this.sendReliable(name, link));
    }
  }

  /** Returns the bytes of the next reliable message of a class, or undefined if none is due. */
  nextBytes(name: PlannedClass): number | undefined {
    if (this.#options.holdsReliable?.()) return undefined;
    if (name === "bulk") return this.reliable.bulk.nextBytes;
    return name === "command" && !this.#commandBundle.isWaiting ? this.reliable.command.nextBytes : undefined;
  }

  /** Sends due commands or bulk in one packet. Returns false if nothing may leave now. */
  sendReliable(name: PlannedClass, link: Link): boolean {
    if ((name !== "command" && name !== "bulk") || this.nextBytes(name) === undefined) return false;
    const nowMs = this.#nowMs();
    const isBulk = name === "bulk";
    const batch = this.reliable[name].nextBatch();
    if (!this.#takeBytes(name, batch, link, nowMs)) return false;
    this.reliable[name].sent(batch, this.#sequence, nowMs);
    const kind = isBulk ? MessageKind.bulk : MessageKind.reliable;
    const only = batch.length === 1 ? kind : undefined;
    this.#startPacket(link, name, { only });
    for (const { id, payload, isLast } of batch) {
      writeMessageHead(writer, kind, payload.length + (isBulk ? 3 : 2), only);
      writer.u16(id);
      if (isBulk) writer.u8(isLast ? LAST_FRAGMENT : 0);
      writer.bytes(payload);
    }
    this.#sendPacket(link, name);
    return true;
  }

  /** Charges the budgets for a batch. Returns false if one of them does not allow it now. */
  #takeBytes(name: ReliableClass, batch: readonly Pending[], link: Link, nowMs: number): boolean {
    const { answers: shared, bulkRate, scheduler } = this.#options;
    // Receipts of a pair earn nothing, because a relay counts the bytes of all pairs together.
    const bytes = this.reliable[name].answerBytes(batch, !shared);
    const answers = bytes > 0 ? (this.#answers ??= sessionAnswerBudget(scheduler)) : undefined;
    if (answers?.admits(this.#onTurn) === false) return false;
    const rate = name === "bulk" && link.kind !== "webrtc" ? bulkRate : undefined;
    if (rate?.take(bytesOf(batch), nowMs) === false) return false;
    answers?.countSent(Math.max(bytes, ANSWER_PACKET_BYTES), this.#onTurn);
    return true;
  }

  /** The budget of answers allows a packet. */
  readonly #onTurn = (): void => this.pump();

  /** Sends a message that has waited. Further events in the queue share the packet of an event. */
  sendWaiting(link: Link, waiting: Waiting, queue: ClassQueue): void {
    const { trafficClass, kind, bytes, isSeries, key, expiresAtMs, number, tick } = waiting;
    if (kind === MessageKind.event) return this.#sendEvents(link, waiting, queue);
    if (kind === undefined) {
      this.outbox.countSent(link, bytes);
      this.#options.onWhole?.(link, trafficClass, bytes);
      return link.send(trafficClass, bytes, key, expiresAtMs - this.#nowMs());
    }
    if (kind === MessageKind.state) this.#recordState(this.#sequence, number, key > 0, this.#nowMs());
    if (!isSeries) return this.#write(link, trafficClass, kind, bytes, { key, tick });
    this.#startPacket(link, trafficClass, { key, tick });
    writer.bytes(bytes);
    this.#sendPacket(link, trafficClass, key);
  }

  /** Returns undefined for a relayed link, whose packets wait in the session with the server. */
  #outboxOf({ kind }: Link): Outbox | undefined {
    return kind === "relayed" ? this.#outbox : this.outbox;
  }

  /** Sends an event, with further events of the queue in the same packet. */
  #sendEvents(link: Link, { bytes: body, expiresAtMs }: Waiting, queue: ClassQueue): void {
    const nowMs = this.#nowMs();
    const lifetimeMs = expiresAtMs - nowMs;
    const bodies = [body];
    let bytes = PACKET_OVERHEAD_BYTES + messageBytes(body.length);
    for (let next = queue.first; next?.kind === MessageKind.event; next = queue.first) {
      const isStale = next.expiresAtMs < nowMs;
      if (isStale) this.lost("outdated");
      else {
        bytes += messageBytes(next.bytes.length);
        if (bytes > limits.unreliablePacketBytes) break;
        bodies.push(next.bytes);
      }
      queue.shift();
    }
    const only = bodies.length === 1 ? MessageKind.event : undefined;
    this.#startPacket(link, "event", { lifetimeMs, only });
    for (const each of bodies) writeMessage(writer, MessageKind.event, each, { only });
    this.#sendPacket(link, "event", 0, lifetimeMs);
  }

  #write(
    link: Link,
    trafficClass: TrafficClassName,
    kind: MessageKind,
    body: Uint8Array,
    { key = 0, tick }: Pick<PacketStart, "key" | "tick"> = {},
  ): void {
    const only = onlyKind(kind);
    this.#startPacket(link, trafficClass, { key, tick, only });
    writeMessage(writer, kind, body, { only });
    this.#sendPacket(link, trafficClass, key);
  }

  /** @param number of a state whose arrival the owner follows */
  #recordState(sequence: number, number: number | undefined, isGated: boolean, nowMs: number): void {
    this.hasSentStates = true;
    this.#delay.sent(sequence, isGated, nowMs);
    if (number === undefined) return;
    this.#unacknowledged.push({ sequence, number });
    if (this.#unacknowledged.length > MAX_UNACKNOWLEDGED_STATES) this.#unacknowledged.shift();
  }

  lost(reason: DropReason, times = 1): void {
    this.counters.packetsDropped += times;
    this.#options.drops?.count(reason, times);
  }

  #releaseEvents(): void {
    const events = this.#bundledEvents.splice(0);
    const link = this.#options.linkFor("event");
    if (!link) return this.lost("not-routable", events.length);
    const outbox = this.#outboxOf(link);
    const queue = outbox ? outbox.events : new ClassQueue();
    for (const event of events) queue.put(event);
    this.lost("queue-full", queue.trim());
    if (outbox) return outbox.pump();
    for (let { first } = queue; first; { first } = queue) {
      queue.shift();
      this.#sendEvents(link, first, queue);
    }
  }

  /**
   * Begins a packet. Any packet may contain acks and receipts, so that a receipt rarely needs its own packet.
   */
  #startPacket(
    link: Link,
    trafficClass: TrafficClassName,
    { key = 0, lifetimeMs, only, tick, nowMs = this.#nowMs() }: PacketStart = {},
  ): void {
    const sequence = this.#sequence;
    // Nobody repeats it if it is lost. Only packets over links that lose them count: a relay drops a packet
    // only when a newer one replaces it.
    const isSentOnce = trafficClass === "state" || trafficClass === "input";
    if (isSentOnce && losesPackets(link)) this.#sentLoss.sent(sequence);
    this.#sequence = nextSequence(sequence);
    this.#packetsSent = Math.min(this.#packetsSent + 1, SEQUENCE_MODULUS / 2 - 1);
    // Bulk contains none, because it may wait in the path.
    const says = trafficClass !== "bulk";
    const said = says
      ? this.#options.takeAcks(link.isUnreliable && mayBeLost(trafficClass), nowMs)
      : undefined;
    writer.reset();
    if (link instanceof RelayedLink) link.writeHead(writer, trafficClass, key, lifetimeMs);
    this.#envelopeBytes = writer.length;
    const { acks, receipt } = said ?? NO_ACKS;
    writePacketHeader(writer, { sequence, tick, isPublished: false, acks, receipt, only });
  }

  /** Sends the packet that was begun, without a copy. */
  #sendPacket(link: Link, trafficClass: TrafficClassName, key = 0, lifetimeMs?: number): void {
    const packet = writer.release();
    this.#outbox?.countSent(link, packet);
    if (link instanceof RelayedLink) {
      const outbox = link.enter(trafficClass, packet.length - this.#envelopeBytes);
      if (!outbox && trafficClass === "event") this.lost("not-routable");
      outbox?.forward(trafficClass, packet, link.uplinkKey(key), lifetimeMs);
    } else link.send(trafficClass, packet, key, lifetimeMs);
  }

  #nowMs(): number {
    return this.#options.scheduler.nowMs();
  }
}

/** Writes the messages of a packet of states. `only`: their kind, if there is one. */
function writeStates(
  into: ByteWriter,
  body: Uint8Array,
  head: Uint8Array,
  further: readonly Uint8Array[],
  only: MessageKind | undefined,
): void {
  writeMessage(into, MessageKind.state, body, { head, only });
  for (const each of further) writeMessage(into, MessageKind.state, each);
}

function bytesOf(batch: readonly Fragment[]): number {
  return batch.reduce((bytes, { payload }) => bytes + payload.length, 0);
}
