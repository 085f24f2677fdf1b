import {
  CloseCode,
  readEvent,
  readPeerPayload,
  writePeerPayload,
  type DropReason,
  type IceServer,
  type PeerInfo,
  type PeerPayload,
} from "@paceline/protocol";
import {
  InterposedLink,
  PathChoice,
  RelayedLink,
  Requests,
  Session,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type Scheduler,
} from "@paceline/transport";
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
  readonly scheduler: Scheduler;
  readonly iceServers: readonly IceServer[];
  readonly handlers: PeerHandlers;
  /** The link to use in the place of a new one. */
  interpose(link: Link): Link;
  currentTick(): number;
}

/** Another participant of the room, as a game sees it. */
export interface Peer {
  readonly id: string;
  /** Given by the server in the order of joining; not used again while the room lives. */
  readonly number: number;
  /** Where traffic to this peer goes now; `server` in a room with an authority, with whom alone one talks there. */
  readonly path: "direct" | "relay" | "server";
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
const directOptions: LinkMonitorOptions = {
  preference: 10,
  needsProof: true,
  connectTimeoutMs: 10_000,
  timeoutMs: 1000,
  heartbeatMs: 250,
};

/** The pair of this participant and one other: a session of its own, relayed at first, direct once that is proven. */
export class PeerConnection implements Peer {
  readonly session: Session;
  readonly requests: Requests;
  readonly meter: RateMeter;
  readonly #scheduler: Scheduler;
  readonly #info: PeerInfo;
  readonly #handlers: PeerHandlers;
  readonly #direct: LazyDirectPath;
  readonly #choice = new PathChoice();
  #directLink: Link | undefined;
  #relayed: RelayedLink | undefined;
  #hasWebRtc: boolean;
  /** Why a direct link is out of the question; undefined while it is not. */
  #obstacle: string | undefined;

  constructor(options: PeerOptions) {
    const { info, handlers, scheduler } = options;
    this.#scheduler = scheduler;
    this.#info = info;
    this.#handlers = handlers;
    this.#hasWebRtc = info.webrtc;
    this.requests = new Requests(scheduler);
    this.meter = new RateMeter(scheduler.nowMs());
    this.session = new Session({
      scheduler,
      currentTick: () => options.currentTick(),
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onEvent: (body) => this.#receiveEvent(body),
        onState: (body, tick) => handlers.onState(this, body, tick),
        onAcknowledged: (sequence) => handlers.onAcknowledged(this, sequence),
        onActiveLink: () => handlers.onPathChange(this, this.reason),
        onLinkDown: (link, close) => this.#linkDown(link, close),
        onClosed: () => handlers.onEnded(this),
      },
    });
    this.#direct = new LazyDirectPath({
      scheduler,
      iceServers: options.iceServers,
      isInitiator: options.myNumber > info.number,
      sendSignal: (attempt, data) => handlers.sendSignal(this, attempt, data),
      attach: (link) => this.#attachDirect(options.interpose(link)),
      onLoadFailure: () => handlers.onPathChange(this, this.reason),
    });
  }

  get id(): string {
    return this.#info.id;
  }

  get number(): number {
    return this.#info.number;
  }

  get path(): "direct" | "relay" {
    return this.session.activeLink?.kind === "webrtc" ? "direct" : "relay";
  }

  get channel(): string {
    const link = this.session.activeLink;
    if (!link) return "none: the connection to the server is down";
    return link.kind === "webrtc"
      ? "WebRTC data channels; state unordered, without retransmission"
      : "WebSocket to the server, relayed from there";
  }

  get reason(): string {
    const link = this.session.activeLink;
    if (!link) return "no path: the connection to the server is down";
    if (link.kind === "webrtc") {
      return this.#choice.reason || "a probe went both ways over a direct WebRTC link";
    }
    if (this.#obstacle) return this.#obstacle;
    if (this.#choice.choice === "relay" && this.#directLink?.state === "open") return this.#choice.reason;
    const failure = this.#direct.lastFailure;
    return failure
      ? `the direct link failed: ${failure}`
      : "the relay carries everything until a direct link is proven";
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
  }

  /** The path through the server exists (again). */
  relayOver(uplink: Link): void {
    this.relayLost();
    this.#relayed = new RelayedLink({ scheduler: this.#scheduler, uplink, peerNumber: this.number });
    this.session.attach(this.#relayed, relayedOptions);
  }

  /** The path through the server is gone; a direct one goes on. */
  relayLost(): void {
    this.#relayed?.close(CloseCode.timeout, "the connection to the server is down");
    this.#relayed = undefined;
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
    if (isNews && this.path === "relay") this.#handlers.onPathChange(this, this.reason);
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

  /** Answers a request, unless nobody waits for it any more. */
  reply(payload: PeerPayload): void {
    if (!this.session.isClosed) this.send(payload);
  }

  /** Takes what the links have carried into the rates, and asks whether the path is still the better one. */
  sample(nowMs: number): void {
    const { session } = this;
    const [direct, relay] = [session.readingOf(this.#directLink), session.readingOf(this.#relayed)];
    if (this.#choice.observe(direct, relay, nowMs)) session.reconsider(this.#choice.reason);
    for (const link of [this.session.activeLink, this.#relayed]) if (link) this.meter.take(link);
    this.meter.sample(nowMs);
  }

  end(reason: string): void {
    this.#direct.end(reason);
    this.requests.failAll("transport/closed", "the peer has left");
    this.session.close(CloseCode.left, reason);
  }

  #attachDirect(link: Link): void {
    this.#directLink = link;
    const isWorse = (): boolean => this.#choice.choice === "relay";
    this.session.attach(link, {
      ...directOptions,
      get preference() {
        return isWorse() ? relayedOptions.preference - 1 : directOptions.preference;
      },
    });
  }

  #receive(payload: Uint8Array): void {
    const read = readPeerPayload(payload);
    if (read) this.#handlers.onPayload(this, read);
    else this.session.reportViolation("bad-message");
  }

  #receiveEvent(body: Uint8Array): void {
    const event = readEvent(body);
    if (event) this.#handlers.onPayload(this, event);
    else this.session.reportViolation("bad-message");
  }

  #linkDown(link: Link, close: LinkClose): void {
    this.meter.take(link);
    this.#direct.linkDown(link instanceof InterposedLink ? link.inner : link, close);
  }
}
