import {
  ByteWriter,
  CloseCode,
  MessageKind,
  PayloadKind,
  SEQUENCE_MODULUS,
  limits,
  messageBytes,
  nextSequence,
  sequenceDistance,
  writeMessage,
  writePacketHeader,
  type Acks,
  type PacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import { losesPackets, mayBeLost, type Link } from "../../link.js";
import type { ChannelPolicyOf, PlannedClass } from "../../profiles/plan.js";
import { ordinaryTraffic, type TrafficWeight } from "../../profiles/profile.js";
import { RelayedLink } from "../../relayed/relayed-link.js";
import type { Cancel, Scheduler } from "../../scheduler.js";
import { LossCount, SentLoss } from "../path-loss.js";
import {
  BULK_HEAD_BYTES,
  LAST_CHUNK,
  MAX_EVENT_BYTES,
  MAX_PAYLOAD_BYTES,
  PACKET_OVERHEAD_BYTES,
  assertBytes,
} from "../payload-limits.js";
import { ACK_BITS, SequenceWindow, areOfSent } from "../sequence-window.js";
import { BulkQueue } from "./bulk-queue.js";
import { Bundle } from "./bundle.js";
import type { ByteBudget } from "./byte-budget.js";
import { Lane, type Waiting } from "./lane.js";
import { PathDelay } from "./path-delay.js";
import { ReliableQueue } from "./reliable-queue.js";

/** What all sessions of a room may send together as bulk where a relay counts their bytes. */
export interface BulkRate {
  /** Whether so many bytes may go now; they are counted then. */
  take(bytes: number, nowMs: number): boolean;
}

export interface OutboxOptions {
  readonly scheduler: Scheduler;
  /** The link that carries traffic of this class now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** The header of a packet that leaves now: the tick, and what has arrived here. */
  header(sequence: number): PacketHeader;
  /** A packet leaves that says what has arrived. */
  onAnswered?(): void;
  /** A state has arrived at the other side, by the number that {@link Outbox.addState} gave it: told once, oldest first. */
  onArrived?(number: number): void;
  /** The plan's policy of a class of traffic, asked at every message. Default: all leaves at once. */
  readonly channel?: ChannelPolicyOf | undefined;
  readonly bulkRate?: BulkRate | undefined;
  /** What this and other sessions may send together. Default: what the paths take. */
  readonly budget?: ByteBudget | undefined;
  /** Whole packets of commands or of bulk that may wait; with more the link is closed. Default 1 MiB. */
  readonly maxForwardedBytes?: number | undefined;
}

/** What became of what did not leave. */
export interface OutboxCounters {
  /** States that a newer one replaced before they were sent. */
  statesReplaced: number;
  /** Stale events, what waited beyond the limits, and what waited when the last link ended. */
  packetsDropped: number;
}

/**
 * Spacing of packets with a game's commands. A lone command leaves at once; a game that sends 1,200 a second makes 200
 * packets of them, which is within what a relay lets a session send.
 */
const MIN_COMMAND_PERIOD_MS = 5;
/** How often a path that does not tell is asked whether it has room, while anything waits. */
const POLL_MS = 8;
/** A path that tells is asked all the same: what fills it may not have come from here, as the pongs of a WebSocket. */
const SELDOM_POLL_MS = 250;
const EVENT_LIFETIME_MS = 1500;
const MAX_FORWARDED_BYTES = 1_048_576;
/** Beyond the keys of entities: one packet of inputs waits at most. */
const INPUT_KEY = 2 ** 40;
/** Without any acks so many states are remembered. */
const MAX_UNHEARD_STATES = 1024;

/** What a class that waits may save up of its share. */
const MAX_CREDIT_BYTES = 32_768;

const NOTHING = new Uint8Array(0);
/** Memory of packets. A packet that waits somewhere keeps all that was written beside it. */
const SLAB_BYTES = 8192;
/** Packets are written one after the other, those of all sessions: each is given away before the next one begins. */
const writer = new ByteWriter(SLAB_BYTES);

const CLASSES: readonly PlannedClass[] = ["command", "input", "event", "state", "bulk"];

/**
 * The one queue of a session: everything that it sends waits here until its link has room, and nowhere else, since what
 * a path has taken can be neither replaced nor dropped any more. Commands and bulk are kept until the other side has said
 * that it has them; small messages share packets; a state that waits gives its place to a newer one; an event that waited
 * too long is dropped. A message gets its packet in the moment in which it leaves.
 */
export class Outbox {
  readonly counters: OutboxCounters = { statesReplaced: 0, packetsDropped: 0 };
  /** Commands without a receipt. */
  readonly commands = new ReliableQueue();
  /** Bulk without a receipt. */
  readonly bulk = new BulkQueue();
  readonly #options: OutboxOptions;
  readonly #lanes: Readonly<Record<PlannedClass, Lane>> = {
    command: new Lane(),
    input: new Lane(),
    event: new Lane(),
    state: new Lane(),
    bulk: new Lane(),
  };
  readonly #delay = new PathDelay();
  readonly #acknowledged = new SequenceWindow();
  readonly #commandBundle: Bundle;
  readonly #eventBundle: Bundle;
  readonly #bundledEvents: Waiting[] = [];
  /** States whose fate may still be heard of, oldest first, with the sequences of their packets. */
  readonly #unheard: { readonly sequence: number; readonly number: number }[] = [];
  readonly #pump = (): void => this.pump();
  /** What is lost of states and inputs on the way to the other side. */
  readonly loss = new LossCount();
  readonly #sentLoss = new SentLoss(this.loss);
  /** When the other side was last heard to have one more packet. */
  acknowledgedAtMs = Number.NEGATIVE_INFINITY;
  #hasSentStates = false;
  #sequence = 0;
  #stateNumber = 0;
  /** Packets sent so far; counts no further than a circle's half, beyond which nothing can be acknowledged. */
  #packetsSent = 0;
  /** Commands of the session itself and whole packets take turns. */
  #isOwnTurn = false;
  #isPumping = false;
  /** Classes that may not send in this turn, whether there is room or not. */
  readonly #held = new Set<PlannedClass>();
  /** Classes that wait and have room: they share what is sent, also while they are held. */
  readonly #candidates = new Set<PlannedClass>();
  #sentBytes = 0;
  #pollMs = 0;
  #stopPolling: Cancel | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#commandBundle = new Bundle(options.scheduler, this.#pump);
    this.#eventBundle = new Bundle(options.scheduler, () => this.#releaseEvents());
  }

  /** Bytes that wait for room; commands and bulk that wait for a receipt are not among them. */
  get queuedBytes(): number {
    const { command, input, event, state, bulk } = this.#lanes;
    return command.bytes + input.bytes + event.bytes + state.bytes + bulk.bytes;
  }

  /** What waits takes in memory, about. */
  get heldBytes(): number {
    return this.commands.heldBytes + this.bulk.heldBytes + this.queuedBytes;
  }

  /** Whether nothing waits: neither for room, nor for a receipt. */
  get isEmpty(): boolean {
    return this.#isIdle && this.commands.length === 0 && this.bulk.unacknowledged === 0;
  }

  /** Whether states take much longer than the path needs: they stand in a queue somewhere. */
  get isStateSlow(): boolean {
    return this.#delay.isSlow(this.#nowMs());
  }

  /** Whether a state would leave at once: one that would only wait is not worth being encoded. */
  get takesStates(): boolean {
    const link = this.#options.linkFor("state");
    if (this.#lanes.state.length > 0 || !link?.hasRoom("state")) return false;
    return this.#delay.mayGo(this.#nowMs());
  }

  /** Whether answers to states may come. */
  get hasSentStates(): boolean {
    return this.#hasSentStates;
  }

  /** Throws where too much waits. Returns the number of the last message. */
  addCommands(payloads: readonly Uint8Array[], periodMs: number | undefined): number {
    const id = this.commands.add(payloads, this.#nowMs());
    let bytes = 0;
    for (const { length } of payloads) bytes += messageBytes(length + 2);
    this.#commandBundle.add(bytes, periodMs ?? commandPeriodMs(payloads, this.#options.channel));
    return id;
  }

  /**
   * Numbers a command that leaves for this and other receivers in one packet. Undefined, and nothing is taken, where
   * commands before it have not left. Throws where too much waits for a receipt.
   */
  addBroadcast(payload: Uint8Array): number | undefined {
    this.#commandBundle.release();
    const { commands } = this;
    if (commands.hasUnsent || !commands.isWindowOpen) return undefined;
    if (this.#options.linkFor("command")?.hasRoom("command") !== true) return undefined;
    return commands.addSent(payload, (this.#sequence - 1) & (SEQUENCE_MODULUS - 1), this.#nowMs());
  }

  addBulk(payload: Uint8Array): void {
    this.bulk.add(payload);
    this.pump();
  }

  addEvent(body: Uint8Array, lifetimeMs: number | undefined, periodMs: number | undefined): void {
    assertBytes("event", body.length, MAX_EVENT_BYTES);
    const policy = this.#options.channel?.("event");
    const mostMs = lifetimeMs ?? policy?.lifetimeMs ?? EVENT_LIFETIME_MS;
    this.#bundledEvents.push(this.#waiting("event", MessageKind.event, body, 0, mostMs));
    this.#eventBundle.add(messageBytes(body.length), periodMs ?? policy?.periodMs ?? 0);
  }

  /** Returns what {@link acknowledgePackets} knows the state by; undefined where no link is usable, and nothing is sent. */
  addState(body: Uint8Array, key: number, head: Uint8Array = NOTHING): number | undefined {
    const link = this.#options.linkFor("state");
    const bytes = head.length + body.length;
    assertBytes("state", bytes, link?.isUnreliable === false ? MAX_PAYLOAD_BYTES : MAX_EVENT_BYTES);
    if (!link) return undefined;
    const number = (this.#stateNumber = nextSequence(this.#stateNumber));
    const isGated = key > 0;
    const nowMs = this.#nowMs();
    if (this.#mayLeave(link, "state") && (!isGated || this.#delay.mayGo(nowMs))) {
      const sequence = this.#sequence;
      this.#startPacket(link, "state", key);
      writeMessage(writer, MessageKind.state, body, head);
      this.#stateLeaves(sequence, number, isGated, nowMs);
      this.#sendPacket(link, "state", key);
    } else {
      const whole = new ByteWriter(bytes).bytes(head).bytes(body).view();
      this.#put("state", { ...this.#waiting("state", MessageKind.state, whole, key), number });
    }
    return number;
  }

  addInput(body: Uint8Array): void {
    assertBytes("input", body.length, MAX_EVENT_BYTES);
    // Where each must arrive none is replaced.
    const isReliable = this.#options.channel?.("input").delivery === "ordered-reliable";
    const trafficClass = isReliable ? "command" : "input";
    const key = isReliable ? 0 : INPUT_KEY;
    const link = this.#options.linkFor(trafficClass);
    if (!link) return;
    if (this.#mayLeave(link, trafficClass)) this.#write(link, trafficClass, MessageKind.input, body, key);
    else this.#put(trafficClass, this.#waiting(trafficClass, MessageKind.input, body.slice(), key));
  }

  /**
   * Takes a whole packet, of another session or for many receivers: the caller must not change it any more. One that
   * waits is replaced by a later one with the same `key`; 0, the default, replaces none. An event that could not leave
   * within `lifetimeMs` is dropped. Without a link it is dropped and counted.
   */
  forward(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    const link = this.#options.linkFor(trafficClass);
    if (link?.state !== "open") {
      this.counters.packetsDropped += 1;
    } else if (this.#mayLeave(link, trafficClass)) {
      this.#give(link, trafficClass, packet, key, lifetimeMs);
    } else {
      const name = trafficClass === "reference" ? "command" : trafficClass;
      const replaces = name === "state" || name === "input";
      const waiting = this.#waiting(trafficClass, undefined, packet, replaces ? key : 0, lifetimeMs);
      this.#put(name, waiting);
    }
  }

  /** Sends one message of the session itself over a link, at once where that has room. */
  sendNow(
    link: Link | undefined,
    trafficClass: "event" | "command",
    kind: MessageKind,
    body: Uint8Array,
  ): void {
    if (!link) return;
    const hasRoom = link.hasRoom(trafficClass) && this.#isAffordable(link);
    if (hasRoom || link !== this.#options.linkFor(trafficClass)) {
      this.#write(link, trafficClass, kind, body, 0);
    } else {
      this.#put(trafficClass, this.#waiting(trafficClass, kind, body, 0));
    }
  }

  /**
   * Sends a ping or a pong. Events are repeated on a data channel while they live: a probe that goes with them sees no
   * loss, and finds out whether anybody is there (`isRepeated`).
   */
  sendProbe(link: Link, kind: MessageKind, body: Uint8Array, isRepeated = false): void {
    if (isRepeated || !losesPackets(link)) return this.sendNow(link, "event", kind, body);
    this.#write(link, "state", kind, body, 0);
  }

  /** Sends a packet that says what has arrived, and nothing else. False where the link has no room for it now. */
  sendAnswer(trafficClass: "state" | "command"): boolean {
    const link = this.#options.linkFor(trafficClass);
    if (!link) return true;
    if (!link.hasRoom(trafficClass) || !this.#isAffordable(link)) return false;
    this.#startPacket(link, trafficClass);
    this.#sendPacket(link, trafficClass);
    return true;
  }

  /** Sends at once what waits for others to share its packet. */
  flush(): void {
    this.#commandBundle.release();
    this.#eventBundle.release();
  }

  /** The other side has everything before `receipt`. False for a receipt of what was never sent. */
  acknowledgeCommands(receipt: number): boolean {
    return this.commands.acknowledge(receipt, this.#nowMs()) !== undefined;
  }

  /** The same of the chunks of bulk. */
  acknowledgeBulk(receipt: number): boolean {
    const isKnown = this.bulk.acknowledge(receipt, this.#nowMs());
    if (isKnown) this.pump();
    return isKnown;
  }

  /** What the other side says to have arrived. False for acks of what was never sent. */
  acknowledgePackets(acks: Acks): boolean {
    if (!areOfSent(acks, this.#sequence, this.#packetsSent)) return false;
    this.#acknowledged.merge(acks, this.#arrived);
    this.#sentLoss.heard(acks.ack);
    // Of older ones no acks speak any more.
    while (this.#unheard[0] && sequenceDistance(acks.ack, this.#unheard[0].sequence) > ACK_BITS) {
      this.#unheard.shift();
    }
    return true;
  }

  readonly #arrived = (sequence: number): void => {
    const nowMs = (this.acknowledgedAtMs = this.#nowMs());
    this.#sentLoss.acknowledged(sequence);
    const isTimely = this.#delay.acknowledged(sequence, nowMs);
    this.commands.rewindIfLost(sequence);
    if (this.#lanes.state.length > 0) this.pump();
    if (isTimely && this.#lanes.state.length === 0) this.#delay.recovered();
    const at = this.#unheard.findIndex((state) => state.sequence === sequence);
    const [state] = at < 0 ? [] : this.#unheard.splice(at, 1);
    if (state) this.#options.onArrived?.(state.number);
  };

  /** To be called now and then: what has had no receipt for so long goes again. */
  update(patienceMs: number): void {
    const nowMs = this.#nowMs();
    this.bulk.rewindIfOverdue(patienceMs, nowMs);
    this.commands.rewindIfOverdue(patienceMs, nowMs);
    this.pump();
  }

  /** All that has no receipt goes again. */
  repeat(): void {
    this.commands.rewind();
    this.bulk.rewind();
    this.#commandBundle.flush();
  }

  /** Another link carries the states from now on. */
  stateLinkMoved(): void {
    this.loss.clear();
    this.#sentLoss.restart();
    this.#delay.moved();
    this.pump();
  }

  /** Sends nothing by itself any more, and forgets what waits. */
  stop(): void {
    this.#commandBundle.stop();
    this.#eventBundle.stop();
    for (const name of CLASSES) this.#drop(this.#lanes[name]);
    this.#options.budget?.leave(this.#pump);
    this.#poll(0);
  }

  /** Sends what the links have room for and the budget allows. */
  pump(): void {
    // A path may say that it has room while it is given a packet.
    if (this.#isPumping) return;
    if (!this.heldBytes) return this.#poll(0);
    this.#isPumping = true;
    this.#held.clear();
    let pollMs = 0;
    try {
      for (;;) {
        pollMs = this.#findCandidates();
        const name = this.#nextClass();
        const link = name && this.#linkOf(name);
        if (!name || !link || !this.#isTurn(link)) break;
        const before = this.#sentBytes;
        if (this.#sendNext(name, link)) this.#shareOut(name, this.#sentBytes - before);
        else this.#held.add(name);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#poll(pollMs);
  }

  /** Finds the classes that wait and have room. Returns how often the links of the others are to be asked; 0: never. */
  #findCandidates(): number {
    let pollMs = 0;
    // To clear an empty set would allocate.
    if (this.#candidates.size > 0) this.#candidates.clear();
    for (const name of CLASSES) {
      const lane = this.#lanes[name];
      if (!this.#hasMore(name)) {
        lane.creditBytes = 0;
        continue;
      }
      const link = this.#linkOf(name);
      if (link?.state !== "open") this.#drop(lane);
      else if (!link.hasRoom(lane.first?.trafficClass ?? name)) {
        pollMs = link.tellsRoom === true && pollMs !== POLL_MS ? SELDOM_POLL_MS : POLL_MS;
      } else this.#candidates.add(name);
    }
    return pollMs;
  }

  /** The class that the others have kept from its share the longest, or the one with the greatest priority. */
  #nextClass(): PlannedClass | undefined {
    let next: PlannedClass | undefined;
    let [mostCredit, mostPriority] = [0, 0];
    for (const name of this.#candidates) {
      if (this.#held.has(name)) continue;
      const { creditBytes } = this.#lanes[name];
      const isOwed = creditBytes > mostCredit && this.#isOwed(name);
      const { priority } = this.#weightOf(name);
      if (!isOwed && (mostCredit > 0 || priority <= mostPriority)) continue;
      next = name;
      mostPriority = priority;
      if (isOwed) mostCredit = creditBytes;
    }
    return next;
  }

  /** A class has sent so many bytes: all that wait get credit for their shares of them, and the class has used its own. */
  #shareOut(sender: PlannedClass, bytes: number): void {
    for (const name of this.#candidates) {
      const lane = this.#lanes[name];
      const credit = lane.creditBytes + this.#weightOf(name).share * bytes - (name === sender ? bytes : 0);
      lane.creditBytes = Math.min(MAX_CREDIT_BYTES, Math.max(0, credit));
      if (this.#isOwed(name)) this.#held.delete(name);
    }
  }

  /** Whether the others have sent so much of the class's share that its next packet is due. */
  #isOwed(name: PlannedClass): boolean {
    const { creditBytes } = this.#lanes[name];
    return creditBytes > 0 && creditBytes >= this.#nextBytes(name);
  }

  #weightOf(name: PlannedClass): TrafficWeight {
    return this.#options.channel?.(name) ?? ordinaryTraffic[name];
  }

  #linkOf(name: PlannedClass): Link | undefined {
    return this.#options.linkFor(this.#lanes[name].first?.trafficClass ?? name);
  }

  /** Of what would leave next of the class. */
  #nextBytes(name: PlannedClass): number {
    const { first } = this.#lanes[name];
    if (first) return first.bytes.length;
    return name === "bulk" ? (this.bulk.nextBytes(this.#nowMs()) ?? 0) : this.commands.nextUnsentBytes;
  }

  /** Whether what comes may leave at once: it has room, and nothing waits. */
  #mayLeave(link: Link, trafficClass: TrafficClassName): boolean {
    return this.#isIdle && link.hasRoom(trafficClass) && this.#isAffordable(link);
  }

  /** What goes through another session is counted there. */
  #isAffordable({ kind }: Link): boolean {
    return kind === "relayed" || this.#options.budget?.isOpen() !== false;
  }

  /** The same; if not, the budget calls when it is. */
  #isTurn({ kind }: Link): boolean {
    return kind === "relayed" || this.#options.budget?.admits(this.#pump) !== false;
  }

  #give(
    link: Link,
    trafficClass: TrafficClassName,
    packet: Uint8Array,
    key: number,
    lifetimeMs?: number,
  ): void {
    this.#spent(link, packet);
    link.send(trafficClass, packet, key, lifetimeMs);
  }

  #spent({ kind }: Link, { length }: Uint8Array): void {
    this.#sentBytes += length;
    if (kind !== "relayed") this.#options.budget?.spent(length);
  }

  #hasMore(name: PlannedClass): boolean {
    if (this.#lanes[name].length > 0) return true;
    if (name === "command") return this.#areCommandsDue;
    return name === "bulk" && this.bulk.nextBytes(this.#nowMs()) !== undefined;
  }

  get #areCommandsDue(): boolean {
    return !this.#commandBundle.isWaiting && this.commands.hasUnsent && this.commands.isWindowOpen;
  }

  /** False where nothing may leave now, whether the link has room or not. */
  #sendNext(name: PlannedClass, link: Link): boolean {
    const lane = this.#lanes[name];
    const { first } = lane;
    if (name === "command" && this.#areCommandsDue && (this.#isOwnTurn || !first)) {
      this.#isOwnTurn = false;
      this.#sendCommands(link);
      return true;
    }
    this.#isOwnTurn = true;
    if (!first) return name === "bulk" && this.#sendChunk(link);
    const nowMs = this.#nowMs();
    // Where other classes make the path slow, fewer states would not make it quick: they get their share.
    const isGated = first.kind === MessageKind.state && first.key > 0 && !this.#isOwed(name);
    if (isGated && !this.#delay.mayGo(nowMs)) return false;
    lane.shift();
    if (first.expiresAtMs < nowMs) this.counters.packetsDropped += 1;
    else if (first.kind === MessageKind.event) this.#sendEvents(link, first, nowMs);
    else this.#sendWaiting(link, first, nowMs);
    return true;
  }

  #sendWaiting(link: Link, waiting: Waiting, nowMs: number): void {
    const { trafficClass, kind, bytes, key, expiresAtMs, number } = waiting;
    if (kind === undefined) return this.#give(link, trafficClass, bytes, key, expiresAtMs - nowMs);
    if (kind === MessageKind.state) this.#stateLeaves(this.#sequence, number, key > 0, nowMs);
    this.#write(link, trafficClass, kind, bytes, key);
  }

  /** Those behind it share its packet. */
  #sendEvents(link: Link, { bytes: body, expiresAtMs }: Waiting, nowMs: number): void {
    const lane = this.#lanes.event;
    const lifetimeMs = expiresAtMs - nowMs;
    this.#startPacket(link, "event", 0, lifetimeMs);
    let bytes = PACKET_OVERHEAD_BYTES + messageBytes(body.length);
    writeMessage(writer, MessageKind.event, body);
    for (let next = lane.first; next?.kind === MessageKind.event; next = lane.first) {
      const isStale = next.expiresAtMs < nowMs;
      if (isStale) this.counters.packetsDropped += 1;
      else {
        bytes += messageBytes(next.bytes.length);
        if (bytes > limits.unreliablePacketBytes) break;
        writeMessage(writer, MessageKind.event, next.bytes);
      }
      lane.shift();
    }
    this.#sendPacket(link, "event", 0, lifetimeMs);
  }

  #sendCommands(link: Link): void {
    const batch = this.commands.takeBatch();
    if (!batch) return;
    this.commands.carried(batch, this.#sequence, this.#nowMs());
    this.#startPacket(link, "command");
    for (const { id, payload } of batch) {
      writer.u8(MessageKind.reliable).varint(payload.length + 2);
      writer.u16(id).bytes(payload);
    }
    this.#sendPacket(link, "command");
  }

  #sendChunk(link: Link): boolean {
    const nowMs = this.#nowMs();
    const bytes = this.bulk.nextBytes(nowMs);
    const rate = link.kind === "webrtc" ? undefined : this.#options.bulkRate;
    if (bytes === undefined || rate?.take(bytes, nowMs) === false) return false;
    const chunk = this.bulk.take(this.#sequence, nowMs);
    if (!chunk) return false;
    this.#startPacket(link, "bulk");
    writer.u8(MessageKind.bulk).varint(chunk.payload.length + BULK_HEAD_BYTES);
    writer.u16(chunk.id).u8(chunk.isLast ? LAST_CHUNK : 0);
    writer.bytes(chunk.payload);
    this.#sendPacket(link, "bulk");
    return true;
  }

  #write(link: Link, trafficClass: TrafficClassName, kind: MessageKind, body: Uint8Array, key: number): void {
    this.#startPacket(link, trafficClass, key);
    writeMessage(writer, kind, body);
    this.#sendPacket(link, trafficClass, key);
  }

  #stateLeaves(sequence: number, number: number, isGated: boolean, nowMs: number): void {
    this.#hasSentStates = true;
    this.#delay.sent(sequence, isGated, nowMs);
    this.#unheard.push({ sequence, number });
    if (this.#unheard.length > MAX_UNHEARD_STATES) this.#unheard.shift();
  }

  #releaseEvents(): void {
    for (const event of this.#bundledEvents.splice(0)) this.#lanes.event.put(event);
    this.counters.packetsDropped += this.#lanes.event.trim();
    this.pump();
  }

  #waiting(
    trafficClass: TrafficClassName,
    kind: MessageKind | undefined,
    bytes: Uint8Array,
    key: number,
    lifetimeMs?: number,
  ): Waiting {
    const lastsMs = trafficClass === "event" ? (lifetimeMs ?? EVENT_LIFETIME_MS) : Number.POSITIVE_INFINITY;
    const expiresAtMs = this.#nowMs() + lastsMs;
    return { trafficClass, kind, bytes, key, expiresAtMs, number: 0 };
  }

  /** Something waits for room. */
  #put(name: PlannedClass, waiting: Waiting): void {
    const lane = this.#lanes[name];
    if (lane.put(waiting)) this.counters.statesReplaced += 1;
    if (mayBeLost(name)) this.counters.packetsDropped += lane.trim();
    else if (lane.bytes > (this.#options.maxForwardedBytes ?? MAX_FORWARDED_BYTES)) {
      this.#drop(lane);
      this.#options.linkFor(name)?.close(CloseCode.tooSlow, "does not take what is sent to it");
    }
    this.pump();
  }

  #drop(lane: Lane): void {
    this.counters.packetsDropped += lane.length;
    lane.clear();
  }

  /** Whether nothing waits: then what comes may leave at once. */
  get #isIdle(): boolean {
    const { command, input, event, state, bulk } = this.#lanes;
    return command.length + input.length + event.length + state.length + bulk.length === 0;
  }

  /** Asks the path so often whether it has room; 0: nothing waits for that. */
  #poll(periodMs: number): void {
    if (periodMs === this.#pollMs) return;
    this.#stopPolling?.();
    this.#pollMs = periodMs;
    this.#stopPolling = periodMs > 0 ? this.#options.scheduler.every(periodMs, this.#pump) : undefined;
  }

  /** Every packet of a session says what has arrived, so that a receipt rarely needs a packet of its own. */
  #startPacket(link: Link, trafficClass: TrafficClassName, key = 0, lifetimeMs?: number): void {
    const sequence = this.#sequence;
    // Nobody repeats it if it is lost: the acks will tell. What a relay drops was replaced by something newer.
    const isSentOnce = trafficClass === "state" || trafficClass === "input";
    if (isSentOnce && losesPackets(link)) this.#sentLoss.sent(sequence);
    this.#sequence = nextSequence(sequence);
    this.#packetsSent = Math.min(this.#packetsSent + 1, SEQUENCE_MODULUS / 2 - 1);
    // Bulk may wait in the path.
    if (trafficClass !== "bulk") this.#options.onAnswered?.();
    const header = this.#options.header(sequence);
    writer.reset();
    if (link instanceof RelayedLink) link.writeHead(writer, trafficClass, key, lifetimeMs);
    writePacketHeader(writer, header);
  }

  /** The packet that was started: it is given away as it was written. */
  #sendPacket(link: Link, trafficClass: TrafficClassName, key = 0, lifetimeMs?: number): void {
    const packet = writer.release();
    this.#spent(link, packet);
    if (link instanceof RelayedLink) link.sendEnvelope(trafficClass, packet, key, lifetimeMs);
    else link.send(trafficClass, packet, key, lifetimeMs);
  }

  #nowMs(): number {
    return this.#options.scheduler.nowMs();
  }
}

/** Only a game's own commands wait for others: what a session says of itself takes them with it. */
export function commandPeriodMs(payloads: readonly Uint8Array[], channel?: ChannelPolicyOf): number {
  if (payloads[0]?.[0] !== PayloadKind.command) return 0;
  return Math.max(MIN_COMMAND_PERIOD_MS, channel?.("command").periodMs ?? 0);
}
