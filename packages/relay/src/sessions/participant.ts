import { timingSafeEqual } from "node:crypto";
import {
  CloseCode,
  ConfigError,
  NetError,
  PayloadKind,
  limits,
  readClientMessage,
  writeControl,
  type ClientMessage,
  type PeerInfo,
  type ServerMessage,
  type TrafficClassName,
} from "@paceline/protocol";
import {
  GuardedScheduler,
  Session,
  StripedLink,
  type Cancel,
  type DropCounters,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type Scheduler,
} from "@paceline/transport";
import type { AdmittedLink } from "../admission/admitted-link.js";
import type { FaultPlace, LimitSubject } from "../ops/relay-counters.js";
import type { RelayLimits } from "../limits/relay-limits.js";
import type { SessionReport } from "../ops/report.js";
import { ResumeTokens, hashOf } from "../admission/resume-tokens.js";
import type { Room } from "./room.js";
import type { RoomHost } from "../authority/room-host.js";
import { HeldFrames } from "./held-frames.js";
import { RetainedStates } from "./retained-states.js";
import { SessionEgress } from "./session-egress.js";
import { SessionMeter } from "../limits/session-meter.js";
import type { TokenBucket } from "../limits/token-bucket.js";
import { UpdateFilter } from "./update-filter.js";
import { MAX_STRIPES } from "../admission/stripe-tickets.js";

/** Identity of a participant, decided before its link opens. */
interface ParticipantIdentity {
  readonly number: number;
  /** The player's number, unchanged by a reload. */
  readonly seat: number;
  /** The session id: the others see it, so it is no secret. */
  readonly id: string;
  readonly webrtc: boolean;
  /** Hashes of the secrets with which another page may take this seat: the newest last. */
  readonly tokens: readonly Buffer[];
}

/** A participant's state, from its seat to its end. `wasSeated`: it has not had an open link yet. */
type Presence =
  | { readonly at: "seated" | "connected" | "gone" }
  /** Without a link since then; its page may have said that it is closed, or sleeps. */
  | {
      readonly at: "away";
      readonly sinceMs: number;
      readonly page: "open" | "asleep" | "closed";
      readonly wasSeated: boolean;
    }
  /** It has a new link, which is not open yet. */
  | { readonly at: "returning"; readonly wasSeated: boolean };

/** Calls from a participant to the session registry. */
export interface ParticipantHandlers {
  /** Once: the first link is open, and what others send can be passed on. */
  onOpened(participant: Participant): void;
  /** Called when another link carries the traffic: what was sent to the participant meanwhile may be lost. */
  onReturned(participant: Participant, wasAway: boolean): void;
  onMessage(participant: Participant, message: ClientMessage, messageBytes: number): void;
  onRouted(participant: Participant, packet: Uint8Array): void;
  /** A packet or a message was over the limit and is not delivered. */
  onRefused(subject: LimitSubject): void;
  /** Something was thrown while this participant was served; it is put out. */
  onFault(participant: Participant, place: FaultPlace, error: unknown): void;
  /** No link is left; the participant is kept for a while. */
  onDropped(participant: Participant): void;
  /** Once: the participant is out, whoever decided it. */
  onGone(participant: Participant, close: LinkClose): void;
}

/** The parts of a participant. */
export interface ParticipantOptions {
  readonly identity: ParticipantIdentity;
  /** The network address that its seat was given to. */
  readonly address: string;
  /** The forwarding budget of that address. */
  readonly addressEgress: readonly TokenBucket[];
  readonly room: Room;
  readonly scheduler: Scheduler;
  readonly limits: RelayLimits;
  readonly handlers: ParticipantHandlers;
  /** Counts what this and other sessions drop. */
  readonly drops: DropCounters;
}

/** A browser's own word that a page goes away (RFC 6455, 7.4.1). Firefox says it before the page can say anything. */
const GOING_AWAY = 1001;
/** A page whose welcome is lost again and again: older secrets than so many are not kept. */
const MAX_TOKENS = 4;
const LINK_CONNECT_TIMEOUT_MS = 5000;
const HEARTBEAT_MS = 1000;
/** Clients ping by themselves. */
const MEASURE_MS = 4000;
/** More than one packet, so that many small ones for one receiver do not wait for the next poll of its queue. */
const HIGH_WATER_BYTES = 16_384;

/** One member of a room: a session that outlives its links for the grace period. */
export class Participant {
  readonly number: number;
  /** The player's number: that of the first session of this seat. */
  readonly seat: number;
  readonly id: string;
  readonly address: string;
  readonly room: Room;
  readonly session: Session;
  /** The forwarder's mark: the last packet that went to this participant. */
  lastRound = 0;
  /** The forwarder's memory of what this participant was given. */
  readonly filter = new UpdateFilter();
  readonly retained: RetainedStates;
  /** The forwarding budget of this participant. */
  readonly egress: SessionEgress;
  readonly #options: ParticipantOptions;
  readonly #scheduler: Scheduler;
  readonly #tokens: readonly Buffer[];
  #welcomeId: number | undefined;
  readonly #meter: SessionMeter;
  readonly #links = new Set<Link>();
  readonly #resumeTokens = new ResumeTokens();
  #newest: StripedLink | undefined;
  #held: HeldFrames | undefined;
  #presence: Presence = { at: "seated" };
  #isHidden = false;
  readonly #cameAtMs: number;
  #linkAddress = "";
  #webrtc: boolean;
  #cancelGrace: Cancel | undefined;
  #keptUntilMs = 0;
  #isIntroduced = false;
  #isFailing = false;

  constructor(options: ParticipantOptions) {
    const { identity, handlers } = options;
    this.#options = options;
    const scheduler = new GuardedScheduler(options.scheduler, (error) => this.fail("timer", error));
    this.#scheduler = scheduler;
    this.number = identity.number;
    this.seat = identity.seat;
    this.id = identity.id;
    this.address = options.address;
    this.room = options.room;
    this.#webrtc = identity.webrtc;
    this.#cameAtMs = scheduler.nowMs();
    this.#tokens = identity.tokens.slice(-MAX_TOKENS);
    const shares = options.room.shares(scheduler.nowMs());
    this.#meter = new SessionMeter(options.limits, scheduler, shares.ingress, {
      onRefused: (subject) => handlers.onRefused(subject),
      onTooLong: () => this.session.reportViolation("too-long"),
      onFlood: () => this.end(CloseCode.flooding, "more packets, bytes or messages than allowed"),
    });
    const { room } = options;
    this.egress = new SessionEgress({
      clock: scheduler,
      room: shares.egress,
      address: options.addressEgress,
      meter: this.#meter,
    });
    this.retained = new RetainedStates(scheduler);
    this.session = new Session({
      scheduler,
      drops: options.drops,
      maxForwardedBytes: options.limits.queuedCommandBytes,
      currentTick: () => room.host?.tickFor(this) ?? 0,
      // Between players a relay passes it on; only an authority reads it.
      bulkBytes: () => (room.host ? limits.authorityBulkBytes : 0),
      handlers: {
        onBulk: (payload) => this.#receiveBulk(payload),
        onEvent: (body) => this.#host?.receiveEvent(this, body),
        onState: (body, tick) => this.#host?.receiveState(this, body, tick),
        onInput: (body) => this.#host?.receiveInput(this, body),
        onAcknowledged: (sequence) => room.host?.acknowledged(this, sequence),
        onReliable: (payload) => this.#receive(payload),
        onRouted: (packet) => handlers.onRouted(this, packet),
        onActiveLink: (link) => link && this.#opened(),
        onLinkDown: (link, close, isLast) => this.#linkDown(link, close, isLast),
        onClosed: (close) => this.#gone(close),
      },
    });
  }

  /** The network address that the newest link of this session comes from. */
  get linkAddress(): string {
    return this.#linkAddress;
  }

  /** As the others see it. */
  get info(): PeerInfo {
    const { number, seat, id } = this;
    const own = seat === number ? {} : { seat };
    return { number, id, webrtc: this.#webrtc, ...own, ...(this.isAway && { away: true }) };
  }

  /** For those who run the relay. */
  get report(): SessionReport {
    const link = this.session.activeLink;
    return {
      sessionId: this.id,
      number: this.number,
      link: link?.kind,
      rttMs: this.session.rttMs,
      queuedBytes: this.session.queuedBytes,
      heldBytes: this.heldBytes,
      unacknowledged: this.session.unacknowledged,
      connectedS: Math.floor((this.#scheduler.nowMs() - this.#cameAtMs) / 1000),
    };
  }

  /**
   * About what is kept in memory because of what this participant does or does not do. Bulk that the room's authority
   * sends is left out: many receivers share its bytes, and how much it is the game decides.
   */
  get heldBytes(): number {
    const { session } = this;
    return (
      Math.max(0, session.heldBytes - session.waitingBulkBytes) + this.retained.bytes + session.linkBytes
    );
  }

  /** Whether the others know of this participant. Before its link is open, what they send to it would be lost. */
  get isIntroduced(): boolean {
    return this.#isIntroduced;
  }

  /** From now on the others know of this participant. */
  introduce(): void {
    this.#isIntroduced = true;
  }

  get isGone(): boolean {
    return this.#presence.at === "gone";
  }

  /** Whether it has no link and may come back. */
  get isAway(): boolean {
    return this.#presence.at === "away" || this.#presence.at === "returning";
  }

  /** Whether its page was closed, or sleeps: then it has no direct links to others either. */
  get isPageClosed(): boolean {
    return this.#presence.at === "away" && this.#presence.page !== "open";
  }

  /** The seat of a closed page is kept for this time, ms; undefined while the page is open. */
  get unloadGraceMs(): number | undefined {
    const isClosed = this.#presence.at === "away" && this.#presence.page === "closed";
    return isClosed ? this.#options.limits.unloadGraceMs : undefined;
  }

  /** Whether a link carries such traffic to this participant now. */
  canTake(trafficClass: TrafficClassName): boolean {
    return this.session.linkFor(trafficClass)?.state === "open";
  }

  /** The window in which packets of this class wait for others; undefined if they do not all use one socket. */
  heldFrames(trafficClass: TrafficClassName): HeldFrames | undefined {
    const newest = this.#newest;
    if (!newest || this.session.linkFor(trafficClass) !== newest) return undefined;
    const alternates = (trafficClass === "state" || trafficClass === "input") && newest.width > 1;
    return alternates ? undefined : this.#held;
  }

  /** Whether what waited there may leave at once: the link has room, and nothing waits for it in the session's queue. */
  takesAtOnce(held: HeldFrames): boolean {
    const { session } = this;
    const isOpen = held.link.link.state === "open" && this.heldFrames("command") === held;
    return isOpen && held.link.link.hasRoom("command") && session.queuedBytes === session.linkBytes;
  }

  /** The link that brings all states in the order in which they are sent; undefined where they may be lost or overtake. */
  get inOrderLink(): Link | undefined {
    const newest = this.#newest;
    const isInOrder = newest?.isUnreliable === false && newest.width === 1;
    return isInOrder && this.session.linkFor("state") === newest ? newest : undefined;
  }

  /** Changes what the others see; false where it is so already. */
  setWebrtc(webrtc: boolean): boolean {
    if (webrtc === this.#webrtc) return false;
    this.#webrtc = webrtc;
    return true;
  }

  /** Whether the secret is one with which another page may take this seat. Compares in constant time. */
  hasToken(token: string): boolean {
    const hash = hashOf(token);
    return this.tokens.filter((known) => timingSafeEqual(hash, known)).length > 0;
  }

  /** The newest alone, once the welcome that brought it has arrived. */
  get tokens(): readonly Buffer[] {
    const hasArrived = this.#welcomeId !== undefined && this.session.isAcknowledged(this.#welcomeId);
    return hasArrived ? this.#tokens.slice(-1) : this.#tokens;
  }

  /** Whether one more message that the relay passes on for this participant is within its rate. */
  admitSignal(): boolean {
    return this.#meter.admitSignal();
  }

  /** The host holds back a message beyond a rate of its own: counted; whoever goes on is cut as flooding. */
  reportExceeded(subject: LimitSubject): void {
    this.#meter.reportExceeded(subject);
  }

  /** A secret with which this session may take another link, once the message that `send` sends has arrived. */
  tellResumeToken(message: (resumeToken: string) => ServerMessage): void {
    const messageId = this.tell(message(this.#resumeTokens.issue()));
    if (messageId === undefined) return;
    this.#resumeTokens.sent(messageId);
    this.#welcomeId ??= messageId;
  }

  /** Whether the token may be used to go on with this session; one that was used and replaced may not. */
  acceptsResumeToken(token: string): boolean {
    return this.#resumeTokens.accepts(token, (messageId) => this.session.isAcknowledged(messageId));
  }

  /** A hidden page may be slow: its silence is borne longer. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    this.session.bearSilence(isHidden ? this.#options.limits.hiddenTimeoutMs : 0);
  }

  /** One more socket for this participant's states; refused where there are enough, or none to go with. */
  addStripe(stripe: AdmittedLink): void {
    const striped = this.#newest;
    if (striped?.state !== "open" || striped.stripeCount >= MAX_STRIPES) {
      return stripe.link.close(CloseCode.refused, "no more sockets for this session");
    }
    this.#guard(stripe);
    striped.add(stripe.link);
  }

  /** Makes the link the only one. */
  attach(first: AdmittedLink): void {
    this.#linkAddress = first.address;
    const older = [...this.#links];
    const link = new StripedLink({
      scheduler: this.#scheduler,
      first: first.link,
      highWaterBytes: HIGH_WATER_BYTES,
    });
    this.#newest = link;
    this.#held = first.takesFrames ? new HeldFrames(first) : undefined;
    this.#links.add(link);
    this.#cancelGrace?.();
    this.#cancelGrace = undefined;
    if (this.#presence.at === "away") {
      this.#presence = { at: "returning", wasSeated: this.#presence.wasSeated };
    }
    for (const old of older) old.close(CloseCode.replaced, "a newer link of this session took over");
    this.#guard(first);
    this.session.attach(link, {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: LINK_CONNECT_TIMEOUT_MS,
      timeoutMs: this.#options.limits.linkTimeoutMs,
      heartbeatMs: HEARTBEAT_MS,
      measureMs: MEASURE_MS,
    });
  }

  /** Adds a link that carries a part of the traffic, beside the one that the participant came with. */
  attachBeside(beside: AdmittedLink, options: LinkMonitorOptions): void {
    this.#guard(beside);
    this.session.attach(beside.link, options);
  }

  /** Sends a control message; never throws. A message that cannot be written or sent ends the participant. */
  tell(message: ServerMessage): number | undefined {
    try {
      return this.send(writeControl(message));
    } catch (error) {
      this.fail("packet", error);
      return undefined;
    }
  }

  /** Sends several control messages in as few packets as possible. */
  tellAll(messages: readonly ServerMessage[]): void {
    if (messages.length > 0) this.#send(messages.map((message) => writeControl(message)));
  }

  /**
   * Sends a payload that is encoded already. A participant that lets too many wait is out. Throws `ConfigError` for one
   * that is too long.
   */
  send(payload: Uint8Array, periodMs?: number): number | undefined {
    return this.#send([payload], periodMs);
  }

  #send(payloads: readonly Uint8Array[], periodMs?: number): number | undefined {
    if (this.isGone) return undefined;
    try {
      return this.session.sendAllReliable(payloads, periodMs);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (error instanceof NetError)
        this.end(CloseCode.tooSlow, "too many messages wait for an acknowledgement");
      else this.fail("packet", error);
      return undefined;
    }
  }

  /** Takes the participant out: closes its session and its links. Never throws. */
  end(code: number, reason: string): void {
    if (this.isGone) return;
    try {
      this.session.close(code, reason);
    } catch (error) {
      this.#options.handlers.onFault(this, "packet", error);
    }
    this.#gone({ code, reason });
  }

  /** Something was thrown while this participant was served: it is reported, and the participant is out. */
  fail(place: FaultPlace, error: unknown): void {
    this.#options.handlers.onFault(this, place, error);
    // To say so may fail for the same reason.
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.end(CloseCode.internalError, "the server failed while it served this session");
  }

  /** The participant is kept this long without a link, from the moment it lost its link; undefined while it has one. */
  keepFor(graceMs: number): void {
    if (this.#presence.at !== "away") return;
    this.#cancelGrace?.();
    this.#keptUntilMs = this.#presence.sinceMs + graceMs;
    const leftMs = this.#keptUntilMs - this.#scheduler.nowMs();
    this.#cancelGrace = this.#scheduler.after(leftMs, () =>
      this.end(CloseCode.timeout, "did not come back in time"),
    );
  }

  /** Keeps the participant so long from now on, if it has no link: the page that follows is on its way. */
  keepAtLeast(ms: number): void {
    const untilMs = Math.max(this.#keptUntilMs, this.#scheduler.nowMs() + ms);
    if (this.#presence.at === "away") this.keepFor(untilMs - this.#presence.sinceMs);
  }

  #guard(link: AdmittedLink): void {
    link.measure(this.#meter, (error) => this.fail("packet", error));
  }

  #receive(payload: Uint8Array): void {
    const { host } = this.room;
    if (host && payload[0] !== PayloadKind.control) return host.receive(this, payload);
    const message = payload[0] === PayloadKind.control ? readClientMessage(payload.subarray(1)) : undefined;
    if (message === undefined) return this.session.reportViolation("bad-message");
    this.#options.handlers.onMessage(this, message, payload.length);
  }

  /** The reader of events, states and inputs; without one they are dropped and counted. */
  get #host(): RoomHost | undefined {
    const { host } = this.room;
    if (!host) this.session.drops.count("not-allowed");
    return host;
  }

  #receiveBulk(payload: Uint8Array): void {
    const { host } = this.room;
    if (host && payload[0] === PayloadKind.command) host.receive(this, payload);
    else this.session.reportViolation("bad-message");
  }

  /** Whether none of its links has been open yet. */
  get #wasSeated(): boolean {
    const presence = this.#presence;
    return "wasSeated" in presence ? presence.wasSeated : presence.at === "seated";
  }

  #opened(): void {
    const { handlers } = this.#options;
    const { isAway: wasAway } = this;
    const wasSeated = this.#wasSeated;
    if (!this.isGone) this.#presence = { at: "connected" };
    if (wasSeated) handlers.onOpened(this);
    else handlers.onReturned(this, wasAway);
  }

  #linkDown(link: Link, close: LinkClose, isLast: boolean): void {
    this.#links.delete(link);
    if (this.isGone || this.#links.size > 0 || this.#presence.at === "away") return;
    // A client that leaves while its queue is full can say so by the close alone; a WebRTC link has no code of its own.
    if (close.code === CloseCode.left && link.kind !== "webrtc") return this.end(CloseCode.left, "left");
    const page = pageAfter(close.code);
    // The WebSocket alone has died: WebRTC goes on with the session, until it ends too.
    if (page === "open" && !isLast) return;
    this.#presence = { at: "away", sinceMs: this.#scheduler.nowMs(), page, wasSeated: this.#wasSeated };
    this.keepFor(this.#graceMsOf(page));
    this.#options.handlers.onDropped(this);
  }

  /** A browser may say that a page is hidden while it closes it: a closed page is not a hidden one. */
  #graceMsOf(page: "open" | "asleep" | "closed"): number {
    const { reconnectGraceMs, hiddenGraceMs, unloadGraceMs } = this.#options.limits;
    if (page === "closed") return unloadGraceMs;
    return this.#isHidden || page === "asleep" ? Math.max(reconnectGraceMs, hiddenGraceMs) : reconnectGraceMs;
  }

  #gone(close: LinkClose): void {
    if (this.isGone) return;
    this.#presence = { at: "gone" };
    this.#cancelGrace?.();
    this.#options.handlers.onGone(this, close);
  }
}

/** Reads from a link's close what happened to its page. */
function pageAfter(code: number): "open" | "asleep" | "closed" {
  if (code === CloseCode.unloaded || code === GOING_AWAY) return "closed";
  return code === CloseCode.suspended ? "asleep" : "open";
}
