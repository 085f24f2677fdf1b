import {
  ByteReader,
  ByteWriter,
  CloseCode,
  MessageKind,
  NetError,
  SEQUENCE_MODULUS,
  isRouted,
  limits,
  nextSequence,
  readMessages,
  readPacket,
  readPayloads,
  type DropReason,
  type Message,
  type Packet,
  type TrafficClassName,
} from "@paceline/protocol";
import { losesPackets, mayBeLost, type Link, type LinkClose } from "../link.js";
import type { PathReading } from "../path-choice.js";
import type { Scheduler } from "../scheduler.js";
import { Receiver } from "./receiver.js";
import { readCloseBody, writeCloseBody, PONG_BYTES, pongTo, readPong } from "./message-bodies.js";
import {
  DropCounters,
  type SavedSession,
  type SessionHandlers,
  type SessionOptions,
} from "./session-options.js";
import type { LinkMonitor, LinkMonitorOptions } from "./links/link-monitor.js";
import type { LossReading } from "./loss-count.js";
import type { Outbox, OutboxCounters } from "./outbox/outbox.js";
import type { Fragment, ReliableClass, ReliableQueueView } from "./outbox/reliable-queue.js";
import { LAST_FRAGMENT, assertBytes, assertEventBytes } from "./outbox/payload-limits.js";
import type { ReadAllowance } from "./read-allowance.js";
import { Sender, type StateMoment } from "./sender.js";
import { SessionLinks } from "./links/session-links.js";
import { SharedInterval } from "./shared-timer.js";

/** Period of the session's timer while a link is in doubt or something waits, ms. */
const UPDATE_PERIOD_MS = 50;
/** The period while all links work and nothing waits, ms. A server has one such timer for all its sessions. */
const STEADY_PERIOD_MS = 250;
/** Time by which the timer may share the wake-up of another one, such as that of the next input, ms. */
const UPDATE_SLACK_MS = 10;
/**
 * Time without a receipt after which reliable messages are sent again over the same link, ms. Links deliver
 * them by themselves, except a relayed one while the other participant is away from the server.
 */
const REPEAT_AFTER_MS = 1500;
/** After this silence the other side may be away, ms. Missing receipts then show nothing. */
const MAX_SILENCE_MS = 3000;
const VIOLATION_LIMIT = 50;
/**
 * Limit of pings through the relay that a pair answers in a second. An honest peer sends one. All pairs of a client
 * share what the relay lets it send.
 */
const RELAYED_PONGS_PER_SECOND = 2;
const probeKinds: ReadonlySet<MessageKind> = new Set([
  MessageKind.ping,
  MessageKind.pong,
  MessageKind.report,
]);
/** Messages that a datagram link sends once. It repeats the others until they arrive or their lifetime ends. */
const unrepeatedKinds: ReadonlySet<MessageKind> = new Set([
  MessageKind.state,
  MessageKind.input,
  ...probeKinds,
]);
/**
 * Pings without an answer beside which the caller gets no further one. The other side answers 40 a second, and a clock that
 * pings 43 times a second has 39 on their way over a path of 900 ms.
 */
const MAX_OPEN_PINGS = 38;

/** True for a message that needs no ack, because a pong answers a ping. */
const isProbe = ({ kind }: Message): boolean => probeKinds.has(kind);

/**
 * A logical connection to another participant or to the server, over links that come and go. It numbers
 * reliable messages and keeps them until their receipts. When a link dies, it sends the messages without a
 * receipt again over the next one, and the receiver drops those that arrive twice. Traffic takes the best
 * usable link. The sending half is {@link Sender}, the receiving half {@link Receiver}.
 */
export class Session {
  readonly drops: DropCounters;
  readonly #scheduler: Scheduler;
  readonly #handlers: SessionHandlers;
  readonly #links: SessionLinks;
  readonly #sender: Sender;
  readonly #bulkBytes: () => number;
  readonly #clockShiftMs: () => number;
  readonly #receiver: Receiver;
  readonly #channel: SessionOptions["channel"];
  readonly #allowance: ReadAllowance | undefined;
  /** Looks after links and queues. Stopped while there is nothing to do. */
  readonly #updates: SharedInterval;
  #nonce = 0;
  #isClosed = false;
  #violations = 0;
  #windowEndsAtMs = 0;
  /** Number of pongs sent lately. It falls at the rate of the limit. */
  #pongs = 0;
  #pongAtMs = 0;

  constructor(options: SessionOptions) {
    this.drops = options.drops ?? new DropCounters();
    this.#scheduler = options.scheduler;
    this.#handlers = options.handlers;
    this.#channel = options.channel;
    this.#allowance = options.allowance;
    this.#bulkBytes = options.bulkBytes ?? (() => 0);
    this.#clockShiftMs = options.clockShiftMs ?? (() => 0);
    this.#updates = new SharedInterval(this.#scheduler, () => this.#update(), UPDATE_SLACK_MS);
    this.#receiver = new Receiver(
      this.#scheduler,
      (trafficClass) => this.#sender.sendAcks(trafficClass),
      options.answerPeriodMs ?? (() => 0),
      options.hasGaps,
    );
    const { scheduler, channel, budget, answers, bulkRate, maxForwardedBytes, holdsReliable } = options;
    // Not a spread: V8 would give each session's options a hidden class of their own, and read all of them slowly.
    this.#sender = new Sender({
      scheduler,
      channel,
      budget,
      answers,
      bulkRate,
      maxForwardedBytes,
      holdsReliable,
      drops: this.drops,
      linkFor: (trafficClass) => this.linkFor(trafficClass),
      currentTick: options.currentTick ?? (() => 0),
      onWhole: (link, name, packet) => this.#links.monitorOf(link)?.options.routed?.countSent(name, packet),
      takeAcks: (mayBeLost, nowMs) => this.#receiver.takeAcks(mayBeLost, nowMs),
      onArrived: (number) => this.#handlers.onAcknowledged?.(number),
    });
    if (options.saved) {
      this.#sender.restore(options.saved.sent);
      this.#receiver.restore(options.saved.received);
    }
    this.#links = new SessionLinks({
      scheduler: this.#scheduler,
      onPacket: this.receive,
      ping: (monitor) => this.#ping(monitor, this.#scheduler.nowMs()),
      isSlow: (nowMs) => this.#sender.isStateSlow(nowMs),
      onActive: (link, reason) => this.#moved(link, reason),
      onRoom: () => this.#sender.pump(),
      onUnreliable: (link) => {
        this.#receiver.loss.clear();
        this.#sender.stateLinkMoved();
        this.#handlers.onStateLink?.(link);
      },
      onDown: (link, close, isLast) => this.#handlers.onLinkDown?.(link, close, isLast),
      onSilence: (link, isSilent) => this.#handlers.onSilence?.(link, isSilent),
    });
  }

  /**
   * Returns both windows: the messages without a receipt, and what has arrived. A session in another process goes on
   * with them over a new link, and each message arrives once.
   */
  save(): SavedSession {
    return { sent: this.#sender.save(), received: this.#receiver.save() };
  }

  readonly #countUnknown = (): void => {
    this.#allowance?.charge(1);
    this.drops.count("unknown-kind");
  };

  /** Takes a packet. Ignores it if the link is not one of this session's. */
  readonly receive = (bytes: Uint8Array, link: Link): void => {
    // All steps share one reading of the clock, which takes a browser about a microsecond.
    const nowMs = this.#scheduler.nowMs();
    const monitor = this.#admit(bytes, link, nowMs);
    if (!monitor) return;
    if (isRouted(bytes) && this.#handlers.onRouted) {
      this.#hearRouted(bytes, monitor, nowMs);
      return this.#isClosed ? undefined : this.#handlers.onRouted(bytes, link);
    }
    const packet = readPacket(bytes);
    if (typeof packet === "string") return this.reportViolation(packet);
    const messages = readMessages(packet, this.#countUnknown);
    if (typeof messages === "string") return this.reportViolation(messages);
    this.#allowance?.charge(messages.length);
    const isTimely = this.#acceptPacket(packet, messages, monitor, nowMs);
    if (isTimely === undefined) return;
    let pings = 0;
    for (const message of messages) {
      if (this.#isClosed) return;
      const { kind } = message;
      const isWrong = packet.isPublished
        ? kind !== MessageKind.state && kind !== MessageKind.event
        : // Each pong is a packet of its own, so that many pings in one packet would cause many packets.
          kind === MessageKind.ping && pings++ > 0;
      if (isWrong) this.reportViolation("bad-message");
      else this.#receiveMessage(message, packet, isTimely, monitor, nowMs);
    }
  };

  #hearRouted(bytes: Uint8Array, monitor: LinkMonitor, nowMs: number): void {
    this.#links.heard(monitor, nowMs);
    monitor.options.routed?.countReceived(bytes);
  }

  /** Returns the monitor of the packet's link; undefined: the packet is not read. */
  #admit(bytes: Uint8Array, link: Link, nowMs: number): LinkMonitor | undefined {
    const monitor = this.#isClosed ? undefined : this.#links.monitorOf(link);
    if (!monitor) return undefined;
    const isAllowed = this.#allowance?.admits(nowMs) !== false;
    if (isAllowed && monitor.options.admits?.(bytes.length) !== false) return monitor;
    this.drops.count("rate-limit");
    return undefined;
  }

  /**
   * Returns true if the packet arrived in time, and false if it is too late to tell if it arrived before. Returns
   * undefined if it is dropped: it arrived before, or is outdated.
   */
  #acceptPacket(
    packet: Packet,
    messages: readonly Message[],
    monitor: LinkMonitor,
    nowMs: number,
  ): boolean | undefined {
    const { link } = monitor;
    this.#links.heard(monitor, nowMs);
    // A move to this link may end the session.
    if (this.#isClosed) return undefined;
    // On a link that loses packets, the sender measures loss and needs an ack of every packet.
    const needsAck = losesPackets(link) || !messages.every(isProbe);
    const novelty = this.#receiver.accept(packet, needsAck, this.#isUnrepeated(messages, link));
    if (novelty === "duplicate" || novelty === "outdated") {
      this.drops.count(novelty);
      return undefined;
    }
    if (!packet.isPublished && !this.#sender.acknowledge(packet, nowMs)) this.reportViolation("bad-message");
    return novelty === "new";
  }

  /** The link that carries the reliable traffic. */
  get activeLink(): Link | undefined {
    return this.#links.active?.link;
  }

  /** Returns the link that carries this class. */
  linkFor(trafficClass: TrafficClassName): Link | undefined {
    return (this.#usesUnreliable(trafficClass) ? this.#links.unreliable : this.#links.active)?.link;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Round-trip time over the active link, ms. */
  get rttMs(): number | undefined {
    return this.#links.active?.rttMs;
  }

  get jitterMs(): number {
    return this.#links.active?.jitterMs ?? 0;
  }

  /**
   * Longest round trip that all answers of the other side allow, ms: pongs, acks and receipts. A side that
   * holds back only some of them does not seem slower. Undefined before the first answers.
   */
  get provenRttMs(): number | undefined {
    const { rttMs } = this;
    const answerMs = this.#sender.answerMs(this.#scheduler.nowMs());
    return rttMs === undefined || answerMs === undefined ? (rttMs ?? answerMs) : Math.min(rttMs, answerMs);
  }

  /**
   * The send times of unanswered pings over the active link, the time since it last received anything, and the
   * time of the last ack, ms. Excludes pings and silence that a late loop of this page explains.
   */
  get unanswered(): {
    readonly pingsSentMs: readonly number[];
    readonly silentMs: number;
    readonly acknowledgedAtMs: number;
  } {
    const { active } = this.#links;
    const nowMs = this.#scheduler.nowMs();
    const pingsSentMs = active?.openPings.filter((sentMs) => !this.#links.wasLoopLate(sentMs, nowMs)) ?? [];
    const silentMs = active?.heardMs(nowMs) ?? 0;
    const { acknowledgedAtMs } = this.#sender;
    const isLate = this.#links.wasLoopLate(nowMs - silentMs, nowMs);
    return { pingsSentMs, silentMs: isLate ? 0 : silentMs, acknowledgedAtMs };
  }

  /** Incoming loss on the unreliable link. Undefined while it carries too little. */
  get pathLoss(): LossReading | undefined {
    return this.#receiver.loss.reading;
  }

  /** Outgoing loss, from the other side's acks. */
  get outgoingLoss(): LossReading | undefined {
    return this.#sender.loss.reading;
  }

  /** All links, also those that are not open. */
  get links(): Iterable<Link> {
    return this.#links.all;
  }

  /** Returns the measurements of a link of this session. Undefined before the first one. */
  readingOf(link: Link | undefined): PathReading | undefined {
    return this.#links.readingOf(link);
  }

  /** Chooses the best link again, because the preference of a link has changed. */
  reconsider(reason: string): void {
    if (!this.#isClosed) this.#links.choose(reason);
  }

  /** The messages of {@link sendReliable} without a receipt. */
  get commands(): ReliableQueueView {
    return this.#sender.reliable.command;
  }

  /** The messages of {@link sendBulk} without a receipt. */
  get bulk(): ReliableQueueView {
    return this.#sender.reliable.bulk;
  }

  /**
   * Returns the number of reliable messages without a receipt whose payload begins with that byte, and of all
   * bulk. If the session has ended, these may not have arrived.
   */
  unacknowledgedOf(payloadKind: number): number {
    const { command, bulk } = this.#sender.reliable;
    return command.pending.filter(({ payload }) => payload[0] === payloadKind).length + bulk.length;
  }

  /** Estimated memory that the other side makes this session use, in both directions, bytes. */
  get heldBytes(): number {
    return this.#sender.heldBytes + this.#sender.queuedBytes + this.#receiver.heldBytes;
  }

  /** Estimated memory of received messages that are not complete or wait for an earlier one, bytes. */
  get unfinishedBytes(): number {
    return this.#receiver.heldBytes;
  }

  /** Bytes that wait on this side: in the session, and in the sockets of the links that carry its traffic. */
  get queuedBytes(): number {
    return this.#sender.queuedBytes + this.linkBytes;
  }

  /** Bytes that wait in the sockets of the links that carry the traffic. */
  get linkBytes(): number {
    const { active, unreliable } = this.#links;
    return (
      (active?.link.queuedBytes ?? 0) + (unreliable === active ? 0 : (unreliable?.link.queuedBytes ?? 0))
    );
  }

  /** Counts of messages that did not leave. */
  get queueCounters(): Readonly<OutboxCounters> {
    return this.#sender.counters;
  }

  /** Time without a new receipt although the other side sends, ms. 0 while it is silent. */
  get stuckMs(): number {
    const { active } = this.#links;
    const nowMs = this.#scheduler.nowMs();
    return active && active.heardMs(nowMs) < MAX_SILENCE_MS
      ? this.#sender.reliable.command.stuckMs(nowMs)
      : 0;
  }

  /** True if so much waits for a receipt that less important messages should wait. */
  get isBacklogged(): boolean {
    const { unacknowledgedMessages, sessionQueueBytes } = limits;
    const { length, bytes } = this.#sender.reliable.command;
    return length >= unacknowledgedMessages / 2 || bytes >= sessionQueueBytes / 2;
  }

  /** Adds a link. It is used once it is open and, if the options require it, a probe was answered. */
  attach(link: Link, options: LinkMonitorOptions): void {
    if (this.#isClosed) {
      link.close(CloseCode.left, "the session has ended");
      return;
    }
    this.#updateEvery(UPDATE_PERIOD_MS);
    this.#links.attach(link, options);
  }

  /** Sets the least silence that ends a link, ms, for example for a hidden page. 0: each link's own timeout. */
  setMinTimeout(minTimeoutMs: number): void {
    this.#links.minTimeoutMs = minTimeoutMs;
  }

  /**
   * Sends a message that arrives exactly once and in order. Returns its number. Throws {@link ConfigError} if
   * it is too long, and {@link NetError} if the session has ended or too much waits.
   * @param periodMs longest wait for other messages to share its packet, ms; default: as the plan says
   */
  sendReliable(payload: Uint8Array, periodMs?: number): number {
    return this.sendAllReliable([payload], periodMs);
  }

  /** Sends several reliable messages in as few packets as possible. Returns the number of the last one. */
  sendAllReliable(payloads: readonly Uint8Array[], periodMs?: number): number {
    this.#assertOpen();
    this.#startUpdates();
    return this.#sender.addCommands(payloads, periodMs);
  }

  /**
   * Sends reliable messages that the other side has caused, such as answers to requests. They wait for the
   * budget of answers, which sessions may share.
   */
  answer(payloads: readonly Uint8Array[]): number {
    this.#assertOpen();
    this.#startUpdates();
    return this.#sender.addCommands(payloads, undefined, true);
  }

  /**
   * Numbers a reliable message that the caller sends to several receivers in one envelope: see
   * {@link Broadcast}. Returns undefined if earlier messages have not left: {@link sendReliable} must send it.
   */
  addBroadcast(payload: Uint8Array): number | undefined {
    this.#assertOpen();
    this.#startUpdates();
    return this.#sender.addBroadcast(payload);
  }

  /** Takes reliable messages that the other side sent to several receivers at once, the first with `firstId`. */
  receiveBroadcast(link: Link, firstId: number, bytes: Uint8Array): void {
    const nowMs = this.#scheduler.nowMs();
    const monitor = this.#admit(bytes, link, nowMs);
    if (!monitor) return;
    const payloads = readPayloads(bytes);
    if (!payloads) return this.reportViolation("length");
    this.#allowance?.charge(payloads.length);
    this.#links.heard(monitor, nowMs);
    for (const [index, payload] of payloads.entries()) {
      const id = (firstId + index) & (SEQUENCE_MODULUS - 1);
      this.#takeReliable("command", { id, payload, isLast: true });
    }
  }

  /** Takes over the reliable messages of a session that has sent none of them, see `holdsReliable`, and ends it. */
  replace(unsent: Session): void {
    this.#sender.reliable = unsent.#sender.reliable;
    this.#startUpdates();
    unsent.close(CloseCode.left, "another session goes on");
  }

  /** Puts messages before those that wait. Nothing may have been sent, see `holdsReliable`. Throws as {@link sendReliable} does. */
  sendBefore(payloads: readonly Uint8Array[]): void {
    this.#sender.addBefore(payloads);
  }

  /** Sends all messages without a receipt again at once, because they may be lost. */
  repeat(): void {
    this.#sender.repeat();
  }

  /**
   * Sends a bulk message. It arrives exactly once, in the order of bulk messages, and yields to all other
   * traffic. Throws {@link ConfigError} if it is longer than `limits.bulkBytes`, and {@link NetError} as
   * {@link sendReliable} does.
   */
  sendBulk(payload: Uint8Array): void {
    this.checkBulk(payload);
    this.#startUpdates();
    this.#sender.addBulk(payload);
  }

  /** Throws as {@link sendBulk} would. */
  checkBulk(payload: Uint8Array, maxBytes: number = limits.bulkBytes): void {
    this.#assertOpen();
    assertBytes("message", payload.length, maxBytes);
    this.#sender.reliable.bulk.check([payload]);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new NetError("session/ended", "the session has ended");
  }

  /**
   * Sends a message that may be lost. Drops it if it cannot leave within `lifetimeMs`, or if no link is usable.
   * It waits at most `periodMs` for others to share its packet.
   */
  sendEvent(body: Uint8Array, lifetimeMs?: number, periodMs?: number): void {
    if (!this.#isClosed && this.linkFor("event")) this.#sender.addEvent(body, lifetimeMs, periodMs);
    else {
      assertEventBytes(body.length);
      if (!this.#isClosed) this.drops.count("not-routable");
    }
  }

  /**
   * Sends a body of states, which may be lost. A later one with the same `key` replaces it while it waits; 0:
   * none does. Returns its number for {@link SessionHandlers.onAcknowledged}, or undefined if no link is usable.
   * Throws {@link ConfigError} if it is too long; an ordered link takes longer ones.
   * @param head bytes before the body, so that many receivers can get the same body
   * @param moment default: the session's tick and the present time
   * @param further bodies, with their heads, that share the packet and its number
   */
  sendState(
    body: Uint8Array,
    key = 0,
    head?: Uint8Array,
    moment?: StateMoment,
    further?: readonly Uint8Array[],
  ): number | undefined {
    this.#startUpdates();
    return this.#sender.addState(body, key, head, moment, further);
  }

  /** The number that the next {@link sendState} returns; undefined if no link is usable. */
  get nextState(): number | undefined {
    return this.#sender.nextState;
  }

  /** Returns true if states take much longer than the path needs, because they wait in a queue of the network. */
  isStateSlow(nowMs: number): boolean {
    return this.#sender.isStateSlow(nowMs);
  }

  /** True if a state would leave at once. */
  get takesStates(): boolean {
    return this.#sender.takesStates;
  }

  /** Sends the inputs of the last ticks, in place of unsent ones. Drops them if no link is usable. */
  sendInput(body: Uint8Array): void {
    this.#sender.addInput(body);
  }

  /** The queue of the session's own links. It also takes whole packets, of other sessions or for many receivers. */
  get outbox(): Outbox {
    return this.#sender.outbox;
  }

  /** Sends at once the messages that wait to share a packet. */
  flush(): void {
    this.#sender.flush();
  }

  /** Takes a whole tick of the other side. Its packets contain only the low bits. */
  observeTick(tick: number): void {
    this.#receiver.observeTick(tick);
  }

  /**
   * Pings over the active link now, unless many pings have no answer yet: on a link that stands still, more of them
   * only lengthen the queue, and the other side would not answer so many at once. The session also pings by itself.
   */
  ping(): void {
    const { active } = this.#links;
    if (active && active.openPings.length < MAX_OPEN_PINGS) this.#ping(active, this.#scheduler.nowMs());
  }

  /**
   * Counts malformed input, also for the owner. Ends the session after too many. One a second is forgiven.
   */
  reportViolation(reason: DropReason): void {
    this.drops.count(reason);
    this.#startUpdates();
    this.#violations += 1;
    if (this.#violations < VIOLATION_LIMIT || this.#isClosed) return;
    const close = { code: CloseCode.protocolViolation, reason: `malformed packets, last: ${reason}` };
    this.#sendCloseAndEnd(close, "violations");
  }

  /** Ends the session. Tells the other side and closes all links. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.flush();
    this.#sendCloseAndEnd({ code, reason });
  }

  /**
   * Ends the session, and leaves its links open: the other side closes them. Returns them for the case that it
   * does not. Packets that still arrive over them are ignored.
   */
  release(): readonly Link[] {
    const links = [...this.links];
    this.#links.release();
    this.#end({ code: CloseCode.left, reason: "released" });
    return links;
  }

  #sendCloseAndEnd(close: LinkClose, by?: "violations"): void {
    try {
      this.#sender.sendNow(this.activeLink, "command", MessageKind.close, writeCloseBody(close));
    } finally {
      this.#end(close, by);
    }
  }

  /** Handles a change of the active link. Sends the messages without a receipt again over the new one. */
  #moved(link: Link | undefined, reason: string): void {
    this.#handlers.onActiveLink?.(link, reason);
    if (this.activeLink === link) this.repeat();
  }

  /** Starts the timer, which runs until links and queues are quiet. A room has many sessions, mostly idle. */
  #startUpdates(): void {
    if (this.#updates.periodMs === 0) this.#updateEvery(STEADY_PERIOD_MS);
  }

  #updateEvery(periodMs: number): void {
    if (this.#updates.periodMs === periodMs || this.#isClosed) return;
    this.#links.restart(this.#scheduler.nowMs(), periodMs + UPDATE_SLACK_MS);
    this.#updates.every(periodMs);
  }

  #update(): void {
    const nowMs = this.#scheduler.nowMs();
    this.#links.update(nowMs);
    const { active } = this.#links;
    if (active && !this.#sender.isEmpty)
      this.#sender.update(Math.max(REPEAT_AFTER_MS, 4 * (active.rttMs ?? 0)));
    const isSteady = this.#sender.isEmpty && this.#links.isSteady(nowMs, STEADY_PERIOD_MS);
    this.#updateEvery(isSteady ? STEADY_PERIOD_MS : UPDATE_PERIOD_MS);
    if (nowMs < this.#windowEndsAtMs) return;
    this.#windowEndsAtMs = Math.max(this.#windowEndsAtMs, nowMs - 1000) + 1000;
    this.#receiver.loss.endWindow();
    this.#sender.loss.endWindow();
    this.#violations = Math.max(0, this.#violations - 1);
    if (this.#violations > 0 || !this.#sender.isEmpty || !this.#links.isQuiet(nowMs)) return;
    this.#updates.every(0);
  }

  /** Returns true if the link for traffic that may be lost carries this class. */
  #usesUnreliable(trafficClass: TrafficClassName): boolean {
    if (!mayBeLost(trafficClass)) return false;
    return !this.#channel || this.#channel(trafficClass).links.includes("webrtc");
  }

  #ping(monitor: LinkMonitor, nowMs: number): void {
    // Only the short period notices if this page is late while the ping is on its way.
    this.#updateEvery(UPDATE_PERIOD_MS);
    this.#nonce = nextSequence(this.#nonce);
    const { isDoubtful, link } = monitor;
    monitor.pinged(this.#nonce, nowMs);
    const body = new ByteWriter(2).u16(this.#nonce).view();
    this.#sender.sendProbe(link, MessageKind.ping, body, isDoubtful);
  }

  /**
   * Returns true if nobody repeats this packet, so that a gap before it shows loss. Returns undefined if no
   * link in use loses packets. A relay drops a packet only when a newer one replaces it.
   */
  #isUnrepeated(messages: readonly Message[], link: Link): boolean | undefined {
    const inUse = this.#links.unreliable?.link;
    if (!inUse || !losesPackets(inUse)) return undefined;
    if (link !== inUse) return false;
    // A packet without a message is an answer: one to states may be lost, any other one is repeated.
    if (messages.length === 0) return this.#sender.hasSentStates;
    return messages.every(({ kind }) => unrepeatedKinds.has(kind));
  }

  #receiveMessage(
    message: Message,
    packet: Packet,
    isTimely: boolean,
    monitor: LinkMonitor,
    nowMs: number,
  ): void {
    const { body, kind } = message;
    switch (kind) {
      case MessageKind.reliable:
        return this.#receiveReliable("command", body);
      case MessageKind.event:
        // The packet is too late to tell if it arrived before, and an event must not arrive twice.
        if (!isTimely) return this.drops.count("outdated");
        return this.#handlers.onEvent?.(body);
      case MessageKind.state: {
        const tick = this.#receiver.tickOf(packet, nowMs);
        return typeof tick === "number" ? this.#handlers.onState?.(body, tick, nowMs) : this.#dropState(tick);
      }
      case MessageKind.input:
        return this.#handlers.onInput?.(body);
      case MessageKind.bulk:
        return this.#receiveReliable("bulk", body);
      case MessageKind.ping:
        return this.#receivePing(body, monitor);
      case MessageKind.pong:
        return this.#receivePong(body, monitor);
      case MessageKind.report:
        return this.#receiveReport(body, monitor);
      case MessageKind.close:
        return this.#closedByRemote(body);
    }
  }

  #dropState(reason: DropReason): void {
    if (reason === "bad-message") this.reportViolation(reason);
    else this.drops.count(reason);
  }

  #receivePing(body: Uint8Array, { link, options }: LinkMonitor): void {
    if (body.length !== 2) return this.reportViolation("bad-message");
    this.#startUpdates();
    const nowMs = this.#scheduler.nowMs();
    const most = link.kind === "relayed" ? RELAYED_PONGS_PER_SECOND : limits.pongsPerSecond;
    const seconds = (nowMs - this.#pongAtMs) / 1000;
    this.#pongs = Math.max(0, this.#pongs - seconds * most);
    this.#pongAtMs = nowMs;
    if (this.#pongs + 1 > most) return this.drops.count("rate-limit");
    this.#pongs += 1;
    this.#sender.sendProbe(
      link,
      MessageKind.pong,
      pongTo(body, nowMs + this.#clockShiftMs()),
      false,
      options.routed?.reportTo(body),
    );
  }

  #receivePong(body: Uint8Array, monitor: LinkMonitor): void {
    if (body.length !== PONG_BYTES) return this.reportViolation("bad-message");
    const receivedMs = this.#scheduler.nowMs();
    const pong = readPong(body);
    const ping = monitor.answered(pong.number, receivedMs);
    if (!ping) return;
    const { sentAtMs: sentMs, isProof } = ping;
    const wasLate = this.#links.wasLoopLate(sentMs, receivedMs);
    monitor.took(receivedMs - sentMs, wasLate);
    const times = { sentMs, remoteMs: pong.remoteMs, receivedMs, wasLate };
    if (monitor === this.#links.unreliable) this.#sender.pongReceived(times);
    if (isProof) this.#links.choose("probe answered");
    this.#handlers.onPong?.(times, monitor.link);
  }

  /** Takes the counts of routed packets. A link that carries no states has lost none of them. */
  #receiveReport(body: Uint8Array, monitor: LinkMonitor): void {
    const { routed } = monitor.options;
    if (monitor !== this.#links.unreliable || !routed) return;
    if (!routed.take(body, this.#sender.loss, this.#receiver.loss)) this.reportViolation("bad-message");
  }

  #receiveReliable(name: ReliableClass, body: Uint8Array): void {
    const reader = new ByteReader(body);
    const id = reader.u16();
    const flags = name === "bulk" ? reader.u8() : LAST_FRAGMENT;
    if (!reader.ok || flags > LAST_FRAGMENT) return this.reportViolation("bad-message");
    this.#takeReliable(name, { id, payload: reader.rest(), isLast: flags === LAST_FRAGMENT });
  }

  #takeReliable(name: ReliableClass, fragment: Fragment): void {
    if (this.#isClosed) return;
    const maxBytes = name === "bulk" ? this.#bulkBytes() : undefined;
    if (maxBytes === 0) return this.reportViolation("not-allowed");
    const deliver = (message: Uint8Array): void => {
      if (this.#isClosed) return;
      if (name === "bulk") this.#handlers.onBulk?.(message);
      else this.#handlers.onReliable(message);
    };
    const isRelayed = this.activeLink?.kind === "relayed";
    const dropped = this.#receiver.receiveFragment(name, fragment, isRelayed, deliver, maxBytes);
    if (dropped === "too-long") this.reportViolation(dropped);
    else if (dropped) this.drops.count(dropped);
  }

  #closedByRemote(body: Uint8Array): void {
    const close = readCloseBody(body);
    if (!close) return this.reportViolation("bad-message");
    this.#end(close, "remote");
  }

  #end(close: LinkClose, by?: "remote" | "violations"): void {
    this.#isClosed = true;
    this.#updates.every(0);
    this.#sender.stop();
    this.#receiver.stop();
    this.#links.end(close);
    if (by) this.#handlers.onClosed?.(close, by);
  }
}
