import { timingSafeEqual } from "node:crypto";
import {
  CloseCode,
  ConfigError,
  NetError,
  PayloadKind,
  isRouted,
  limits as wireLimits,
  readClientMessage,
  sequenceDistance,
  writeControl,
  type ClientMessage,
  type PeerInfo,
  type ServerMessage,
  type TrafficClassName,
} from "@paceline/protocol";
import {
  GuardedScheduler,
  Session,
  type Cancel,
  type DropCounters,
  type Link,
  type LinkClose,
  type SavedSession,
  type TokenBucket,
} from "@paceline/transport";
import type { AdmittedLink } from "../admission/admitted-link.js";
import type { FaultPlace, LimitSubject } from "../ops/relay-counters.js";
import type { OwnPauses } from "../ops/own-pauses.js";
import type { SavedSeat } from "../saving/saved-room.js";
import type { SessionReport } from "../ops/report.js";
import { ResumeTokens, hashOf } from "../admission/resume-tokens.js";
import type { Room, SessionSettings } from "./room.js";
import type { ParticipantCallbacks } from "./authority.js";
import type { ForwardShare } from "../limits/forward-rates.js";
import { LINK_CONNECT_TIMEOUT_MS, ParticipantLinks } from "./participant-links.js";
import { ParticipantNews } from "./participant-news.js";
import { ReadingPause } from "./reading-pause.js";
import { StreamSlots } from "./stream-slots.js";
import { SessionMeter } from "../limits/session-meter.js";
import { UpdateFilter } from "./update-filter.js";
import { WaitingPackets } from "./waiting-packets.js";

/** A participant's state, from its seat to its end. */
type Presence =
  /** The others do not know of it: its link is not open yet, or the room's authority has not decided. */
  | { readonly at: "joining" }
  /** The others know of it, and it has a link. */
  | { readonly at: "in" }
  | {
      readonly at: "away";
      /** The loss of its link. */
      readonly sinceMs: number;
      /** The last known state of its page. */
      readonly page: "open" | "asleep" | "closed";
      /** The end of its grace period. */
      keptUntilMs: number;
      cancelGrace: Cancel;
    }
  /** `ending`: its session is being closed. A further end, as after an error of the close, does nothing. */
  | { readonly at: "ending" | "left"; readonly wasIntroduced: boolean };

/** Options of a {@link Participant}. */
export interface ParticipantOptions {
  readonly number: number;
  /** The player's number; a reload keeps it. */
  readonly seat: number;
  /** Session id. It is no secret: the others see it. */
  readonly id: string;
  readonly webrtc: boolean;
  /** Hashes of the tokens with which another page may take this seat, the newest last. */
  readonly tokens: readonly Uint8Array[];
  /** Network address of the seat's request. */
  readonly address: string;
  readonly addressEgress: readonly TokenBucket[];
  readonly room: Room;
  /** The seat of an earlier process with which it goes on. Its session goes on only if `isResumable`. */
  readonly saved?: { readonly seat: SavedSeat; readonly isResumable: boolean } | undefined;
  /** Messages of an earlier session of this seat that the page may lack: see {@link Participant.kept}. */
  readonly kept?: KeptMessages | undefined;
}

/** Messages that an earlier session of a seat leaves to the next one, after a restore of the room. */
export interface KeptMessages {
  /** Both windows of the last session that the client knows. */
  readonly session: SavedSession;
  /** The room's messages since then. */
  readonly further: readonly Uint8Array[];
}

/** The relay, as its participants see it. */
export interface ParticipantContext {
  readonly settings: SessionSettings;
  readonly pauses: OwnPauses;
  /** Time by which the server's clock is ahead of this process's, since it goes on from an earlier one, ms. */
  readonly clockShiftMs: number;
  /** Counts the drops of all sessions together. */
  readonly drops: DropCounters;
  onMessage(participant: Participant, message: ClientMessage, messageBytes: number): void;
  onRouted(participant: Participant, packet: Uint8Array): void;
  /** Called when the client uses another link. */
  onResumed(participant: Participant): void;
  /**
   * Called once, when the participant has ended, by either side. A promise that it returns resolves when the
   * room's authority has let the participant go.
   */
  onGone(participant: Participant, close: LinkClose): Promise<unknown> | undefined;
}

/**
 * Close code of a browser whose page goes away (RFC 6455, 7.4.1). Firefox sends it before the page can send
 * its own.
 */
const GOING_AWAY = 1001;
/** Limit for a page whose welcome is lost again and again. Older tokens are forgotten. */
const MAX_TOKENS = 4;
/** Time for which a participant that has left waits for its room's authority, ms. */
const FAREWELL_MS = 2000;
/** Time for the first packet of a newcomer, ms: that for which a client waits for an answer. */
const FIRST_PACKET_MS = 20_000;
/** Shortest time for which a seat is kept after its room was restored, ms: a page of a new build may have to load. */
const MIN_RESTORED_MS = 30_000;
/** Reason of the close of links whose session goes on in the next process. */
const MOVING = "moving";
/** One member of a room: a session that outlives its links for the grace period. */
export class Participant {
  readonly number: number;
  /** The player's number: that of the first session in this seat. */
  readonly seat: number;
  readonly id: string;
  readonly address: string;
  readonly room: Room;
  readonly session: Session;
  /** The game's half; undefined in a mesh, and when the room's authority does not know the participant. */
  callbacks: ParticipantCallbacks | undefined;
  /**
   * The forwarder's round in which this participant last got a packet. By it, the forwarder skips repeated
   * targets.
   */
  lastRound = 0;
  #isResumable: boolean;
  /** Updates that the forwarder has passed to this participant. */
  readonly filter = new UpdateFilter();
  /** Bytes that the cells which it sees and its states in cells take at the forwarder. */
  cellBytes = 0;
  readonly slots: StreamSlots;
  readonly resumeTokens: ResumeTokens;
  /**
   * Both windows of a session that could not go on when its room was restored, until the seat's next welcome has
   * arrived. The client says how much of them it has, and learns what the restored room has.
   */
  #kept: KeptMessages | undefined;
  /** Messages of an earlier session that this one repeats. */
  readonly #repeated = new Set<Uint8Array>();
  readonly meter: SessionMeter;
  readonly forwards: ForwardShare;
  /** Its packets that wait until its room may forward them. */
  readonly waiting = new WaitingPackets();
  readonly reading: ReadingPause;
  readonly links: ParticipantLinks;
  readonly news: ParticipantNews;
  #introductions: Uint8Array[] = [];
  readonly #context: ParticipantContext;
  readonly #scheduler: GuardedScheduler;
  readonly #tokens: readonly Uint8Array[];
  #welcomeId: number | undefined;
  #presence: Presence = { at: "joining" };
  /** The last message of its page about itself. `isLast`: no other page will take its seat, which then ends with it. */
  #page = { isHidden: false, isLast: false };
  readonly #joinedAtMs: number;
  #info: PeerInfo | undefined;

  constructor(options: ParticipantOptions, context: ParticipantContext) {
    this.#context = context;
    const { settings, drops } = context;
    const { limits } = settings;
    const scheduler = new GuardedScheduler(settings.scheduler, (error) => this.fail("timer", error));
    this.#scheduler = scheduler;
    this.number = options.number;
    this.seat = options.seat;
    this.id = options.id;
    this.address = options.address;
    this.room = options.room;
    this.#joinedAtMs = scheduler.nowMs();
    this.#tokens = options.tokens.slice(-MAX_TOKENS);
    const { room } = options;
    const shares = room.shares(this.#joinedAtMs);
    this.forwards = shares.forwards;
    this.reading = new ReadingPause(shares.forwards, scheduler, settings.counters);
    this.news = new ParticipantNews(this, scheduler, options.webrtc);
    this.meter = this.#newMeter(shares, options.addressEgress);
    this.slots = new StreamSlots(scheduler);
    const { saved } = options;
    this.resumeTokens = new ResumeTokens(saved?.isResumable ? saved.seat.resumeTokens : []);
    this.#isResumable = saved?.isResumable !== false;
    this.#kept = saved && !saved.isResumable ? saved.seat : options.kept;
    this.session = new Session({
      scheduler,
      saved: saved?.isResumable ? saved.seat.session : undefined,
      clockShiftMs: () => context.clockShiftMs,
      drops,
      maxForwardedBytes: limits.queuedCommandBytes,
      allowance: this.meter.allowance,
      // The relay forwards bulk between players. Only an authority reads it.
      bulkBytes: () => (room.host ? wireLimits.authorityBulkBytes : 0),
      handlers: {
        onBulk: (payload) => this.#receiveBulk(payload),
        onEvent: (body) => this.#reader?.receiveEvent(body),
        onState: (body, tick) => this.#reader?.receiveState(body, tick),
        onInput: (body) => this.#reader?.receiveInput(body),
        onAcknowledged: (sequence) => this.callbacks?.acknowledged(sequence),
        onReliable: (payload) => this.#receive(payload),
        onRouted: (packet) => context.onRouted(this, packet),
        onActiveLink: (link) => link && !this.links.isOffered(link) && this.#opened(),
        onLinkDown: (link, close, isLast) => this.#linkDown(link, close, isLast),
        onClosed: (close) => void this.#gone(close),
      },
    });
    const { reading, session } = this;
    const guard = (link: AdmittedLink): void => this.#guard(link);
    this.links = new ParticipantLinks({
      session,
      scheduler,
      linkTimeoutMs: limits.linkTimeoutMs,
      reading,
      guard,
    });
  }

  #newMeter(shares: ReturnType<Room["shares"]>, address: readonly TokenBucket[]): SessionMeter {
    const { drops, settings } = this.#context;
    return new SessionMeter({
      limits: settings.limits,
      clock: this.#scheduler,
      shares,
      address,
      onRefused: (subject) => {
        drops.count("rate-limit");
        settings.counters.count("limited", subject);
      },
      onTooLong: () => this.session.reportViolation("too-long"),
      onFlood: () => this.end(CloseCode.flooding, "more packets, bytes or messages than allowed"),
    });
  }

  /** Its entry in peer lists: one object until the entry changes. */
  get info(): PeerInfo {
    const { number, seat, id, isAway } = this;
    const { webrtc } = this.news;
    const known = this.#info;
    if (known?.webrtc === webrtc && known.away === (isAway || undefined)) return known;
    const own = seat === number ? {} : { seat };
    return (this.#info = { number, id, webrtc, ...own, ...(isAway && { away: true }) });
  }

  get report(): SessionReport {
    const link = this.session.activeLink;
    return {
      sessionId: this.id,
      number: this.number,
      link: link?.kind,
      rttMs: this.session.rttMs,
      queuedBytes: this.session.queuedBytes,
      heldBytes: this.heldBytes,
      unacknowledged: this.session.commands.length,
      connectedS: Math.floor((this.#scheduler.nowMs() - this.#joinedAtMs) / 1000),
    };
  }

  /**
   * Approximate memory kept for this participant, bytes. Excludes bulk that the room's authority sends: many
   * receivers share its bytes, and the game decides its size.
   */
  get heldBytes(): number {
    const { session } = this;
    return (
      Math.max(0, session.heldBytes - session.bulk.bytes) +
      this.slots.bytes +
      this.cellBytes +
      this.waiting.bytes +
      session.linkBytes
    );
  }

  /** True once the participant has ended. The links of one that leaves stay open for a moment. */
  get isGone(): boolean {
    return this.#presence.at === "left";
  }

  /** True if the others know of this participant. Packets to it before its link is open would be lost. */
  get isIntroduced(): boolean {
    switch (this.#presence.at) {
      case "joining":
        return false;
      case "in":
      case "away":
        return true;
      case "ending":
      case "left":
        return this.#presence.wasIntroduced;
    }
  }

  /** True if it has a seat that another process can go on with. */
  get isSeated(): boolean {
    return this.#presence.at === "in" || this.#presence.at === "away";
  }

  /** True if it has no open link and may come back. */
  get isAway(): boolean {
    return this.#presence.at === "away";
  }

  /** Time for which the seat of a closed page is kept, ms; undefined while the page is open. */
  get unloadGraceMs(): number | undefined {
    const isClosed = this.#presence.at === "away" && this.#presence.page === "closed";
    return isClosed ? this.#context.settings.limits.unloadGraceMs : undefined;
  }

  /** Returns true if an open link carries this class of traffic. */
  canTake(trafficClass: TrafficClassName): boolean {
    return this.session.linkFor(trafficClass)?.state === "open";
  }

  /**
   * The link that brings all states in the order of sending; undefined if states may be lost or overtake each
   * other.
   */
  get inOrderLink(): Link | undefined {
    return this.links.inOrder;
  }

  /** Returns true if another page may take this seat with the token. Compares in constant time. */
  hasToken(token: string): boolean {
    const hash = hashOf(token);
    return this.tokens.filter((known) => timingSafeEqual(hash, known)).length > 0;
  }

  /** Hashes of the valid tokens: only the newest, once its welcome has arrived. */
  get tokens(): readonly Uint8Array[] {
    return this.#isWelcomed ? this.#tokens.slice(-1) : this.#tokens;
  }

  get #isWelcomed(): boolean {
    return this.#welcomeId !== undefined && this.session.commands.isAcknowledged(this.#welcomeId);
  }

  /** Messages that an earlier session of this seat leaves, with the room's messages since; undefined if it is settled. */
  get kept(): KeptMessages | undefined {
    if (!this.#kept || this.#isWelcomed) return undefined;
    const since = this.#gameMessages.filter((payload) => !this.#repeated.has(payload));
    return { session: this.#kept.session, further: [...this.#kept.further, ...since] };
  }

  /** The game's messages without a receipt. The others are about the session itself. */
  get #gameMessages(): readonly Uint8Array[] {
    const { fragments } = this.session.save().sent.command;
    return fragments.filter((payload) => payload[0] === PayloadKind.command);
  }

  /** Sends the game's messages of an earlier session that the page lacks. `received`: the first of these. */
  repeat({ session, further }: KeptMessages, received: number): void {
    const { firstId, fragments } = session.sent.command;
    const missing = fragments.filter(
      (_, place) => sequenceDistance((firstId + place) & 0xffff, received) >= 0,
    );
    for (const payload of [...missing, ...further]) {
      if (payload[0] !== PayloadKind.command) continue;
      this.#repeated.add(payload);
      this.send(payload);
    }
  }

  /** The relay's half of the seat, for a save of its room. */
  save(): SavedSeat {
    const { id, number, seat, address, news, tokens, resumeTokens, slots } = this;
    const presence = this.#presence;
    const nowMs = this.#scheduler.nowMs();
    const keptMs = presence.at === "away" ? Math.max(0, presence.keptUntilMs - nowMs) : undefined;
    return {
      ...{ id, number, seat, webrtc: news.webrtc, isSpectator: this.room.isSpectator(this), address },
      ...{ isHidden: this.#page.isHidden, ...(keptMs !== undefined && { keptMs }), tokens },
      // A session that could not go on after a restore has nothing of its own yet.
      ...(this.kept ?? { session: this.session.save(), further: [] }),
      isExact: this.kept === undefined,
      ...{ resumeTokens: resumeTokens.saved, slots: slots.save() },
    };
  }

  /** False: the session of an earlier process cannot go on. The seat is taken by its token, as after a reload. */
  get isResumable(): boolean {
    return this.#isResumable;
  }

  /** Lets the seat alone go on, since the room's authority cannot go on with the session of an earlier process. */
  forgoSession(): void {
    if (!this.#isResumable) return;
    this.#isResumable = false;
    for (const payload of this.#gameMessages) this.#repeated.add(payload);
    this.#kept = { session: this.session.save(), further: [] };
  }

  /** Begins as one that is away, with the seat that an earlier process has saved. */
  restore({ isHidden, keptMs = 0, slots }: SavedSeat): void {
    const { limits } = this.#context.settings;
    const sinceMs = this.#scheduler.nowMs();
    const graceMs = isHidden
      ? Math.max(limits.reconnectGraceMs, limits.hiddenGraceMs)
      : limits.reconnectGraceMs;
    this.#page = { isHidden, isLast: false };
    this.#presence = {
      at: "away",
      sinceMs,
      page: "open",
      keptUntilMs: sinceMs,
      cancelGrace: () => undefined,
    };
    this.slots.restore(slots);
    this.keepFor(Math.max(MIN_RESTORED_MS, keptMs > 0 ? keptMs : graceMs));
  }

  /**
   * Stops serving the participant, whose seat another process goes on with. Its session does not end: the client keeps
   * its messages, and comes back at once.
   */
  move(): void {
    if (this.isGone) return;
    this.#finish("left");
    this.links.stop();
    this.reading.stop();
    this.news.stop();
    this.waiting.clear();
    for (const link of this.session.release()) link.close(CloseCode.serverShutdown, MOVING);
  }

  /**
   * Counts a message that the game's half holds back for a rate of its own. A participant that goes on is cut as
   * flooding.
   */
  reportExceeded(subject: LimitSubject): void {
    this.meter.reportExceeded(subject);
  }

  /** Sends a message with a new resume token. The token replaces older ones when the message has arrived. */
  sendResumeToken(message: (resumeToken: string) => ServerMessage): void {
    const messageId = this.sendControl(message(this.resumeTokens.issue()));
    if (messageId === undefined) return;
    this.resumeTokens.sent(messageId);
    this.#welcomeId ??= messageId;
  }

  /** Returns true if the session may continue with the token. A replaced token is refused. */
  acceptsResumeToken(token: string): boolean {
    return this.resumeTokens.accepts(token, (messageId) => this.session.commands.isAcknowledged(messageId));
  }

  /** Notes what the participant has said of its page. */
  setPage({ hidden, last }: Omit<ClientMessage & { type: "visibility" }, "type">): void {
    this.#page = { isHidden: hidden, isLast: last === true };
    this.#setTimeout();
  }

  /** Sets the timeout of the links: a hidden page may be slow, so it may be silent for longer. */
  #setTimeout(): void {
    this.session.setMinTimeout(this.#page.isHidden ? this.#context.settings.limits.hiddenTimeoutMs : 0);
  }

  /**
   * Takes the session's first link. Waits longer for its first packet: the answer to the upgrade may still be on
   * its way to a busy client.
   */
  attach(first: AdmittedLink): void {
    this.session.setMinTimeout(FIRST_PACKET_MS);
    this.links.attach(first, () => this.#setTimeout());
  }

  /**
   * Takes a link of a client that returns, see `ParticipantLinks.offer`. `announce`: sends `resumed`, at once
   * if no older link may still be in use.
   */
  offer(next: AdmittedLink, announce: () => void): void {
    const { isAway } = this;
    // The link may have arrived in time, and its first packet has not.
    this.keepAtLeast(LINK_CONNECT_TIMEOUT_MS);
    this.links.offer(next, () => {
      if (this.isAway) this.#opened();
      if (!isAway) announce();
      this.#context.onResumed(this);
    });
    if (isAway) announce();
  }

  /**
   * Charges packets that the room sends because of a message of this participant to its share of
   * `forwardsPerSecondPerRoom`. While it is in debt, the relay does not read its WebSocket, for 500 ms at most.
   */
  charge(packets: number): void {
    this.reading.charge(packets);
  }

  /** True: the debt is too large for a pause. The room refuses the participant's messages until it is paid. */
  get isOverdrawn(): boolean {
    return this.reading.isOverdrawn;
  }

  /** Sends a control message. Never throws: a message that cannot be written or sent ends the participant. */
  sendControl(message: ServerMessage): number | undefined {
    try {
      return this.send(writeControl(message));
    } catch (error) {
      this.fail("packet", error);
      return undefined;
    }
  }

  /** Sends encoded control messages in as few packets as possible. */
  sendAll(payloads: readonly Uint8Array[]): void {
    if (payloads.length > 0) this.#send(payloads);
  }

  /**
   * Sends an encoded payload. `periodMs`: time that it may wait to share a packet; default: that of its kind.
   * Ends the participant if its queue is too long. Throws `ConfigError` if the payload is too long.
   */
  send(payload: Uint8Array, periodMs?: number): number | undefined {
    return this.#send([payload], periodMs);
  }

  /** Lets the news of a newcomer wait for other messages, or for {@link sendIntroductions}. */
  addIntroduction(payload: Uint8Array): void {
    this.#introductions.push(payload);
  }

  /** Sends the waiting news of newcomers. The room's authority calls it before the states of a step. */
  sendIntroductions(): void {
    if (this.#introductions.length > 0) this.#send([]);
  }

  #send(payloads: readonly Uint8Array[], periodMs?: number): number | undefined {
    if (this.isGone) return undefined;
    try {
      if (this.#introductions.length === 0) return this.session.sendAllReliable(payloads, periodMs);
      // A message may be about a newcomer.
      const all = [...this.#introductions, ...payloads];
      this.#introductions = [];
      return this.session.sendAllReliable(all, 0);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (error instanceof NetError)
        this.end(CloseCode.tooSlow, "too many messages wait for an acknowledgement");
      else this.fail("packet", error);
      return undefined;
    }
  }

  /** Ends the participant: closes its session and its links. Never throws. */
  end(code: number, reason: string): void {
    if (this.isGone || this.#presence.at === "ending") return;
    this.#finish("ending");
    this.#close({ code, reason });
    void this.#gone({ code, reason });
  }

  /**
   * Ends a participant that leaves. The client waits for the end of its links. In a room with an authority they
   * end when the authority has let the participant go, so that the next `onJoin` of the player finds what
   * `onLeave` has stored.
   */
  leave(): void {
    const close = { code: CloseCode.left, reason: "left" };
    if (this.isGone) return;
    if (!this.room.host) return this.end(close.code, close.reason);
    const farewell = this.#gone(close) ?? Promise.resolve();
    const end = (): void => this.#close(close);
    const cancel = this.#scheduler.after(FAREWELL_MS, end);
    farewell.then(end, end).finally(cancel);
  }

  #close({ code, reason }: LinkClose): void {
    try {
      this.session.close(code, reason);
    } catch (error) {
      this.#report("packet", error);
    }
  }

  /** Reports an error from serving this participant, and ends the participant. */
  fail(place: FaultPlace, error: unknown): void {
    this.#report(place, error);
    this.end(CloseCode.internalError, "the server failed while it served this session");
  }

  #report(place: FaultPlace, error: unknown): void {
    this.#context.settings.faults.report(place, error, { sessionId: this.id, roomId: this.room.id });
  }

  /**
   * Keeps the participant for `graceMs` without a link, counted from the loss of its link. Does nothing while
   * it has a link.
   */
  keepFor(graceMs: number): void {
    if (this.#presence.at !== "away") return;
    this.#presence.cancelGrace();
    this.#presence.keptUntilMs = this.#presence.sinceMs + graceMs;
    const leftMs = this.#presence.keptUntilMs - this.#scheduler.nowMs();
    const giveUp = (): void => this.end(CloseCode.timeout, "did not come back in time");
    this.#presence.cancelGrace = this.#context.pauses.after(leftMs, this.#scheduler.guarded(giveUp));
  }

  /**
   * Keeps a participant without a link for at least `ms` from this moment, since the next page is on its way.
   */
  keepAtLeast(ms: number): void {
    if (this.#presence.at !== "away") return;
    const { keptUntilMs, sinceMs } = this.#presence;
    this.keepFor(Math.max(keptUntilMs, this.#scheduler.nowMs() + ms) - sinceMs);
  }

  #guard(link: AdmittedLink): void {
    link.meter = this.meter;
    link.onFault = (error) => this.fail("packet", error);
    link.onLate = (packet) => {
      // Messages to the server itself are repeated over the newer link.
      if (isRouted(packet) && !this.isGone) this.#context.drops.count("outdated");
    };
  }

  #receive(payload: Uint8Array): void {
    // The links of a participant that has left may still be open.
    if (this.isGone) return;
    if (this.room.host && payload[0] !== PayloadKind.control) return this.callbacks?.receive(payload);
    const message =
      payload[0] === PayloadKind.control
        ? readClientMessage(payload.subarray(1), this.chargeItems)
        : undefined;
    if (message === undefined) return this.session.reportViolation("bad-message");
    this.#context.onMessage(this, message, payload.length);
  }

  /** Charges items of msgpack values that are decoded for this participant, see `messagesPerSecond`. */
  get chargeItems(): (items: number) => void {
    return this.meter.allowance.chargeItems;
  }

  /** The reader of a packet. In a mesh, counts a drop: nobody reads it. */
  get #reader(): ParticipantCallbacks | undefined {
    if (!this.room.host) this.session.drops.count("not-allowed");
    return this.callbacks;
  }

  #receiveBulk(payload: Uint8Array): void {
    if (this.room.host && payload[0] === PayloadKind.command) this.callbacks?.receive(payload);
    else this.session.reportViolation("bad-message");
  }

  /** Called when a link that the client uses is open: the first one, or another one. */
  #opened(): void {
    const { room, number } = this;
    switch (this.#presence.at) {
      case "joining":
        // An authority decides first.
        if (!room.host) this.introduce();
        return;
      case "in":
        // With an authority, players exchange nothing: a change of links without an absence loses nothing.
        if (!room.host) this.news.announce({ type: "back", number });
        return;
      case "away":
        this.#presence.cancelGrace();
        this.#presence = { at: "in" };
        this.news.announce({ type: "back", number });
        room.callHost(() => this.callbacks?.returned());
        return;
      case "ending":
      case "left":
        return;
    }
  }

  /** Tells the others of this participant. */
  introduce(): void {
    this.#presence = { at: "in" };
    this.room.introduce(this);
  }

  #linkDown(link: Link, close: LinkClose, isLast: boolean): void {
    if (!this.links.down(link) || (this.#presence.at !== "joining" && this.#presence.at !== "in")) return;
    // A client that leaves with a full queue can say so only by the close code. A WebRTC close has no code.
    if (close.code === CloseCode.left && link.kind !== "webrtc") return this.end(CloseCode.left, "left");
    // Nobody has a token for this session yet: the welcome with it leaves when the participant is let in.
    if (this.#presence.at === "joining") {
      return this.end(CloseCode.timeout, "the link broke before the player was let in");
    }
    const page = pageAfter(close.code);
    if (page === "closed" && this.#page.isLast) return this.end(CloseCode.unloaded, "the page was closed");
    // Only the WebSocket has closed. The session goes on over WebRTC until that closes too.
    if (page === "open" && !isLast) return;
    const sinceMs = this.#scheduler.nowMs();
    this.#presence = { at: "away", sinceMs, page, keptUntilMs: sinceMs, cancelGrace: () => undefined };
    this.keepFor(this.#graceMsOf(page));
    const { room, number } = this;
    // The direct links of a page that is closed or asleep are gone too.
    this.news.announce({ type: "away", number, closed: page !== "open" });
    room.callHost(() => this.callbacks?.dropped());
  }

  /**
   * Returns the grace period, ms. A browser may report a closing page as hidden first, so "closed" takes
   * precedence.
   */
  #graceMsOf(page: "open" | "asleep" | "closed"): number {
    const { reconnectGraceMs, hiddenGraceMs, unloadGraceMs } = this.#context.settings.limits;
    if (page === "closed") return unloadGraceMs;
    return this.#page.isHidden || page === "asleep"
      ? Math.max(reconnectGraceMs, hiddenGraceMs)
      : reconnectGraceMs;
  }

  #gone(close: LinkClose): Promise<unknown> | undefined {
    if (this.isGone) return undefined;
    this.#finish("left");
    this.links.stop();
    this.reading.stop();
    this.news.stop();
    this.#context.drops.count("not-routable", this.waiting.length);
    this.waiting.clear();
    return this.#context.onGone(this, close);
  }

  #finish(at: "ending" | "left"): void {
    if (this.#presence.at === "away") this.#presence.cancelGrace();
    this.#presence = { at, wasIntroduced: this.isIntroduced };
  }
}

/** Returns the state of the page after a link closed with this code. */
function pageAfter(code: number): "open" | "asleep" | "closed" {
  if (code === CloseCode.unloaded || code === GOING_AWAY) return "closed";
  return code === CloseCode.suspended ? "asleep" : "open";
}
