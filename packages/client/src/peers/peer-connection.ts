import {
  CloseCode,
  PacketFlag,
  PayloadKind,
  limits,
  readEvent,
  readPeerPayload,
  writePeerPayload,
  type Envelope,
  type IceServer,
  type PeerInfo,
  type PeerPayload,
} from "@paceline/protocol";
import {
  ReadAllowance,
  RelayedLink,
  Requests,
  Session,
  TokenBucket,
  type AnswerBudget,
  type BroadcastReceiver,
  type ChannelPolicyOf,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type BulkRate,
  type ByteBudget,
  type Cancel,
  type Scheduler,
  type Uplink,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import type { LinkTerms } from "./direct-path.js";
import { LazyDirectPath, type LoadDirectPath } from "./lazy-direct-path.js";
import { RateMeter } from "../stats/rate-meter.js";
import type { MessageLoss, Peer, PeerPath, PeerState } from "./peer.js";
import { Refusals } from "./refusals.js";

export interface PeerHandlers {
  onPayload(payload: PeerPayload): void;
  readonly onState: (body: Uint8Array, tick: number) => void;
  readonly onAcknowledged: (sequence: number) => void;
  onPathChange(reason: string): void;
  /** Called before a part of a bulk message is taken. */
  readonly onBulkPart: () => void;
  /**
   * Called when the pair starts again with another session, over which everything must be announced again.
   */
  onReset(loss: MessageLoss): void;
  /** Called when the pair has ended for good: the peer has left, or the pair has started again too often. */
  onEnded(): void;
  sendSignal(attempt: number, data: unknown): void;
}

/** This participant's session at the server, as the last welcome and the server's later messages say. */
export interface ServerFacts {
  /** Number of this session at the server and on the wire. */
  sessionNumber: number;
  iceServers: readonly IceServer[];
}

/** Parts of a room that its pairs use. */
export interface PairParts {
  readonly scheduler: Scheduler;
  readonly time: { readonly tick: number };
  readonly channel: ChannelPolicyOf;
  /** Makes WebRTC links in an environment without its own WebRTC. */
  readonly newLink: WebRtcLinkMaker | undefined;
  readonly loadDirectPath: LoadDirectPath;
  readonly budget: ByteBudget;
  readonly facts: ServerFacts;
  /** Present if peers send this participant only some of their states. */
  readonly cells?: object | undefined;
  /** Takes a new link and returns the link to use instead, for example a filtered one. */
  readonly interpose: (link: Link) => Link;
}

export interface PeerOptions {
  readonly parts: PairParts;
  readonly info: PeerInfo;
  readonly bulkRate: BulkRate;
  readonly answers: AnswerBudget;
  readonly handlers: PeerHandlers;
}

/**
 * Settings of the relayed link, the last resort. It lives as long as the link to the server, and needs no
 * proof. It has no heartbeat, because the server reports away peers; the room pings its relayed peers in
 * turn, only to measure.
 */
const relayedOptions: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Infinity,
  timeoutMs: Infinity,
  heartbeatMs: Infinity,
};
/** Heartbeat of the relayed link beside a direct one, ms, to compare the two: four times as long without doubt. */
const COMPARED_HEARTBEAT_MS = 1000;
/** Settings of direct links and those through TURN. They rank above the relay, the newest attempt first. */
const directOptions = { needsProof: true, timeoutMs: 1000, heartbeatMs: 250 } as const;
/** Periods of the plan's messages between pings that only measure. */
const MEASURE_PERIODS = 5;
const DIRECT_PREFERENCE = 10;

/** Requests of a peer that are answered at once: a path may bring those of two seconds together. */
const REQUEST_BURST = 2 * limits.requestsPerSecond;
const RETURN_PERIOD_MS = 500;
/**
 * Time after which a peer counts as stuck, ms, if its packets arrive but acknowledge nothing. Its queue must
 * not block others.
 */
const STUCK_MS = 20_000;
/** Pause before a pair starts again, ms. Doubles each time. */
const FIRST_RESET_MS = 1000;
/**
 * Additional pause of the side that did not end the session, ms. A packet of the other side ends the pause
 * early.
 */
const RESET_GRACE_MS = 1000;

/**
 * Pair of this participant and one peer. It has its own session, which is relayed at first and direct once
 * that is proven.
 */
export class PeerConnection implements Peer {
  readonly requests: Requests;
  readonly meter: RateMeter;
  readonly #scheduler: Scheduler;
  readonly #parts: PairParts;
  readonly #bulkRate: BulkRate;
  readonly #answers: AnswerBudget;
  readonly #info: PeerInfo;
  readonly #handlers: PeerHandlers;
  readonly #direct: LazyDirectPath;
  /** States that are still read of this peer, however often the pair starts again. */
  readonly #states: TokenBucket;
  /** Messages that are still read of this peer, over all links. */
  readonly #allowance: ReadAllowance;
  /** Packets and bytes that are still read of its direct links. The relay limits those that it forwards. */
  readonly #directPackets: TokenBucket;
  readonly #directBytes: TokenBucket;
  /** Number of requests that are still answered before the next {@link sample}. */
  #requestsLeft: number = REQUEST_BURST;
  #session: Session;
  /** Epoch of the session: the number of times that the pair has started again. */
  #epoch = 0;
  /** Pause before the pair starts again. `endsWithPacket`: a packet of the peer ends it early. */
  #pause: { readonly cancel: Cancel; readonly endsWithPacket: boolean } | undefined;
  #directLink: Link | undefined;
  #relayed: RelayedLink | undefined;
  #uplink: Uplink | undefined;
  #refusals = new Refusals();
  /** The path that was reported last. It may change during the life of a link. */
  #reportedChannel = "";
  #returnedAtMs = -Infinity;
  #absence: "unlinked" | "closed" | undefined;
  #hasWebRtc: boolean;
  #mayHaveWebRtc: boolean;
  /** Reason why there can be no direct link; undefined if there can be one. */
  #obstacle: string | undefined;

  constructor({ parts, info, handlers, bulkRate, answers }: PeerOptions) {
    const { scheduler } = parts;
    this.#parts = parts;
    this.#bulkRate = bulkRate;
    this.#answers = answers;
    this.#scheduler = scheduler;
    this.#info = info;
    this.#handlers = handlers;
    this.#absence = info.away ? "unlinked" : undefined;
    this.#hasWebRtc = info.webrtc;
    this.#mayHaveWebRtc = info.webrtc;
    this.requests = new Requests(scheduler, limits.requestsPerSecond);
    const { statesPerSecond, statesBurst, directPacketsPerSecond, directBytesPerSecond } = limits;
    this.#states = new TokenBucket(statesPerSecond, statesBurst, scheduler.nowMs());
    this.#allowance = new ReadAllowance(limits.messagesPerSecond, limits.messagesBurst, scheduler.nowMs());
    const oneSecond = (rate: number): TokenBucket => new TokenBucket(rate, rate, scheduler.nowMs());
    this.#directPackets = oneSecond(directPacketsPerSecond);
    this.#directBytes = oneSecond(directBytesPerSecond);
    this.meter = new RateMeter(scheduler.nowMs());
    this.#session = this.#newSession();
    this.#direct = new LazyDirectPath({
      ...parts,
      eventLifetimeMs: () => parts.channel("event").lifetimeMs,
      isInitiator: parts.facts.sessionNumber > info.number,
      iceServers: () => parts.facts.iceServers,
      sendSignal: (attempt, data) => handlers.sendSignal(attempt, inEpoch(data, this.#epoch)),
      attach: (link, terms) => this.#attachDirect(parts.interpose(link), terms),
      onLoadFailure: () => this.#reportPath(),
    });
  }

  #newSession(): Session {
    const { scheduler, channel, time, budget } = this.#parts;
    const { onState, onAcknowledged, onBulkPart } = this.#handlers;
    return new Session({
      scheduler,
      currentTick: () => time.tick,
      channel,
      answerPeriodMs: () => channel("command").periodMs,
      bulkBytes: () => {
        onBulkPart();
        return limits.bulkBytes;
      },
      bulkRate: this.#bulkRate,
      budget,
      answers: this.#answers,
      hasGaps: this.#parts.cells !== undefined,
      allowance: this.#allowance,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onBulk: (payload) => this.#receiveBulk(payload),
        onEvent: (body) => this.#receiveEvent(body),
        onState,
        onAcknowledged,
        onActiveLink: (link) => this.#linkActive(link),
        onLinkDown: (link, close) => this.#linkDown(link, close),
        onClosed: ({ code }, by) => this.#closed(code, by === "violations"),
      },
    });
  }

  get session(): Session {
    return this.#session;
  }

  get id(): string {
    return this.#info.id;
  }

  get number(): number {
    return this.#info.seat ?? this.#info.number;
  }

  /** Number of the peer's session at the server and on the wire. A reloaded page gets another one. */
  get sessionNumber(): number {
    return this.#info.number;
  }

  get state(): PeerState {
    const isHere = this.#absence === undefined || (this.#absence === "unlinked" && this.path !== "relay");
    return isHere ? "connected" : "away";
  }

  /**
   * Sets why the peer is absent: `unlinked` without a link to the server, `closed` with its page closed.
   * Undefined: it is back.
   */
  setAbsence(absence: "unlinked" | "closed" | undefined): void {
    this.#absence = absence;
  }

  get path(): PeerPath {
    if (this.session.activeLink?.kind !== "webrtc") return "relay";
    return this.#direct.path?.route?.isTurn ? "turn" : "direct";
  }

  get channel(): string {
    const link = this.session.activeLink;
    if (!link) return "none: the connection to the server is down";
    if (link.kind === "webrtc") {
      const { isTurn = false, protocol = "udp", note = "" } = this.#direct.path?.route ?? {};
      const over = `${isTurn ? "TURN over " : ""}${protocol.toUpperCase()}`;
      const isOrdered = this.#parts.channel("state").delivery === "ordered-reliable";
      const how = isOrdered ? "state in order, all of it" : "state unordered, without retransmission";
      return `WebRTC data channels, ${over}; ${how}${note}`;
    }
    const states =
      this.#uplink?.linkFor("state")?.kind === "webrtc" ? "states over WebRTC, the rest over " : "";
    return `${states}WebSocket to the server, relayed from there`;
  }

  get reason(): string {
    const link = this.session.activeLink;
    if (!link) return "no path: the connection to the server is down";
    if (link.kind === "webrtc") {
      const proven =
        this.path === "turn"
          ? "no direct path was found; a probe went both ways through a TURN server"
          : "a probe went both ways over a direct WebRTC link";
      const { choice, reason } = this.#direct.path?.choice ?? {};
      return (choice === "direct" && reason) || proven;
    }
    if (this.#obstacle) return this.#obstacle;
    if (this.#isDirectLeft) return this.#direct.path!.choice.reason;
    const failure = this.#direct.lastFailure;
    return failure
      ? `the direct link failed: ${failure}`
      : "the relay carries everything until a direct link is proven";
  }

  /** True if the direct link is open, and was left because the relay is better. */
  get #isDirectLeft(): boolean {
    return this.#direct.path?.choice.choice === "relay" && this.#directLink?.state === "open";
  }

  /** True while the relay carries the pair, and a direct link is still tried. */
  get awaitsDirect(): boolean {
    return this.path === "relay" && this.#obstacle === undefined && !this.#isDirectLeft;
  }

  /** True if it is known that there is no direct link: it is impossible, or an attempt has failed. */
  get isSettled(): boolean {
    return this.#obstacle !== undefined || this.#direct.lastFailure !== undefined;
  }

  get rttMs(): number | undefined {
    return this.session.rttMs;
  }

  get stats(): Peer["stats"] {
    const { jitterMs, pathLoss, outgoingLoss } = this.session;
    return {
      ...this.meter.rates,
      jitterMs,
      lossRatio: pathLoss?.ratio,
      outgoingLossRatio: outgoingLoss?.ratio,
      queuedBytes: this.session.queuedBytes,
    };
  }

  get drops(): Peer["drops"] {
    return this.session.drops.toRecord();
  }

  get hasWebRtc(): boolean {
    return this.#hasWebRtc;
  }

  set hasWebRtc(hasWebRtc: boolean) {
    this.#hasWebRtc = hasWebRtc;
    this.#mayHaveWebRtc ||= hasWebRtc;
  }

  /** True if the peer has ever had WebRTC. A peer that wants no direct links at present counts as well. */
  get mayHaveWebRtc(): boolean {
    return this.#mayHaveWebRtc;
  }

  /** Opens the path through the server. */
  relayOver(uplink: Uplink): void {
    this.relayLost();
    this.#uplink = uplink;
    if (this.#pause) return;
    const [scheduler, epoch] = [this.#scheduler, this.#epoch];
    this.#relayed = new RelayedLink({ scheduler, uplink, peerNumber: this.sessionNumber, epoch });
    const isCompared = (): boolean => this.#directLink?.state === "open";
    const isInDoubt = (): boolean => this.#direct.path?.choice.isInDoubt === true;
    this.session.attach(this.#relayed, {
      ...relayedOptions,
      get heartbeatMs() {
        return isCompared() ? COMPARED_HEARTBEAT_MS : relayedOptions.heartbeatMs;
      },
      get isMeasuredIdle() {
        return isInDoubt();
      },
    });
  }

  /** Closes the path through the server. A direct path continues. */
  relayLost(): void {
    this.#relayed?.close(CloseCode.timeout, "the connection to the server is down");
    this.#relayed = undefined;
    this.#uplink = undefined;
  }

  /** Sends relayed messages again, because the peer has a new link to the server. */
  returned(): void {
    const nowMs = this.#scheduler.nowMs();
    // The limit stops a peer that reconnects all the time from making others send all the time.
    if (this.path !== "relay" || nowMs - this.#returnedAtMs < RETURN_PERIOD_MS) return;
    this.#returnedAtMs = nowMs;
    this.session.repeat();
  }

  /**
   * Returns the relayed link for an envelope of this peer, or undefined if it is of another epoch of the
   * pair.
   */
  admit({ packet, epoch = 0, firstIds }: Envelope): RelayedLink | undefined {
    // A shared packet is the same for all peers, and belongs to no session.
    return this.#checkEpoch(epoch) || (!firstIds && isPublished(packet)) ? this.#relayed : undefined;
  }

  /** Receiver of messages to several peers; undefined if this peer gets them by its own session only. */
  get broadcastReceiver(): BroadcastReceiver | undefined {
    const { relayedState: link, session, sessionNumber: number } = this;
    return link && this.#epoch === 0 ? { number, session, link } : undefined;
  }

  /** The relayed link if it carries the states; otherwise undefined. */
  get relayedState(): RelayedLink | undefined {
    return this.session.activeLink === this.#relayed ? this.#relayed : undefined;
  }

  /** Allows a direct link, or forbids it for the reason `obstacle`. */
  allowDirect(obstacle: string | undefined): void {
    const isNews = obstacle !== this.#obstacle;
    this.#obstacle = obstacle;
    this.#direct.allow(obstacle === undefined && !this.#pause);
    if (isNews && this.path === "relay") this.#reportPath();
  }

  signal(attempt: number, data: unknown): void {
    if (this.#checkEpoch(epochOf(data))) this.#direct.signal(attempt, data);
  }

  killDirect(): void {
    this.#direct.path?.kill();
  }

  /** Sends a message. Returns its id, for `isAcknowledged` of {@link Session.commands}. */
  send(payload: PeerPayload): number {
    return this.session.sendReliable(writePeerPayload(payload));
  }

  /** Sends messages that belong together. Returns the id of the last one. */
  sendAll(payloads: readonly PeerPayload[]): number {
    return this.session.sendAllReliable(payloads.map(writePeerPayload));
  }

  /** Sends messages that the peer has caused: all pairs share a budget of them. Returns the id of the last one. */
  answer(payloads: readonly PeerPayload[]): number {
    return this.session.answer(payloads.map(writePeerPayload));
  }

  /** Returns true if one more request of this peer may be answered. Otherwise counts a drop. */
  takeRequest(): boolean {
    if (this.#requestsLeft === 0) {
      this.session.drops.count("rate-limit");
      return false;
    }
    this.#requestsLeft -= 1;
    return true;
  }

  /** Returns true if so many more states of this peer may be read. */
  takeStates(states: number): boolean {
    return this.#states.take(states, this.#scheduler.nowMs());
  }

  /** Charges items of a list that is being read of this peer. */
  chargeItems(items: number): void {
    this.#allowance.chargeItems(items);
  }

  /** Sends an answer to the peer's own packets. If the peer's queue is full, drops it and returns false. */
  trySend(payload: PeerPayload): boolean {
    const { session } = this;
    const bytes = writePeerPayload(payload);
    if (session.isClosed) return false;
    const hasRoom = session.commands.hasRoom([bytes], limits.sessionQueueBytes);
    if (hasRoom) session.answer([bytes]);
    else session.drops.count("queue-full");
    return hasRoom;
  }

  reply(payload: PeerPayload): void {
    if (!this.session.isClosed) this.answer([payload]);
  }

  /** Updates the rates once a second, and reviews the choice of the path. */
  sample(nowMs: number): void {
    this.#requestsLeft = Math.min(REQUEST_BURST, this.#requestsLeft + limits.requestsPerSecond);
    const { session } = this;
    const choice = this.#direct.path?.choice;
    const [direct, relay] = [session.readingOf(this.#directLink), session.readingOf(this.#relayed)];
    if (choice?.observe(direct, relay, nowMs)) session.reconsider(choice.reason);
    if (session.stuckMs > STUCK_MS)
      this.restart("sends messages, and acknowledges nothing that is sent to it");
    const refusal = this.#refusals.review(this.session, nowMs, 1 / 2 ** this.#epoch);
    if (refusal !== undefined) this.restart(refusal);
    for (const link of [this.session.activeLink, this.#relayed]) if (link) this.meter.take(link);
    this.meter.sample(nowMs);
    // ICE may have moved a link from TURN to a direct path, or the uplink may have another link.
    if (this.channel !== this.#reportedChannel) this.#reportPath();
  }

  networkChanged(): void {
    this.#direct.path?.networkChanged();
  }

  end(reason: string): void {
    this.#pause?.cancel();
    this.#direct.end(reason);
    this.requests.failAll("transport/closed", "the peer has left");
    this.session.close(CloseCode.left, reason);
  }

  /** Records that the full queue to this peer refused a message of the game. */
  refuse(): void {
    this.#refusals.refused(this.session, this.#scheduler.nowMs());
  }

  /** Records a refused bulk message. */
  refuseBulk(): void {
    this.#refusals.refusedBulk(this.session, this.#scheduler.nowMs());
  }

  /**
   * True if the pair has started again and the peer has taken nothing since. Such a pair gets no further
   * time.
   */
  get isUnproven(): boolean {
    return this.#epoch > 0 && this.session.commands.acknowledgedBytes === 0;
  }

  /** Ends the session, so that the pair starts again. */
  restart(reason: string): void {
    if (this.session.isClosed) return;
    this.session.close(CloseCode.tooSlow, reason);
    this.#closed(CloseCode.tooSlow, true);
  }

  get loss(): MessageLoss {
    return { unacknowledged: this.session.unacknowledgedOf(PayloadKind.command) };
  }

  /** Handles the end of the session. A peer that leaves closes it with `left`. */
  #closed(code: number, isOurs: boolean): void {
    if (code === CloseCode.left || this.#epoch >= limits.lastEpoch) return this.#handlers.onEnded();
    const pauseMs = FIRST_RESET_MS * 2 ** this.#epoch;
    this.#reset(this.#epoch + 1);
    const cancel = this.#scheduler.after(pauseMs + (isOurs ? 0 : RESET_GRACE_MS), () => this.#begin());
    this.#pause = { cancel, endsWithPacket: !isOurs };
  }

  /**
   * Handles an epoch that the peer has sent. A later one starts the pair again. Returns true if it is the
   * present one.
   */
  #checkEpoch(epoch: number): boolean {
    if (epoch > this.#epoch && !this.#pause) {
      this.session.close(CloseCode.replaced, "the pair began again");
      this.#reset(epoch);
      this.#begin();
    } else if (epoch === this.#epoch && this.#pause?.endsWithPacket) this.#begin();
    return epoch === this.#epoch && !this.#pause;
  }

  /**
   * Starts another session, which takes the game's messages at once and sends them when the pair starts
   * again.
   */
  #reset(epoch: number): void {
    const { loss } = this;
    this.#direct.allow(false);
    this.#directLink = undefined;
    this.#relayed = undefined;
    this.requests.failAll("transport/closed", "the pair of players began again");
    this.#epoch = epoch;
    this.#refusals = new Refusals();
    this.#session = this.#newSession();
    this.#handlers.onReset(loss);
  }

  #begin(): void {
    this.#pause?.cancel();
    this.#pause = undefined;
    if (this.#uplink) this.relayOver(this.#uplink);
    this.#direct.allow(this.#obstacle === undefined);
  }

  #linkActive(link: Link | undefined): void {
    if (link) this.#direct.path?.linkActive(link);
    this.#reportPath();
  }

  #reportPath(): void {
    this.#reportedChannel = this.channel;
    this.#handlers.onPathChange(this.reason);
  }

  #attachDirect(link: Link, { rank, deadlineMs }: LinkTerms): void {
    this.#directLink = link;
    const isWorse = (): boolean => this.#direct.path?.choice.choice === "relay";
    const { channel } = this.#parts;
    this.session.attach(link, {
      ...directOptions,
      connectTimeoutMs: deadlineMs,
      admits: (packetBytes) => this.#admitsDirect(packetBytes),
      get measureMs() {
        return Math.max(directOptions.heartbeatMs, MEASURE_PERIODS * channel("command").periodMs);
      },
      get preference() {
        return (isWorse() ? relayedOptions.preference - 1 : DIRECT_PREFERENCE) + rank / 1000;
      },
    });
  }

  #admitsDirect(packetBytes: number): boolean {
    const nowMs = this.#scheduler.nowMs();
    return this.#directPackets.take(1, nowMs) && this.#directBytes.take(packetBytes, nowMs);
  }

  #receive(payload: Uint8Array): void {
    const read = readPeerPayload(payload, this.#allowance.chargeItems);
    if (read) this.#handlers.onPayload(read);
    else this.session.reportViolation("bad-message");
  }

  /** Handles a bulk message. Only commands may come as bulk. */
  #receiveBulk(payload: Uint8Array): void {
    if (payload[0] === PayloadKind.command) this.#receive(payload);
    else this.session.reportViolation("bad-message");
  }

  #receiveEvent(body: Uint8Array): void {
    const event = readEvent(body, this.#allowance.chargeItems);
    if (event) this.#handlers.onPayload(event);
    else this.session.reportViolation("bad-message");
  }

  #linkDown(link: Link, close: LinkClose): void {
    this.meter.take(link);
    this.#direct.path?.linkDown(link, close);
  }
}

/** Adds the epoch to a signal, because a direct link belongs to a session. Epoch 0 is left out. */
function inEpoch(data: unknown, epoch: number): unknown {
  return epoch === 0 ? data : { ...(data as object), epoch };
}

function epochOf(data: unknown): number {
  const epoch = (data as { readonly epoch?: unknown } | null | undefined)?.epoch ?? 0;
  return Number.isInteger(epoch) && (epoch as number) <= limits.lastEpoch ? (epoch as number) : -1;
}

function isPublished(packet: Uint8Array): boolean {
  return ((packet[0] ?? 0) & PacketFlag.published) !== 0;
}
