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
import type { PathReading } from "../live/path-choice.js";
import type { Scheduler } from "../scheduler.js";
import { Receiver } from "./receiver.js";
import { readCloseBody, writeCloseBody } from "./close-body.js";
import { DropCounters } from "./drop-counters.js";
import type { LinkMonitor, LinkMonitorOptions } from "./links/link-monitor.js";
import type { LossReading } from "./path-loss.js";
import type { Outbox, OutboxCounters } from "./outbox/outbox.js";
import type { Fragment, ReliableClass, ReliableQueueView } from "./outbox/reliable-queue.js";
import { LAST_FRAGMENT, MAX_EVENT_BYTES, assertBytes } from "./outbox/payload-limits.js";
import { PONG_BYTES, pongTo, readPong } from "./pong.js";
import type { SessionHandlers, SessionOptions } from "./session-options.js";
import { Sender, type StateMoment } from "./sender.js";
import { SessionLinks } from "./links/session-links.js";
import { SharedInterval } from "./shared-timer.js";

/** Period at which links and queues are looked after. */
const UPDATE_PERIOD_MS = 50;
/** The period while all links work and nothing waits: a server has one such timer for all who play. */
const STEADY_PERIOD_MS = 250;
/** It may wait for a wake-up that comes anyway, such as that of the next input. */
const UPDATE_SLACK_MS = 10;
/**
 * Unacknowledged messages are repeated on a living link only where it did not deliver them itself: a relayed one
 * does not while the other participant is away from the server.
 */
const REPEAT_AFTER_MS = 1500;
/** After this silence, ms, the other side may be away: its missing receipts say nothing about the link. */
const MAX_SILENCE_MS = 3000;
const VIOLATION_LIMIT = 50;
/** Messages that a datagram link sends once; others are repeated until they arrive or have lived for long enough. */
const unrepeatedKinds: ReadonlySet<MessageKind> = new Set([
  MessageKind.state,
  MessageKind.input,
  MessageKind.ping,
  MessageKind.pong,
]);
/** Messages that answer themselves. */
const probeKinds: ReadonlySet<MessageKind> = new Set([MessageKind.ping, MessageKind.pong]);

/**
 * A logical connection to one other participant or to the server, over links that come and go. Reliable messages
 * are numbered here and kept until acknowledged: when a link dies, what was unacknowledged is sent again over the
 * next one, and what arrives twice is dropped. Traffic goes over the best link that is proven.
 */
export class Session {
  readonly drops: DropCounters;
  readonly #scheduler: Scheduler;
  readonly #handlers: SessionHandlers;
  readonly #links: SessionLinks;
  readonly #sender: Sender;
  readonly #bulkBytes: () => number;
  readonly #receiver: Receiver;
  readonly #channel: SessionOptions["channel"];
  /** Stopped while there is nothing to look after. */
  readonly #updates: SharedInterval;
  #nonce = 0;
  #isClosed = false;
  #violations = 0;
  #windowEndsAtMs = 0;
  /** Pongs of the last moments: they leak away at the rate of the limit. */
  #pongs = 0;
  #pongAtMs = 0;

  constructor(options: SessionOptions) {
    this.drops = options.drops ?? new DropCounters();
    this.#scheduler = options.scheduler;
    this.#handlers = options.handlers;
    this.#channel = options.channel;
    this.#bulkBytes = options.bulkBytes ?? (() => 0);
    this.#updates = new SharedInterval(this.#scheduler, () => this.#update(), UPDATE_SLACK_MS);
    this.#receiver = new Receiver(this.#scheduler, (trafficClass) => this.#sender.sendAcks(trafficClass));
    this.#sender = new Sender({
      ...options,
      linkFor: (trafficClass) => this.linkFor(trafficClass),
      currentTick: options.currentTick ?? (() => 0),
      takeAcks: (mayBeLost, nowMs) => this.#receiver.takeAcks(mayBeLost, nowMs),
      onArrived: (number) => this.#handlers.onAcknowledged?.(number),
    });
    this.#links = new SessionLinks({
      scheduler: this.#scheduler,
      onPacket: this.receive,
      ping: (monitor) => this.#ping(monitor, this.#scheduler.nowMs()),
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

  readonly #countUnknown = (): void => this.drops.count("unknown-kind");

  /** Takes a packet that came over one of this session's links; of any other link it takes none. */
  readonly receive = (bytes: Uint8Array, link: Link): void => {
    const monitor = this.#isClosed ? undefined : this.#links.monitorOf(link);
    if (!monitor) return;
    // Browsers take about a microsecond for a reading of their clock, so all steps share this one.
    const nowMs = this.#scheduler.nowMs();
    if (isRouted(bytes) && this.#handlers.onRouted) {
      monitor.heard(nowMs);
      return this.#handlers.onRouted(bytes, link);
    }
    const packet = readPacket(bytes);
    if (typeof packet === "string") return this.reportViolation(packet);
    const messages = readMessages(packet, this.#countUnknown);
    if (typeof messages === "string") return this.reportViolation(messages);
    monitor.heard(nowMs);
    const isTimely = this.#acceptPacket(packet, messages, link, nowMs);
    if (isTimely === undefined) return;
    let pings = 0;
    for (const message of messages) {
      if (this.#isClosed) return;
      const { kind } = message;
      const isWrong = packet.isPublished
        ? kind !== MessageKind.state && kind !== MessageKind.event
        : // A pong takes a packet of its own: many pings in one packet would draw many packets.
          kind === MessageKind.ping && pings++ > 0;
      if (isWrong) this.reportViolation("bad-message");
      else this.#receiveMessage(message, packet, isTimely, monitor, nowMs);
    }
  };

  /** Returns whether the packet came in time; undefined if it came before or is outdated, and is dropped. */
  #acceptPacket(
    packet: Packet,
    messages: readonly Message[],
    link: Link,
    nowMs: number,
  ): boolean | undefined {
    // On a link that loses packets the sender measures loss, so it needs an ack of every one.
    const needsAck = losesPackets(link) || messages.some(({ kind }) => !probeKinds.has(kind));
    const novelty = this.#receiver.accept(packet, needsAck, this.#isUnrepeated(messages, link));
    if (novelty === "duplicate" || novelty === "outdated") {
      this.drops.count(novelty);
      return undefined;
    }
    if (!packet.isPublished && !this.#sender.acknowledge(packet, nowMs)) this.reportViolation("bad-message");
    return novelty === "new";
  }

  /** The link that carries the traffic now. */
  get activeLink(): Link | undefined {
    return this.#links.active?.link;
  }

  /** The link that carries traffic of this class now. */
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
   * When pings over the active link were sent that have no answer yet, for how long nothing came over it, and when one
   * more packet was last heard to have arrived; without what waits for this page's own loop.
   */
  get unanswered(): {
    readonly pingsSentMs: readonly number[];
    readonly silentMs: number;
    readonly acknowledgedAtMs: number;
  } {
    const { active } = this.#links;
    const nowMs = this.#scheduler.nowMs();
    const pingsSentMs = active?.openPings.filter((sentMs) => !this.#links.wasLate(sentMs, nowMs)) ?? [];
    const silentMs = active?.heardMs(nowMs) ?? 0;
    const { acknowledgedAtMs } = this.#sender;
    const isLate = this.#links.wasLate(nowMs - silentMs, nowMs);
    return { pingsSentMs, silentMs: isLate ? 0 : silentMs, acknowledgedAtMs };
  }

  /** Incoming loss on this session's unreliable link; undefined while it carries too little. */
  get pathLoss(): LossReading | undefined {
    return this.#receiver.loss.reading;
  }

  /** Outgoing loss by the other side's acks. */
  get outgoingLoss(): LossReading | undefined {
    return this.#sender.loss.reading;
  }

  /** All links there are. */
  get links(): Iterable<Link> {
    return this.#links.all;
  }

  /** Measurements of one of this session's links; undefined without any. */
  readingOf(link: Link | undefined): PathReading | undefined {
    return this.#links.readingOf(link);
  }

  /** The preference of a link has changed: traffic goes to what is the best link now. */
  reconsider(reason: string): void {
    if (!this.#isClosed) this.#links.choose(reason);
  }

  /** The messages of {@link sendReliable} without receipt. */
  get commands(): ReliableQueueView {
    return this.#sender.reliable.command;
  }

  /** The messages of {@link sendBulk} without receipt. */
  get bulk(): ReliableQueueView {
    return this.#sender.reliable.bulk;
  }

  /**
   * Messages without receipt, reliable and bulk, whose payload begins with that byte. Of a session that has ended: those
   * that may not have arrived.
   */
  unacknowledgedOf(payloadKind: number): number {
    const { command, bulk } = this.#sender.reliable;
    return command.pending.filter(({ payload }) => payload[0] === payloadKind).length + bulk.length;
  }

  /** About what the session keeps in memory, in both directions, because of what the other side does or does not do. */
  get heldBytes(): number {
    return this.#sender.heldBytes + this.#sender.queuedBytes + this.#receiver.heldBytes;
  }

  /** Bytes on this side that wait for the links which carry the traffic: here, and in their sockets. */
  get queuedBytes(): number {
    return this.#sender.queuedBytes + this.linkBytes;
  }

  /**
   * Bytes before a further state: here, and in the socket that carries states. Data channels are not asked, since each
   * answer is a call into native code, and states without room in theirs wait here.
   */
  get bytesBeforeStates(): number {
    const link = this.linkFor("state");
    return this.#sender.queuedBytes + (link && link.kind !== "webrtc" ? link.queuedBytes : 0);
  }

  /** Bytes that the sockets have taken. */
  get linkBytes(): number {
    const { active, unreliable } = this.#links;
    return (
      (active?.link.queuedBytes ?? 0) + (unreliable === active ? 0 : (unreliable?.link.queuedBytes ?? 0))
    );
  }

  /** The fate of packets that did not leave. */
  get queueCounters(): Readonly<OutboxCounters> {
    return this.#sender.counters;
  }

  /** Time in which the other side was heard without a new receipt, ms; 0 while it is silent. */
  get stuckMs(): number {
    const { active } = this.#links;
    const nowMs = this.#scheduler.nowMs();
    return active && active.heardMs(nowMs) < MAX_SILENCE_MS
      ? this.#sender.reliable.command.stuckMs(nowMs)
      : 0;
  }

  /** Whether so much waits for a receipt that what can wait should. */
  get isBacklogged(): boolean {
    const { unacknowledgedMessages, sessionQueueBytes } = limits;
    const { length, bytes } = this.#sender.reliable.command;
    return length >= unacknowledgedMessages / 2 || bytes >= sessionQueueBytes / 2;
  }

  /** Adds a link; it is used once it is open and, where that is asked for, a probe has gone both ways. */
  attach(link: Link, options: LinkMonitorOptions): void {
    if (this.#isClosed) {
      link.close(CloseCode.left, "the session has ended");
      return;
    }
    this.#updateEvery(UPDATE_PERIOD_MS);
    this.#links.attach(link, options);
  }

  /** Bears silence for at least so long on every link, as of a page that sleeps; 0: each link's own timeout. */
  setMinTimeout(minTimeoutMs: number): void {
    this.#links.minTimeoutMs = minTimeoutMs;
  }

  /**
   * Sends a message that arrives exactly once and in order. Throws {@link ConfigError} where it is too long and
   * {@link NetError} where the session has ended or too many wait. Returns the message's number.
   * @param periodMs how long the message may wait for others to share its packet; 0 without it, or as the channel says
   */
  sendReliable(payload: Uint8Array, periodMs?: number): number {
    return this.sendAllReliable([payload], periodMs);
  }

  /** Sends several reliable messages in as few packets as possible. Returns the number of the last. */
  sendAllReliable(payloads: readonly Uint8Array[], periodMs?: number): number {
    if (this.#isClosed) throw new NetError("session/ended", "the session has ended");
    this.#startUpdates();
    return this.#sender.addCommands(payloads, periodMs);
  }

  /**
   * Numbers a message of {@link sendReliable} that the caller sends, to this and other receivers in one envelope: see
   * {@link Broadcast}. Undefined where it has to go by {@link sendReliable}, since others before it have not left.
   */
  addBroadcast(payload: Uint8Array): number | undefined {
    if (this.#isClosed) throw new NetError("session/ended", "the session has ended");
    this.#startUpdates();
    return this.#sender.addBroadcast(payload);
  }

  /** Takes what the other side has sent to several receivers at once; `firstId`: of the first of its messages. */
  receiveBroadcast(link: Link, firstId: number, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const payloads = readPayloads(bytes);
    if (!payloads) return this.reportViolation("length");
    this.#links.monitorOf(link)?.heard(this.#scheduler.nowMs());
    for (const [index, payload] of payloads.entries()) {
      const id = (firstId + index) & (SEQUENCE_MODULUS - 1);
      this.#takeReliable("command", { id, payload, isLast: true });
    }
  }

  /** Sends all that has no receipt again at once: what was sent to the other side was lost on the way. */
  repeat(): void {
    this.#sender.repeat();
  }

  /**
   * Sends a message that arrives exactly once and in order among its like, and that yields to all else. Throws
   * {@link ConfigError} where it is longer than `limits.bulkBytes` and {@link NetError} as {@link sendReliable} does.
   */
  sendBulk(payload: Uint8Array): void {
    this.checkBulk(payload);
    this.#startUpdates();
    this.#sender.addBulk(payload);
  }

  /** Throws what {@link sendBulk} would. */
  checkBulk(payload: Uint8Array, maxBytes: number = limits.bulkBytes): void {
    if (this.#isClosed) throw new NetError("session/ended", "the session has ended");
    assertBytes("message", payload.length, maxBytes);
    this.#sender.reliable.bulk.check([payload]);
  }

  /**
   * Sends a message that may be lost, and that is dropped where it could not be sent within `lifetimeMs`; it is not sent
   * at all while no link is usable. It waits for `periodMs` at most for others to share its packet.
   */
  sendEvent(body: Uint8Array, lifetimeMs?: number, periodMs?: number): void {
    if (!this.#isClosed && this.linkFor("event")) this.#sender.addEvent(body, lifetimeMs, periodMs);
    else assertBytes("event", body.length, MAX_EVENT_BYTES);
  }

  /**
   * Sends a body of states that may be lost, and that a newer packet with the same `key` replaces while it is unsent
   * (0: none does). Returns the state's number, of which {@link SessionHandlers.onAcknowledged} speaks; undefined
   * where no link is usable and nothing was sent. `head` goes before the body: for what many receivers get alike.
   * `moment`: by default the session's tick and its clock's time. Throws {@link ConfigError} where it is too long: a
   * link that brings all in order takes more than others.
   */
  sendState(body: Uint8Array, key = 0, head?: Uint8Array, moment?: StateMoment): number | undefined {
    this.#startUpdates();
    return this.#sender.addState(body, key, head, moment);
  }

  /** Whether states take much longer than the path needs: they stand in a queue somewhere. */
  isStateSlow(nowMs: number): boolean {
    return this.#sender.isStateSlow(nowMs);
  }

  /** Whether a state would leave at once, and not wait for the path. */
  get takesStates(): boolean {
    return this.#sender.takesStates;
  }

  /** Sends the inputs of the last ticks, in place of older ones that are unsent; to nobody while no link is usable. */
  sendInput(body: Uint8Array): void {
    this.#sender.addInput(body);
  }

  /** The queue of the session's own links: it takes whole packets, of other sessions or for many receivers. */
  get outbox(): Outbox {
    return this.#sender.outbox;
  }

  /** Sends at once what waits for others to share its packet. */
  flush(): void {
    this.#sender.flush();
  }

  /** The other side has said its whole tick: those of its packets are taken as near to the newest one. */
  observeTick(tick: number): void {
    this.#receiver.observeTick(tick);
  }

  /** Pings over the active link at once, besides those that the session sends by itself. */
  ping(): void {
    const { active } = this.#links;
    if (active) this.#ping(active, this.#scheduler.nowMs());
  }

  /** Counts malformed input, also such as the owner found; whoever keeps sending it is cut off. Forgiven at one a second. */
  reportViolation(reason: DropReason): void {
    this.drops.count(reason);
    this.#startUpdates();
    this.#violations += 1;
    if (this.#violations < VIOLATION_LIMIT || this.#isClosed) return;
    const close = { code: CloseCode.protocolViolation, reason: `malformed packets, last: ${reason}` };
    this.#sendCloseAndEnd(close, "violations");
  }

  /** Ends the session: tells the other side, closes every link. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.flush();
    this.#sendCloseAndEnd({ code, reason });
  }

  #sendCloseAndEnd(close: LinkClose, by?: "violations"): void {
    try {
      this.#sender.sendNow(this.activeLink, "command", MessageKind.close, writeCloseBody(close));
    } finally {
      this.#end(close, by);
    }
  }

  /** The traffic goes over another link: what was unacknowledged goes over it again. */
  #moved(link: Link | undefined, reason: string): void {
    this.#handlers.onActiveLink?.(link, reason);
    if (this.activeLink === link) this.repeat();
  }

  /** Looks after links and queues from now on, until both are quiet: a room has many sessions, most of them idle. */
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

  /** Whether the link that carries only what may be lost will do. */
  #usesUnreliable(trafficClass: TrafficClassName): boolean {
    if (!mayBeLost(trafficClass)) return false;
    return !this.#channel || this.#channel(trafficClass).links.includes("webrtc");
  }

  #ping(monitor: LinkMonitor, nowMs: number): void {
    // The lateness of this page while the ping is under way must be known.
    this.#updateEvery(UPDATE_PERIOD_MS);
    this.#nonce = nextSequence(this.#nonce);
    const { isDoubtful, link } = monitor;
    monitor.pinged(this.#nonce, nowMs);
    const body = new ByteWriter(2).u16(this.#nonce).view();
    this.#sender.sendProbe(link, MessageKind.ping, body, isDoubtful);
  }

  /**
   * Whether nobody repeats a packet, so that it shows the loss of the datagram link in use; undefined while there is none.
   * What a relay drops was replaced by something newer.
   */
  #isUnrepeated(messages: readonly Message[], link: Link): boolean | undefined {
    const inUse = this.#links.unreliable?.link;
    if (!inUse || !losesPackets(inUse)) return undefined;
    if (link !== inUse) return false;
    // Packets without a message answer something: states as they came, all else in order.
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
        // Too old to tell whether it came before: an event may be lost but never repeated.
        if (!isTimely) return this.drops.count("outdated");
        return this.#handlers.onEvent?.(body);
      case MessageKind.state: {
        const tick = this.#receiver.tickOf(packet, nowMs);
        if (typeof tick === "number") return this.#handlers.onState?.(body, tick, nowMs);
        return tick === "bad-message" ? this.reportViolation(tick) : this.drops.count(tick);
      }
      case MessageKind.input:
        return this.#handlers.onInput?.(body);
      case MessageKind.bulk:
        return this.#receiveReliable("bulk", body);
      case MessageKind.ping:
        return this.#receivePing(body, monitor);
      case MessageKind.pong:
        return this.#receivePong(body, monitor);
      case MessageKind.close:
        return this.#closedByRemote(body);
    }
  }

  #receivePing(body: Uint8Array, { link }: LinkMonitor): void {
    if (body.length !== 2) return this.reportViolation("bad-message");
    this.#startUpdates();
    const nowMs = this.#scheduler.nowMs();
    const seconds = (nowMs - this.#pongAtMs) / 1000;
    this.#pongs = Math.max(0, this.#pongs - seconds * limits.pongsPerSecond);
    this.#pongAtMs = nowMs;
    if (this.#pongs + 1 > limits.pongsPerSecond) return this.drops.count("rate-limit");
    this.#pongs += 1;
    this.#sender.sendProbe(link, MessageKind.pong, pongTo(body, nowMs));
  }

  #receivePong(body: Uint8Array, monitor: LinkMonitor): void {
    if (body.length !== PONG_BYTES) return this.reportViolation("bad-message");
    const receivedMs = this.#scheduler.nowMs();
    const pong = readPong(body);
    const ping = monitor.answered(pong.number, receivedMs);
    if (!ping) return;
    const { sentAtMs: sentMs, isProof } = ping;
    const wasLate = this.#links.wasLate(sentMs, receivedMs);
    monitor.took(receivedMs - sentMs, wasLate);
    if (isProof) this.#links.choose("probe answered");
    this.#handlers.onPong?.({ sentMs, remoteMs: pong.remoteMs, receivedMs, wasLate }, monitor.link);
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
