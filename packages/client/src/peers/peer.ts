import {
  CloseCode,
  PacketFlag,
  PayloadKind,
  limits,
  readEvent,
  readPeerPayload,
  writePeerPayload,
  type DropReason,
  type Envelope,
  type IceServer,
  type PeerInfo,
  type PeerPayload,
} from "@paceline/protocol";
import {
  MAX_PAYLOAD_BYTES,
  RelayedLink,
  Requests,
  Session,
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
import type { PathQuality } from "../paths/path-stats.js";
import { RateMeter, type PeerRates } from "../paths/rate-meter.js";

/** Calls from a peer to its room. */
export interface PeerHandlers {
  onPayload(payload: PeerPayload): void;
  readonly onState: (body: Uint8Array, tick: number) => void;
  readonly onAcknowledged: (sequence: number) => void;
  onPathChange(reason: string): void;
  /** The pair begins again: another session, and whatever was said in the old one is to be said again. */
  onReset(loss: MessageLoss): void;
  /** The pair has ended for good: the peer left, or it has begun again too often. */
  onEnded(): void;
  sendSignal(attempt: number, data: unknown): void;
}

/** The parts of a room that its pairs use. Functions stand for what may change, or is created later. */
export interface PairParts {
  readonly scheduler: Scheduler;
  readonly time: { readonly tick: number };
  /** The plan's policy of a class of traffic. */
  readonly channel: ChannelPolicyOf;
  /** Makes WebRTC links where the environment has none of its own. */
  readonly newLink: WebRtcLinkMaker | undefined;
  readonly loadDirectPath: LoadDirectPath;
  readonly budget: () => ByteBudget;
  /** This participant's session, as the server and the wire know it. */
  readonly sessionNumber: () => number;
  readonly iceServers: () => readonly IceServer[];
  /** There is a new link; returns it. */
  readonly interpose: (link: Link) => Link;
}

export interface PeerOptions {
  readonly parts: PairParts;
  readonly info: PeerInfo;
  readonly bulkRate: BulkRate;
  readonly handlers: PeerHandlers;
}

/** Messages that an ended session leaves unacknowledged. */
export interface MessageLoss {
  /**
   * Messages of {@link Room.send} that were accepted and have no receipt: the last ones that were sent. All before them
   * have arrived; these may have.
   */
  readonly unacknowledged: number;
}

/** Whether anything reaches a peer. */
export type PeerState = "connected" | "away";

/** Ways to a peer, the best one first. */
export type PeerPath = "direct" | "turn" | "relay";

/** Another participant of the room, as a game sees it. */
export interface Peer {
  /** Unchanged for as long as the player keeps its seat, also after a reload. */
  readonly id: string;
  /** Given by the server in the order of joining, to nobody else while the room lives; as lasting as {@link id}. */
  readonly number: number;
  /** `away`: its page was closed or sleeps, or nothing reaches it. It may come back, and leaves otherwise. */
  readonly state: PeerState;
  /**
   * The path to this peer now: direct, through a TURN server, or through the relay; `server` in a room
   * with an authority, with whom alone one talks there.
   */
  readonly path: PeerPath | "server";
  /** The path in the words of its transport. */
  readonly channel: string;
  /** Why this path, in a sentence. */
  readonly reason: string;
  /** Round trip over the present path, ms; undefined before it was measured. */
  readonly rttMs: number | undefined;
  readonly stats: PeerRates & PathQuality;
  /** Counts of dropped data of this peer, by reason. */
  readonly drops: Partial<Record<DropReason, number>>;
}

/**
 * The relay is the last resort: it is there as long as the server is, and needs no proof. The server says who is away, so
 * nothing has to be asked: the room pings its relayed peers in turn, for the round trip alone.
 */
const relayedOptions: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Number.POSITIVE_INFINITY,
  timeoutMs: Number.POSITIVE_INFINITY,
  heartbeatMs: Number.POSITIVE_INFINITY,
};
/** Beside a direct link it is compared with that one. */
const COMPARED_HEARTBEAT_MS = 1000;
/** Direct and through TURN: above the relay, the newest attempt first. */
const directOptions = { needsProof: true, timeoutMs: 1000, heartbeatMs: 250 } as const;
const DIRECT_PREFERENCE = 10;

const RETURN_PERIOD_MS = 500;
/** A peer that is heard, but gives no receipt for so long, never will; what waits for it must not keep others waiting. */
const STUCK_MS = 20_000;
/**
 * A pair that refuses messages of the game, and in so long does not take what its queue holds, begins again: a send to all
 * is refused for all. Longer than a cut that heals by itself. Half as long, for half as much, each further time.
 */
const REFUSING_MS = 10_000;
/** A pair with room that has refused nothing for so long takes messages again. */
const TAKING_MS = 2000;
const LONGEST_MESSAGE = new Uint8Array(MAX_PAYLOAD_BYTES);
/** Until a pair begins again; doubled each time. */
const FIRST_RESET_MS = 1000;
/** The side that did not end it waits for the other's first packet, but no longer than this besides. */
const RESET_GRACE_MS = 1000;

/** The pair of this participant and one other: a session of its own, relayed at first, direct once that is proven. */
export class PeerConnection implements Peer {
  readonly requests: Requests;
  readonly meter: RateMeter;
  readonly #scheduler: Scheduler;
  readonly #parts: PairParts;
  readonly #bulkRate: BulkRate;
  readonly #info: PeerInfo;
  readonly #handlers: PeerHandlers;
  readonly #direct: LazyDirectPath;
  /** Requests that are answered until the next {@link sample}. */
  #requestsLeft: number = limits.requestsPerSecond;
  #session: Session;
  /** Epoch of the session: both sides count how often their pair has begun again. */
  #epoch = 0;
  /** Until the pair begins again; whether a packet of the peer is enough for that. */
  #pause: { readonly cancel: Cancel; readonly endsWithPacket: boolean } | undefined;
  #directLink: Link | undefined;
  #relayed: RelayedLink | undefined;
  #uplink: Uplink | undefined;
  /** Since when, and when last, it had no room for a message; undefined while it takes them. */
  #refusing:
    { readonly sinceMs: number; readonly lastMs: number; readonly acknowledgedBytes: number } | undefined;
  /** Bulk for which it had no room: nothing can be added until some of what waits has a receipt. */
  #bulkRefused: { readonly sinceMs: number; readonly waitingBytes: number } | undefined;
  /** The path that was told last: of a link, too, it may change. */
  #toldChannel = "";
  #returnedAtMs = Number.NEGATIVE_INFINITY;
  #absence: "unlinked" | "closed" | undefined;
  #hasWebRtc: boolean;
  #mayHaveWebRtc: boolean;
  /** Why a direct link is out of the question; undefined while it is not. */
  #obstacle: string | undefined;

  constructor({ parts, info, handlers, bulkRate }: PeerOptions) {
    const { scheduler } = parts;
    this.#parts = parts;
    this.#bulkRate = bulkRate;
    this.#scheduler = scheduler;
    this.#info = info;
    this.#handlers = handlers;
    this.#absence = info.away ? "unlinked" : undefined;
    this.#hasWebRtc = info.webrtc;
    this.#mayHaveWebRtc = info.webrtc;
    this.requests = new Requests(scheduler);
    this.meter = new RateMeter(scheduler.nowMs());
    this.#session = this.#newSession();
    this.#direct = new LazyDirectPath({
      ...parts,
      eventLifetimeMs: () => parts.channel("event").lifetimeMs,
      isInitiator: parts.sessionNumber() > info.number,
      sendSignal: (attempt, data) => handlers.sendSignal(attempt, inEpoch(data, this.#epoch)),
      attach: (link, terms) => this.#attachDirect(parts.interpose(link), terms),
      onLoadFailure: () => this.#tellPath(),
    });
  }

  #newSession(): Session {
    const { scheduler, channel, time, budget } = this.#parts;
    const { onState, onAcknowledged } = this.#handlers;
    return new Session({
      scheduler,
      currentTick: () => time.tick,
      channel,
      bulkBytes: () => limits.bulkBytes,
      bulkRate: this.#bulkRate,
      budget: budget(),
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

  /** Session of the present epoch. */
  get session(): Session {
    return this.#session;
  }

  get id(): string {
    return this.#info.id;
  }

  get number(): number {
    return this.#info.seat ?? this.#info.number;
  }

  /** Number of its session on the server and on the wire. A reloaded page gets another one. */
  get sessionNumber(): number {
    return this.#info.number;
  }

  get state(): PeerState {
    const isHere = this.#absence === undefined || (this.#absence === "unlinked" && this.path !== "relay");
    return isHere ? "connected" : "away";
  }

  /** The server has no link to it; `closed`: nobody has. Undefined: it has one again. */
  setAbsence(absence: "unlinked" | "closed" | undefined): void {
    this.#absence = absence;
  }

  get path(): PeerPath {
    if (this.session.activeLink?.kind !== "webrtc") return "relay";
    return this.#direct.route?.isTurn ? "turn" : "direct";
  }

  get channel(): string {
    const link = this.session.activeLink;
    if (!link) return "none: the connection to the server is down";
    if (link.kind === "webrtc") {
      const { isTurn = false, protocol = "udp", note = "" } = this.#direct.route ?? {};
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
      return this.#direct.choice?.reason || proven;
    }
    if (this.#obstacle) return this.#obstacle;
    const { choice } = this.#direct;
    if (choice?.choice === "relay" && this.#directLink?.state === "open") return choice.reason;
    const failure = this.#direct.lastFailure;
    return failure
      ? `the direct link failed: ${failure}`
      : "the relay carries everything until a direct link is proven";
  }

  /** Whether it is known that there is no direct link: one cannot be, or an attempt has failed. */
  get isSettled(): boolean {
    return this.#obstacle !== undefined || this.#direct.lastFailure !== undefined;
  }

  get rttMs(): number | undefined {
    return this.session.rttMs;
  }

  get stats(): PeerRates & PathQuality {
    const { jitterMs, pathLoss, outgoingLoss } = this.session;
    return {
      ...this.meter.rates,
      jitterMs,
      lossRatio: pathLoss?.ratio,
      outgoingLossRatio: outgoingLoss?.ratio,
      queuedBytes: this.session.queuedBytes,
    };
  }

  get drops(): Partial<Record<DropReason, number>> {
    return this.session.drops.toRecord();
  }

  get hasWebRtc(): boolean {
    return this.#hasWebRtc;
  }

  set hasWebRtc(hasWebRtc: boolean) {
    this.#hasWebRtc = hasWebRtc;
    this.#mayHaveWebRtc ||= hasWebRtc;
  }

  /** Whether it has said so once: a peer that wants no direct links for now counts as one that could have some. */
  get mayHaveWebRtc(): boolean {
    return this.#mayHaveWebRtc;
  }

  /** The path through the server exists (again). */
  relayOver(uplink: Uplink): void {
    this.relayLost();
    this.#uplink = uplink;
    if (this.#pause) return;
    const [scheduler, epoch] = [this.#scheduler, this.#epoch];
    this.#relayed = new RelayedLink({ scheduler, uplink, peerNumber: this.sessionNumber, epoch });
    const isCompared = (): boolean => this.#directLink?.state === "open";
    this.session.attach(this.#relayed, {
      ...relayedOptions,
      get heartbeatMs() {
        return isCompared() ? COMPARED_HEARTBEAT_MS : relayedOptions.heartbeatMs;
      },
    });
  }

  /** The path through the server is gone; a direct one goes on. */
  relayLost(): void {
    this.#relayed?.close(CloseCode.timeout, "the connection to the server is down");
    this.#relayed = undefined;
    this.#uplink = undefined;
  }

  /** The peer has another link to the server: what was on its way through the server goes again. */
  returned(): void {
    const nowMs = this.#scheduler.nowMs();
    // A peer that comes back all the time must not make others send all the time.
    if (this.path !== "relay" || nowMs - this.#returnedAtMs < RETURN_PERIOD_MS) return;
    this.#returnedAtMs = nowMs;
    this.session.repeat();
  }

  /** Something of this peer came through the server: its link, or undefined where it is of another epoch of the pair. */
  admit({ packet, epoch = 0, firstIds }: Envelope): RelayedLink | undefined {
    // A published packet is the same for all peers, and belongs to no session.
    return this.#meet(epoch) || (!firstIds && isPublished(packet)) ? this.#relayed : undefined;
  }

  /** The way for messages to several peers; undefined if this peer gets them by its own session only. */
  get broadcastReceiver(): BroadcastReceiver | undefined {
    const { relayedState: link, session, sessionNumber: number } = this;
    return link && this.#epoch === 0 ? { number, session, link } : undefined;
  }

  /** The relayed link, where it is the one that carries states now. */
  get relayedState(): RelayedLink | undefined {
    return this.session.activeLink === this.#relayed ? this.#relayed : undefined;
  }

  /** Allows a direct link, or says why there will be none. */
  allowDirect(obstacle: string | undefined): void {
    const isNews = obstacle !== this.#obstacle;
    this.#obstacle = obstacle;
    this.#direct.allow(obstacle === undefined && !this.#pause);
    if (isNews && this.path === "relay") this.#tellPath();
  }

  signal(attempt: number, data: unknown): void {
    if (this.#meet(epochOf(data))) this.#direct.signal(attempt, data);
  }

  killDirect(): void {
    this.#direct.kill();
  }

  /** Returns the message's id, for {@link Session.isAcknowledged}. */
  send(payload: PeerPayload): number {
    return this.session.sendReliable(writePeerPayload(payload));
  }

  /** Messages that belong together; returns the id of the last. */
  sendAll(payloads: readonly PeerPayload[]): number {
    return this.session.sendAllReliable(payloads.map(writePeerPayload));
  }

  /** Whether one more request of this peer is answered. One that is not is dropped and counted. */
  takeRequest(): boolean {
    if (this.#requestsLeft === 0) {
      this.session.drops.count("rate-limit");
      return false;
    }
    this.#requestsLeft -= 1;
    return true;
  }

  /** Sends what the peer's own packets have asked for. It is dropped where the peer's queue is full: then false. */
  sendWhereRoom(payload: PeerPayload): boolean {
    const { session } = this;
    const bytes = writePeerPayload(payload);
    if (session.isClosed) return false;
    const hasRoom = session.hasRoomFor(bytes, limits.sessionQueueBytes);
    if (hasRoom) session.sendReliable(bytes);
    else session.drops.count("queue-full");
    return hasRoom;
  }

  /** Answers a request, unless nobody waits for it any more. */
  reply(payload: PeerPayload): void {
    if (!this.session.isClosed) this.send(payload);
  }

  /** Once a second: takes what the links have carried into the rates, and asks whether the path is still the better one. */
  sample(nowMs: number): void {
    this.#requestsLeft = limits.requestsPerSecond;
    const { session } = this;
    const { choice } = this.#direct;
    const [direct, relay] = [session.readingOf(this.#directLink), session.readingOf(this.#relayed)];
    if (choice?.observe(direct, relay, nowMs)) session.reconsider(choice.reason);
    if (session.stuckMs > STUCK_MS) this.giveUp("says things, and takes nothing that is sent to it");
    this.#reviewRefusals(nowMs);
    this.#reviewBulk(nowMs);
    for (const link of [this.session.activeLink, this.#relayed]) if (link) this.meter.take(link);
    this.meter.sample(nowMs);
    // ICE may have moved a link from TURN to a direct path, or the uplink may have another link.
    if (this.channel !== this.#toldChannel) this.#tellPath();
  }

  /** The network is another one. */
  networkChanged(): void {
    this.#direct.networkChanged();
  }

  end(reason: string): void {
    this.#pause?.cancel();
    this.#direct.end(reason);
    this.requests.failAll("transport/closed", "the peer has left");
    this.session.close(CloseCode.left, reason);
  }

  /** The game has a message for which there is no room. */
  refuse(): void {
    const lastMs = this.#scheduler.nowMs();
    const { acknowledgedBytes } = this.session;
    this.#refusing = { sinceMs: lastMs, acknowledgedBytes, ...this.#refusing, lastMs };
  }

  /** Counts a refused bulk message. Bulk may be slow: only a pair that takes none of it begins again. */
  refuseBulk(): void {
    this.#bulkRefused ??= { sinceMs: this.#scheduler.nowMs(), waitingBytes: this.session.waitingBulkBytes };
  }

  #reviewBulk(nowMs: number): void {
    if (!this.#bulkRefused) return;
    const { sinceMs, waitingBytes } = this.#bulkRefused;
    if (this.session.waitingBulkBytes !== waitingBytes) this.#bulkRefused = undefined;
    else if (nowMs - sinceMs >= REFUSING_MS) this.giveUp("takes no bulk");
  }

  /** Whether the pair has begun again, and the peer has taken nothing since: then nobody waits for it once more. */
  get isUnproven(): boolean {
    return this.#epoch > 0 && this.session.acknowledgedBytes === 0;
  }

  #reviewRefusals(nowMs: number): void {
    if (!this.#refusing) return;
    const { sinceMs, lastMs, acknowledgedBytes } = this.#refusing;
    const { session } = this;
    const share = 1 / 2 ** this.#epoch;
    const hasRoom = session.hasRoomFor(LONGEST_MESSAGE, limits.pairQueueBytes);
    const isTaking = session.acknowledgedBytes - acknowledgedBytes >= limits.pairQueueBytes * share;
    if (isTaking || (hasRoom && nowMs - lastMs > TAKING_MS)) this.#refusing = undefined;
    else if (nowMs - sinceMs >= REFUSING_MS * share) this.giveUp("takes less than is sent to all");
  }

  /** Ends the session: the pair begins again. */
  giveUp(reason: string): void {
    if (this.session.isClosed) return;
    this.session.close(CloseCode.tooSlow, reason);
    this.#closed(CloseCode.tooSlow, true);
  }

  /** Unacknowledged messages of the present session, if it has ended. */
  get loss(): MessageLoss {
    return { unacknowledged: this.session.unacknowledgedOf(PayloadKind.command) };
  }

  /** The session has ended; a peer that leaves says so. */
  #closed(code: number, isOurs: boolean): void {
    if (code === CloseCode.left || this.#epoch >= limits.lastEpoch) return this.#handlers.onEnded();
    const pauseMs = FIRST_RESET_MS * 2 ** this.#epoch;
    this.#reset(this.#epoch + 1);
    const cancel = this.#scheduler.after(pauseMs + (isOurs ? 0 : RESET_GRACE_MS), () => this.#begin());
    this.#pause = { cancel, endsWithPacket: !isOurs };
  }

  /** The peer speaks in that epoch: a later one has begun for both. Whether it is the present one. */
  #meet(epoch: number): boolean {
    if (epoch > this.#epoch && !this.#pause) {
      this.session.close(CloseCode.replaced, "the pair began again");
      this.#reset(epoch);
      this.#begin();
    } else if (epoch === this.#epoch && this.#pause?.endsWithPacket) this.#begin();
    return epoch === this.#epoch && !this.#pause;
  }

  /** Starts another session, which takes what the game sends and tells the peer once the pair begins again. */
  #reset(epoch: number): void {
    const { loss } = this;
    this.#direct.allow(false);
    this.#directLink = undefined;
    this.#relayed = undefined;
    this.requests.failAll("transport/closed", "the pair of players began again");
    this.#epoch = epoch;
    this.#refusing = undefined;
    this.#bulkRefused = undefined;
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
    if (link) this.#direct.linkActive(link);
    this.#tellPath();
  }

  #tellPath(): void {
    this.#toldChannel = this.channel;
    this.#handlers.onPathChange(this.reason);
  }

  #attachDirect(link: Link, { rank, deadlineMs }: LinkTerms): void {
    this.#directLink = link;
    const isWorse = (): boolean => this.#direct.choice?.choice === "relay";
    this.session.attach(link, {
      ...directOptions,
      connectTimeoutMs: deadlineMs,
      get preference() {
        return (isWorse() ? relayedOptions.preference - 1 : DIRECT_PREFERENCE) + rank / 1000;
      },
    });
  }

  #receive(payload: Uint8Array): void {
    const read = readPeerPayload(payload);
    if (read) this.#handlers.onPayload(read);
    else this.session.reportViolation("bad-message");
  }

  /** Messages of the game come as bulk, and nothing else. */
  #receiveBulk(payload: Uint8Array): void {
    if (payload[0] === PayloadKind.command) this.#receive(payload);
    else this.session.reportViolation("bad-message");
  }

  #receiveEvent(body: Uint8Array): void {
    const event = readEvent(body);
    if (event) this.#handlers.onPayload(event);
    else this.session.reportViolation("bad-message");
  }

  #linkDown(link: Link, close: LinkClose): void {
    this.meter.take(link);
    this.#direct.linkDown(link, close);
  }
}

/** Signals say the epoch too: a direct link belongs to a session. The first one needs no word. */
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
