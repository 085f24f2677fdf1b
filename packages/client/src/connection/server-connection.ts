import {
  CloseCode,
  NetError,
  PayloadKind,
  isFinalClose,
  readServerMessage,
  sequenceDistance,
  writeControl,
  type ClientMessage,
} from "@paceline/protocol";
import {
  DropCounters,
  Session,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type SavedSession,
  type Uplink,
  type Explanation,
} from "@paceline/transport";
import { errorOf, isBroken, returnRefusalOf } from "./close-meaning.js";
import {
  nextConnectionState,
  type ConnectionEvent,
  type ConnectionState,
  type OwnedSeat,
  type Phase,
  type Returning,
} from "./connection-state.js";
import { Listeners } from "../listeners.js";
import { Farewell } from "./farewell.js";
import { ANSWER_TIMEOUT_MS } from "./first-attempt.js";
import { reconnectionTokenOf } from "./match-request.js";
import { isWorker, type PageEvent } from "../browser/page.js";
import { serverPathInWords, serverStatsOf, type ServerStats } from "../stats/path-stats.js";
import { RateMeter } from "../stats/rate-meter.js";
import { ReturnPlan } from "./return-plan.js";
import { SeatRequests } from "./seat-requests.js";
import { JOIN_LIMIT_MS, ServerJoin } from "./server-join.js";
import { ServerLinks, isSocket } from "./server-links.js";
import type {
  ServerConnectionHandlers,
  ServerConnectionOptions,
  Welcome,
} from "./server-connection-options.js";
import { Stripes, type SocketCount, type StripeWish } from "./stripes.js";
import { ownSeatOf, type TabSeat } from "./tab-seat.js";

/** Silence limit of a hidden page's link, ms, at the server and here. */
const HIDDEN_TIMEOUT_MS = 60_000;
/** Close of a connection whose server answers a newcomer with anything but a welcome of this version. */
const UNREADABLE: LinkClose = {
  code: CloseCode.versionMismatch,
  reason: "unreadable welcome: update client or server",
};

/**
 * Connection to the server, from its {@link ServerJoin} to its {@link Farewell}: carries control messages and
 * envelopes, and returns after a drop.
 */
export class ServerConnection {
  /** Reports the new link for states to the server, or undefined if there is none. */
  readonly stateLinks = new Listeners<[Link | undefined]>();
  readonly linkEnds = new Listeners<[Link, LinkClose]>();
  /** Reports that the network may have changed, also after the page slept. */
  readonly networks = new Listeners<[]>();
  /** Takers of what this connection reports: those of the join, and then those of its room. */
  handlers: ServerConnectionHandlers;
  readonly #options: ServerConnectionOptions;
  readonly #stripes: Stripes;
  readonly #plan: ReturnPlan;
  readonly #links: ServerLinks;
  readonly #meter: RateMeter;
  /** Counts the drops of all sessions with the server. */
  readonly #drops = new DropCounters();
  readonly #tabSeat: TabSeat;
  readonly #seats: SeatRequests;
  readonly #farewell = new Farewell();
  #phase: Phase;
  #session: Session;
  #unacknowledged = 0;
  /** Both windows of the session that the server has dropped, until the next welcome. */
  #lost: SavedSession | undefined;
  #isAsleep = false;
  /** True if nothing can take over the seat of this page or Worker when that is closed. */
  #isLastPage = isWorker();
  #ignorePage: (() => void) | undefined;
  readonly #onPage: Readonly<Record<PageEvent, () => void>> = {
    hidden: () => this.#setHidden(true),
    visible: () => this.#setHidden(false),
    // The browser may be wrong about it. One second without a pong confirms it.
    offline: () => this.ping(),
    online: () => this.#networkChanged(),
    suspend: () => this.#sleep(),
    wake: () => this.#wake(),
    unload: () => this.#endLinks(CloseCode.unloaded, "the page was closed"),
  };

  constructor(options: ServerConnectionOptions) {
    const { scheduler, serverUrl, page } = options;
    this.#options = options;
    this.handlers = options.handlers;
    this.#links = new ServerLinks(options, this.#farewell);
    this.#tabSeat = options.first.tabSeat;
    this.#meter = new RateMeter(options.scheduler.nowMs());
    const join = new ServerJoin({
      ...options,
      open: ({ call, first }) => {
        this.#seats.call = call;
        if (!first) return undefined;
        this.#links.url = first.linkUrl;
        return this.#attach(this.#links.over(first));
      },
      requestSeat: (signal) => this.#takeSeat(signal),
      isOpening: () => this.#links.connecting.length > 0,
      onRefused: (error) => this.#refuse(error),
    });
    this.#phase = { name: "joining", join };
    this.#session = this.#newSession();
    this.#plan = new ReturnPlan({
      scheduler,
      serverUrl,
      attempt: () => this.#attempt(),
      attemptRace: () => {
        if (this.#seat && !this.#isAsleep) this.#links.resume(this.#session, this.#seat);
      },
      onGiveUp: (reason) => {
        // A sleeping page has made no attempts.
        if (this.#isAsleep) return;
        const { refusal } = this.#phase as Partial<Returning>;
        this.#end(refusal ?? { code: CloseCode.timeout, reason });
      },
    });
    this.#seats = new SeatRequests(options.call);
    this.#stripes = new Stripes({
      scheduler,
      loadStripes: options.loadStripes,
      ask: () => this.send({ type: "stripe" }),
      open: (ticket) => this.#links.open(`stripe.${ticket}`),
      session: () => this.#session,
      onChange: (sockets, reason) => this.handlers.onSockets(sockets, reason),
      onStalls: () => this.handlers.onStalls(),
    });
    this.#ignorePage = page?.onEvent((event) => this.#onPage[event]());
  }

  get state(): ConnectionState {
    return this.#phase.name;
  }

  get link(): Link | undefined {
    return this.#session.activeLink;
  }

  /** Session with the server. A new one replaces it after the server has dropped it. */
  get session(): Session {
    return this.#session;
  }

  /** Sender to the server for each traffic class; undefined while there is no link. */
  get uplink(): Uplink | undefined {
    return this.link && this.#session;
  }

  /** True if states and pongs of the server arrive over one link, in the order of sending. */
  get isOneStream(): boolean {
    return this.#session.linkFor("state") === this.link && this.#stripes.present.sockets === 1;
  }

  get explanation(): Explanation {
    return serverPathInWords(this.state, this.#session, this.#stripes.present);
  }

  /** The end of the connection as the error of a join; undefined before it. */
  get endError(): NetError | undefined {
    return this.#phase.name === "left" ? errorOf(this.#phase.close) : undefined;
  }

  /** False while the server has dropped the session, and has not let this participant in again. */
  get hasSeat(): boolean {
    return this.#seat !== undefined;
  }

  /** The seat of the session; that of the last one after its end. */
  get #isReturning(): boolean {
    return this.state === "dropped" && !this.hasSeat;
  }

  get #seat(): OwnedSeat | undefined {
    return this.#phase.seat;
  }

  setSockets(sockets: SocketCount): void {
    this.#stripes.force(sockets);
  }

  planSockets(wish: StripeWish): void {
    this.#stripes.plan(wish);
  }

  get stats(): ServerStats {
    return serverStatsOf(this.#session, this.#meter.rates, {
      sockets: this.#stripes.present.sockets,
      stallRatio: this.#stripes.stallRatio,
      stalls: this.#stripes.stalls,
    });
  }

  sample(nowMs: number): void {
    for (const link of this.#session.links) this.#meter.take(link);
    this.#meter.sample(nowMs);
  }

  /**
   * Takes a seat. Resolves to the server's welcome. Those of later joins are for {@link ServerConnectionHandlers}.
   */
  join(): Promise<Welcome> {
    return this.#join!.begin();
  }

  /** The join; undefined after it. */
  get #join(): ServerJoin | undefined {
    return this.#phase.name === "joining" ? this.#phase.join : undefined;
  }

  /**
   * Session id, secret and what the player gave, for `Client.reconnect` in another page. Who reads it may come back
   * with it.
   */
  get reconnectionToken(): string {
    const seat = this.#seat;
    if (!seat) return "";
    if (this.#isLastPage) {
      this.#isLastPage = false;
      this.#tellPage();
    }
    return reconnectionTokenOf(seat.sessionId, seat.token, this.#options.call);
  }

  /**
   * Sends a control message, or holds it while the connection is down. Drops it if the game has filled the
   * queue: important requests are repeated, and a leave closes the session anyway. Drops it without a seat,
   * too: it names players by the numbers of the room that is lost, and others have them in the next one. Returns
   * false if it is dropped.
   */
  send(message: ClientMessage): boolean {
    if (this.#session.isClosed || !this.hasSeat) return false;
    try {
      this.#session.sendReliable(writeControl(message));
      return true;
    } catch (error) {
      if (!(error instanceof NetError)) throw error;
      return false;
    }
  }

  attachBeside(link: Link, options: LinkMonitorOptions): void {
    this.#session.attach(this.#options.interpose(link), options);
  }

  /** Requests the server's time if there is a link. */
  ping(): void {
    this.#session.ping();
  }

  /**
   * Returns the number of the game's messages to the server without receipt. Counts those of dropped sessions
   * once.
   */
  takeUnacknowledged(): number {
    const count = this.#unacknowledged + this.#session.unacknowledgedOf(PayloadKind.command);
    this.#unacknowledged = 0;
    return count;
  }

  /** Leaves at once. Resolves when the server has closed the link: see {@link Farewell.over}. */
  leave(): Promise<void> {
    this.#end({ code: CloseCode.left, reason: "left" }, "leave");
    return this.#farewell.over(this.#options.scheduler);
  }

  /** Aborts a join. Has no effect after it. */
  abort(): void {
    this.#join?.abort();
  }

  /** Requests a seat, and opens a link with its ticket. The link belongs to a session of its own. */
  async #takeSeat(signal?: AbortSignal): Promise<void> {
    const { serverUrl } = this.#plan;
    const webrtc = this.#options.webrtc();
    const seat = await this.#seats.seat({ ...this.#options, serverUrl, webrtc, signal });
    this.#join?.answered();
    if (this.hasSeat || this.state === "left") return;
    if (signal?.aborted) return this.#refuse();
    this.#links.url = seat.linkUrl;
    // The server's session of an earlier seat may have sent some of its messages before its link broke, but no
    // welcome: the numbers of both do not fit together.
    const unsent = this.#session;
    this.#replaceSession();
    this.#session.replace(unsent);
    this.#attach(this.#links.open(`ticket.${seat.ticket}`));
    // The server may answer pings and never send a welcome. The race gives that up, too.
    if (this.#isReturning) this.#plan.race(true);
  }

  #attach(link: Link): Link {
    // The join has a limit of its own.
    return this.#links.attach(this.#session, link, this.#join && JOIN_LIMIT_MS);
  }

  #newSession(): Session {
    const options = this.#options;
    const routed = () => this.handlers.onRouted;
    const session = new Session({
      scheduler: options.scheduler,
      currentTick: () => options.currentTick(),
      channel: options.channel,
      budget: options.budget,
      drops: this.#drops,
      holdsReliable: () => !this.hasSeat,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        /** Returns the taker of today: a packet of another player reaches the room in one call. */
        get onRouted() {
          return routed();
        },
        onEvent: (body) => this.#check(this.handlers.onAuthorityEvent(body)),
        onState: (body, tick, cameAtMs) => {
          this.#meter.countUpdatesIn(1);
          this.handlers.onAuthorityState(body, tick, cameAtMs);
        },
        onAcknowledged: (sequence) => this.handlers.onAcknowledged(sequence),
        onPong: (times, link) => {
          // Only a WebSocket can stall behind lost segments.
          if (link === this.link) this.#stripes.observe(times);
          this.#join?.answered();
          this.handlers.onPong(times);
        },
        onActiveLink: (link, reason) => this.#activated(link, reason),
        onSilence: (link, isSilent) => this.#silent(link, isSilent),
        onStateLink: (link) => this.stateLinks.emit(link),
        onLinkDown: (link, close, isLast) => this.#linkEnded(link, close, isLast),
        onClosed: (close) => this.#linkDown(close),
      },
    });
    // The server answers no ping before it has let the player in, which its hooks may take long for.
    session.setMinTimeout(this.state === "joining" ? JOIN_LIMIT_MS : ANSWER_TIMEOUT_MS);
    return session;
  }

  /** Begins a session for another seat. */
  #replaceSession(): void {
    this.#links.clear();
    this.#session = this.#newSession();
    this.handlers.onNewSession();
  }

  #check(isValid: boolean): void {
    if (!isValid) this.#session.reportViolation("bad-message");
  }

  #receive(payload: Uint8Array): void {
    if (payload[0] !== PayloadKind.control) return this.#check(this.handlers.onAuthority(payload));
    const message = readServerMessage(payload.subarray(1));
    if (!message) return this.#receiveUnreadable();
    if (message.type !== "welcome") this.markResumed();
    if ("tick" in message && message.tick !== undefined) this.#session.observeTick(message.tick);
    switch (message.type) {
      case "welcome":
        return this.#welcomed(message);
      case "resumed":
        if (message.build !== undefined) this.#options.onBuild(message.build);
        return this.#renewed(message.resumeToken);
      case "stripe":
        return this.#stripes.receiveTicket(message.ticket);
      case "moving":
        return this.#plan.serverMoves(message.endpoint);
      default:
        return this.handlers.onControl(message);
    }
  }

  /** Ends a join at a welcome that it cannot read, such as that of a mode of rooms that this build lacks. */
  #receiveUnreadable(): void {
    this.#check(false);
    this.#join?.giveUp(errorOf(UNREADABLE));
    if (!this.#isReturning) return;
    // The server would keep the seat for any other code.
    this.#session.close(CloseCode.left, UNREADABLE.reason);
    this.#end(UNREADABLE);
  }

  #welcomed(welcome: Welcome): void {
    const join = this.#join;
    const { sessionId, token, resumeToken } = welcome;
    if (!this.#enter("welcomed", { name: "joined", seat: { sessionId, token, resumeToken } })) return;
    const { call, page } = this.#options;
    this.#plan.arrived();
    this.#tabSeat.keep({ session: sessionId, token, roomId: welcome.roomId }, call);
    this.#seats.welcomed(welcome, call.options);
    this.#session.setMinTimeout(0);
    if (this.#isLastPage) this.#tellPage();
    if (page?.isHidden) this.#setHidden(true);
    if (welcome.restored !== undefined) this.#sendLost(welcome.restored);
    this.#lost = undefined;
    if (join) join.welcomed(welcome);
    else this.handlers.onWelcome(welcome);
    // Those of the game have waited: a room reads nothing before it has let the player in.
    this.#session.repeat();
  }

  /** Sends the game's messages of the lost session that its restored room lacks. `next`: the first of these. */
  #sendLost(next: number): void {
    if (!this.#lost) return;
    const { firstId, fragments } = this.#lost.sent.command;
    const missing = fragments.filter(
      (payload, place) =>
        payload[0] === PayloadKind.command && sequenceDistance((firstId + place) & 0xffff, next) >= 0,
    );
    this.#session.sendBefore(missing);
    this.#unacknowledged = 0;
  }

  /** Ends a drop at the first message from the server, before that message is processed. */
  markResumed(): void {
    if (this.#phase.name !== "dropped" || !this.#phase.seat) return;
    this.#enter("resumed", { name: "joined", seat: this.#phase.seat });
    this.#arrived();
    this.handlers.onResumed();
  }

  /** Stores the token for the next link, after the server has accepted the newest one. */
  #renewed(resumeToken: string): void {
    if (this.#seat) this.#seat.resumeToken = resumeToken;
    this.#arrived();
    this.#links.closeOlder(this.link);
  }

  /** Handles the end of a link. While any link of the session lives, the server is reachable. */
  #linkEnded(link: Link, close: LinkClose, isLast: boolean): void {
    this.#meter.take(link);
    this.linkEnds.emit(link, close);
    if (isSocket(link)) this.#linkDown(close, link, isLast);
    else if (this.state === "joined" && isLast) this.#linkDown(close);
  }

  #activated(link: Link | undefined, reason: string): void {
    if (link && this.#join?.isAborted) return this.#refuse();
    this.#join?.answered();
    this.#stripes.use(link && isSocket(link) ? link : undefined);
    if (link && this.state === "joined") this.handlers.onMoved(reason);
  }

  #silent(link: Link, isSilent: boolean): void {
    if (link !== this.link || this.state !== "joined") return;
    if (isSilent) this.#plan.race();
    else this.#arrived();
  }

  /** Ends the attempts for another link, unless WebRTC alone has brought the news: a socket is still missing. */
  #arrived(): void {
    this.#plan.arrived();
    if (this.link && !isSocket(this.link)) this.#plan.race();
  }

  #linkDown(close: LinkClose, link?: Link, isLast = true): void {
    if (link) this.#links.delete(link);
    // The server has answered. A link that only broke leaves the ticket for the next one.
    if (!isBroken(close.code)) this.#seats.drop();
    const phase = this.#phase;
    switch (phase.name) {
      case "joining":
        return phase.join.linkDown(close, link);
      case "joined":
      case "dropped":
        // Ignores the end of a replaced link, or of one that was tried beside the active one.
        if (!link || !this.link || link === this.link) this.#linkLost(close, isLast, link);
        return;
      case "left":
        return;
      default:
        return phase satisfies never;
    }
  }

  #linkLost(close: LinkClose, isLast: boolean, link: Link | undefined): void {
    const others = this.#session.isClosed ? [] : this.#links.all;
    if (isFinalClose(close.code) && !this.#links.isReplaced(link, close)) return this.#end(close);
    if (others.some(({ state }) => state === "open")) return;
    if (this.#phase.name === "joined") {
      // WebRTC carries everything until a WebSocket is open again.
      if (isBroken(close.code) && !isLast) return this.#plan.race();
      this.#enter("linkDown", { name: "dropped", seat: this.#phase.seat });
      this.#plan.dropped();
      this.handlers.onDrop(close.reason || `code ${close.code}`);
      // The game may have left in its handler.
      if (this.state === "left") return;
    }
    this.#returnFrom(close.code, link, others.length > 0);
  }

  #returnFrom(code: number, link: Link | undefined, hasOthers: boolean): void {
    const isOutdated = this.#links.isOutdated(link, this.#seat);
    const isForgotten = code === CloseCode.sessionUnknown || (code === CloseCode.refused && !isOutdated);
    if (this.#session.isClosed || (isForgotten && !hasOthers)) this.#forgetSession();
    else if (hasOthers) return this.#plan.race(true);
    if (!this.#isAsleep) this.#plan.attemptLater(code === CloseCode.serverShutdown);
  }

  /**
   * Replaces a session that the server has dropped. The next attempt requests a new seat in a similar room.
   */
  #forgetSession(): void {
    const lost = (this.#lost ??= this.#session.save());
    // Another page of this tab may have had the seat while this page slept.
    const { call } = this.#seats;
    const seat = this.#tabSeat.ownSeat ?? ownSeatOf(this.#seat, call) ?? call.seat;
    this.#seats.call = { ...call, seat: seat && { ...seat, received: lost.received.command.expected } };
    if (!this.#isReturning) this.#phase = { name: "dropped" };
    this.#plan.serverAnswered();
    this.#session.close(CloseCode.left, "forgotten by the server");
    this.#unacknowledged += this.#session.unacknowledgedOf(PayloadKind.command);
    this.#replaceSession();
  }

  #attempt(): void {
    const phase = this.#phase;
    if (phase.name !== "dropped") return;
    if (phase.seat) {
      this.#links.resume(this.#session, phase.seat);
      return this.#plan.race(true);
    }
    this.#takeSeat().catch((error: unknown) => {
      if (this.#phase !== phase) return;
      if (this.#seats.widen(error)) return this.#attempt();
      const refusal = returnRefusalOf(error);
      if (refusal?.isFinal) return this.#end(refusal);
      phase.refusal = refusal;
      this.#plan.attemptLater();
    });
  }

  #networkChanged(): void {
    if (!this.#isUnderWay || this.#isAsleep) return;
    if (this.state === "dropped") this.#plan.attemptNow();
    else this.#plan.raceNow();
    this.networks.emit();
  }

  /** True between the first welcome and the end. */
  get #isUnderWay(): boolean {
    return this.state === "joined" || this.state === "dropped";
  }

  #setHidden(hidden: boolean): void {
    if (!this.#isUnderWay) return;
    this.#tellPage(hidden);
    this.#session.setMinTimeout(hidden ? HIDDEN_TIMEOUT_MS : 0);
    if (!hidden) this.ping();
  }

  /** Tells the server if it waits longer for this page, and if another page may come after it. */
  #tellPage(hidden = false): void {
    this.send({ type: "visibility", hidden, ...(this.#isLastPage && { last: true as const }) });
  }

  /** Closes the links before the page sleeps, while it can still send a reason. They would break anyway. */
  #sleep(): void {
    this.#tabSeat.sleep();
    this.#endLinks(CloseCode.suspended, "the page is put to sleep");
  }

  #endLinks(code: number, reason: string): void {
    if (!this.#isUnderWay) return;
    this.#isAsleep = true;
    this.#links.closeAll(code, reason);
  }

  #wake(): void {
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    this.#tabSeat.wake();
    this.#plan.dropped();
    if (this.state === "dropped") this.#plan.attemptNow();
    this.networks.emit();
  }

  /** Ends a join that gets no welcome. */
  #refuse(error?: unknown): void {
    const join = this.#join;
    if (!join) return;
    const close = { code: join.isAborted ? CloseCode.left : CloseCode.refused, reason: "not joined" };
    this.#enter("refused", { name: "left", seat: undefined, close });
    this.#tabSeat.release();
    this.#stop(close);
    join.refused(error);
  }

  #end(close: LinkClose, event: "refused" | "leave" = "refused"): void {
    if (!this.#enter(event, { name: "left", seat: this.#seat, close })) return;
    this.#tabSeat.forget();
    if (event === "leave" && this.send({ type: "leave" })) this.#farewell.release(this.#session);
    this.#stop(close);
    this.handlers.onLeft(close.code, close.reason);
  }

  #stop({ code, reason }: LinkClose): void {
    this.#options.first.abort();
    this.#plan.end();
    this.#stripes.end();
    this.#ignorePage?.();
    this.#session.close(code, reason);
  }

  /** Enters the next phase. Returns false if the event means nothing in the present one. */
  #enter(event: ConnectionEvent, next: Phase): boolean {
    const isValid = nextConnectionState(this.state, event) !== undefined;
    if (isValid) this.#phase = next;
    return isValid;
  }
}
