import {
  CloseCode,
  PayloadKind,
  limits,
  readEvent,
  readPeerPayload,
  writePeerPayload,
  type DropReason,
  type IceServer,
  type PeerInfo,
  type PeerPayload,
} from "@paceline/protocol";
import {
  PathChoice,
  RelayedLink,
  Requests,
  Session,
  type ChannelPolicy,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type PlannedClass,
  type BulkRate,
  type Scheduler,
  type Uplink,
  type WebRtcLinkMaker,
} from "@paceline/transport";
import type { LinkTerms } from "./direct-path.js";
import { LazyDirectPath } from "./lazy-direct-path.js";
import type { PathQuality } from "./path-stats.js";
import { RateMeter, type PeerRates } from "./rate-meter.js";

/** What happens between this participant and a peer, told to the room. */
export interface PeerHandlers {
  onPayload(peer: PeerConnection, payload: PeerPayload): void;
  onState(peer: PeerConnection, body: Uint8Array, tick: number): void;
  onAcknowledged(peer: PeerConnection, sequence: number): void;
  onPathChange(peer: PeerConnection, reason: string): void;
  onEnded(peer: PeerConnection): void;
  sendSignal(peer: PeerConnection, attempt: number, data: unknown): void;
}

export interface PeerOptions {
  readonly info: PeerInfo;
  readonly myNumber: number;
  readonly bulkRate: BulkRate;
  readonly scheduler: Scheduler;
  /** The plan's policy of a class of traffic. */
  readonly channel: (name: PlannedClass) => ChannelPolicy;
  /** Makes WebRTC links where the environment has none of its own. */
  readonly newLink: WebRtcLinkMaker | undefined;
  readonly handlers: PeerHandlers;
  iceServers(): readonly IceServer[];
  /** The link to use in the place of a new one. */
  interpose(link: Link): Link;
  currentTick(): number;
}

/** Ways to a peer, the best one first. */
export type PeerPath = "direct" | "turn" | "relay";

/** Another participant of the room, as a game sees it. */
export interface Peer {
  readonly id: string;
  /** Given by the server in the order of joining; not used again while the room lives. */
  readonly number: number;
  /**
   * Where traffic to this peer goes now: to it itself, through a TURN server, through the relay; or `server`, in a room
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
  /** What came from this peer and was dropped, by reason. */
  readonly drops: Partial<Record<DropReason, number>>;
}

/** The relay is the last resort: it is there as long as the server is, and needs no proof. */
const relayedOptions: LinkMonitorOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: Number.POSITIVE_INFINITY,
  timeoutMs: Number.POSITIVE_INFINITY,
  heartbeatMs: 1000,
};
/** Direct and through TURN: above the relay, the newest attempt first. */
const directOptions = { needsProof: true, timeoutMs: 1000, heartbeatMs: 250 } as const;
const DIRECT_PREFERENCE = 10;

const RETURN_PERIOD_MS = 500;

/** The pair of this participant and one other: a session of its own, relayed at first, direct once that is proven. */
export class PeerConnection implements Peer {
  readonly session: Session;
  readonly requests: Requests;
  readonly meter: RateMeter;
  readonly #scheduler: Scheduler;
  readonly #info: PeerInfo;
  readonly #handlers: PeerHandlers;
  readonly #direct: LazyDirectPath;
  /** Requests that are answered until the next {@link sample}. */
  #requestsLeft: number = limits.requestsPerSecond;
  readonly #choice = new PathChoice();
  #directLink: Link | undefined;
  #relayed: RelayedLink | undefined;
  #uplink: Uplink | undefined;
  /** The path that was told last: of a link, too, it may change. */
  #toldChannel = "";
  #returnedAtMs = Number.NEGATIVE_INFINITY;
  #hasWebRtc: boolean;
  #mayHaveWebRtc: boolean;
  /** Why a direct link is out of the question; undefined while it is not. */
  #obstacle: string | undefined;

  constructor(options: PeerOptions) {
    const { info, handlers, scheduler } = options;
    this.#scheduler = scheduler;
    this.#info = info;
    this.#handlers = handlers;
    this.#hasWebRtc = info.webrtc;
    this.#mayHaveWebRtc = info.webrtc;
    this.requests = new Requests(scheduler);
    this.meter = new RateMeter(scheduler.nowMs());
    this.session = new Session({
      scheduler,
      currentTick: () => options.currentTick(),
      channel: options.channel,
      bulkBytes: () => limits.bulkBytes,
      bulkRate: options.bulkRate,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onBulk: (payload) => this.#receiveBulk(payload),
        onEvent: (body) => this.#receiveEvent(body),
        onState: (body, tick) => handlers.onState(this, body, tick),
        onAcknowledged: (sequence) => handlers.onAcknowledged(this, sequence),
        onActiveLink: (link) => this.#linkActive(link),
        onLinkDown: (link, close) => this.#linkDown(link, close),
        onClosed: () => handlers.onEnded(this),
      },
    });
    this.#direct = new LazyDirectPath({
      scheduler,
      newLink: options.newLink,
      iceServers: () => options.iceServers(),
      eventLifetimeMs: () => options.channel("event").lifetimeMs,
      isInitiator: options.myNumber > info.number,
      sendSignal: (attempt, data) => handlers.sendSignal(this, attempt, data),
      attach: (link, terms) => this.#attachDirect(options.interpose(link), terms),
      onLoadFailure: () => this.#tellPath(),
    });
  }

  get id(): string {
    return this.#info.id;
  }

  get number(): number {
    return this.#info.number;
  }

  get path(): PeerPath {
    if (this.session.activeLink?.kind !== "webrtc") return "relay";
    return this.#direct.route?.isTurn ? "turn" : "direct";
  }

  get channel(): string {
    const link = this.session.activeLink;
    if (!link) return "none: the connection to the server is down";
    if (link.kind === "webrtc") {
      const { isTurn = false, protocol = "udp" } = this.#direct.route ?? {};
      const over = `${isTurn ? "TURN over " : ""}${protocol.toUpperCase()}`;
      return `WebRTC data channels, ${over}; state unordered, without retransmission`;
    }
    return this.#uplink?.linkFor("state")?.kind === "webrtc"
      ? "states over WebRTC, the rest over WebSocket to the server, relayed from there"
      : "WebSocket to the server, relayed from there";
  }

  get reason(): string {
    const link = this.session.activeLink;
    if (!link) return "no path: the connection to the server is down";
    if (link.kind === "webrtc") {
      const proven =
        this.path === "turn"
          ? "no direct path was found; a probe went both ways through a TURN server"
          : "a probe went both ways over a direct WebRTC link";
      return this.#choice.reason || proven;
    }
    if (this.#obstacle) return this.#obstacle;
    if (this.#choice.choice === "relay" && this.#directLink?.state === "open") return this.#choice.reason;
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
    const { jitterMs, lossRatio, activeLink } = this.session;
    // A round trip is lost where either way loses it.
    const pingLoss = 1 - Math.sqrt(1 - (this.session.readingOf(activeLink)?.lossRatio ?? 0));
    return {
      ...this.meter.rates,
      jitterMs,
      lossRatio: Math.max(lossRatio, pingLoss),
      queuedBytes: activeLink?.queuedBytes ?? 0,
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
    this.#relayed = new RelayedLink({ scheduler: this.#scheduler, uplink, peerNumber: this.number });
    this.session.attach(this.#relayed, relayedOptions);
  }

  /** The path through the server is gone; a direct one goes on. */
  relayLost(): void {
    this.#relayed?.close(CloseCode.timeout, "the connection to the server is down");
    this.#relayed = undefined;
  }

  /** The peer has another link to the server: what was on its way through the server goes again. */
  returned(): void {
    const nowMs = this.#scheduler.nowMs();
    // A peer that comes back all the time must not make others send all the time.
    if (this.path !== "relay" || nowMs - this.#returnedAtMs < RETURN_PERIOD_MS) return;
    this.#returnedAtMs = nowMs;
    this.session.repeat();
  }

  /** A packet of this peer came through the server. */
  deliverRelayed(packet: Uint8Array): void {
    this.#relayed?.deliver(packet);
  }

  /** The relayed link, where it is the one that carries states now. */
  get relayedState(): RelayedLink | undefined {
    return this.session.activeLink === this.#relayed ? this.#relayed : undefined;
  }

  /** Allows a direct link, or says why there will be none. */
  allowDirect(obstacle: string | undefined): void {
    const isNews = obstacle !== this.#obstacle;
    this.#obstacle = obstacle;
    this.#direct.allow(obstacle === undefined);
    if (isNews && this.path === "relay") this.#tellPath();
  }

  signal(attempt: number, data: unknown): void {
    this.#direct.signal(attempt, data);
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

  /** Answers a request, unless nobody waits for it any more. */
  reply(payload: PeerPayload): void {
    if (!this.session.isClosed) this.send(payload);
  }

  /** Once a second: takes what the links have carried into the rates, and asks whether the path is still the better one. */
  sample(nowMs: number): void {
    this.#requestsLeft = limits.requestsPerSecond;
    const { session } = this;
    const [direct, relay] = [session.readingOf(this.#directLink), session.readingOf(this.#relayed)];
    if (this.#choice.observe(direct, relay, nowMs)) session.reconsider(this.#choice.reason);
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
    this.#direct.end(reason);
    this.requests.failAll("transport/closed", "the peer has left");
    this.session.close(CloseCode.left, reason);
  }

  #linkActive(link: Link | undefined): void {
    if (link) this.#direct.linkActive(link);
    this.#tellPath();
  }

  #tellPath(): void {
    this.#toldChannel = this.channel;
    this.#handlers.onPathChange(this, this.reason);
  }

  #attachDirect(link: Link, { rank, deadlineMs }: LinkTerms): void {
    this.#directLink = link;
    const isWorse = (): boolean => this.#choice.choice === "relay";
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
    if (read) this.#handlers.onPayload(this, read);
    else this.session.reportViolation("bad-message");
  }

  /** Messages of the game come as bulk, and nothing else. */
  #receiveBulk(payload: Uint8Array): void {
    if (payload[0] === PayloadKind.command) this.#receive(payload);
    else this.session.reportViolation("bad-message");
  }

  #receiveEvent(body: Uint8Array): void {
    const event = readEvent(body);
    if (event) this.#handlers.onPayload(this, event);
    else this.session.reportViolation("bad-message");
  }

  #linkDown(link: Link, close: LinkClose): void {
    this.meter.take(link);
    this.#direct.linkDown(link, close);
  }
}
