import {
  CloseCode,
  NetError,
  PayloadKind,
  isFinalClose,
  readServerMessage,
  writeControl,
  type ClientMessage,
  type RoomOptions,
} from "@paceline/protocol";
import {
  DropCounters,
  Session,
  PathLink,
  afterOwnTime,
  type Cancel,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type Uplink,
  type WebSocketLike,
} from "@paceline/transport";
import { canJoinElsewhere, errorOf, isBroken, returnRefusalOf } from "./close-meaning.js";
import { nextConnectionState, type ConnectionEvent, type ConnectionState } from "./connection-state.js";
import { EarlyTasks } from "../events/early-tasks.js";
import { Listeners } from "../events/listeners.js";
import { ANSWER_TIMEOUT_MS, type FirstResult } from "./first-attempt.js";
import {
  isAnswered,
  linkUrlOf,
  reconnectionTokenOf,
  requestSeat,
  type JoinCall,
  type Seat,
} from "./match-request.js";
import { isWorker, type PageEvent } from "../browser/page.js";
import { serverPathInWords, serverStatsOf, type ServerStats } from "../paths/path-stats.js";
import { RateMeter } from "../paths/rate-meter.js";
import { ReturnPlan } from "./return-plan.js";
import type { Explanation } from "../paths/transport-change.js";
import {
  MAX_OTHER_ATTEMPTS,
  linkOver,
  openServerLink,
  serverLinkOptions,
  type ServerLink,
} from "./server-link.js";
import type {
  ServerConnectionHandlers,
  ServerConnectionOptions,
  Welcome,
} from "./server-connection-options.js";
import { Stripes, type SocketCount, type StripeWish } from "./stripes.js";
import type { TabSeat } from "./tab-seat.js";

/** Time limit of a join, ms, however often the server answers. */
const JOIN_LIMIT_MS = 60_000;
/** Time after which the client asks over HTTP if the server runs at all, because the upgrade hangs, ms. */
const UPGRADE_DOUBT_MS = 4000;
/** Further time for the upgrade after the server has answered over HTTP, beside that of this answer, ms. */
const UPGRADE_GRACE_MS = 1000;
/** Time for which a server keeps a seat for the ticket, ms: longer than {@link ANSWER_TIMEOUT_MS}. */
const TICKET_LIFETIME_MS = 25_000;
/** Silence limit of a hidden page's link, ms, at the server and here. */
const HIDDEN_TIMEOUT_MS = 60_000;
/** Time for which a leave waits for the server, whose room may still store what the player leaves, ms. */
const FAREWELL_MS = 2000;
/** `readyState` of a closed WebSocket. */
const CLOSED = 3;
/** Limit of a room's messages before its welcome. */
const MAX_BEFORE_WELCOME = 1024;
type Identity = Pick<Welcome, "sessionId" | "token"> & { resumeToken: string };

/** Connection to the server. Joins, returns after a drop, and carries control messages and envelopes. */
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
  /** Links that were opened for this session and have not ended, oldest first. */
  readonly #links = new Set<Link>();
  #newestLink: Link | undefined;
  /** Resume tokens by the link that was opened with them. */
  readonly #tokens = new WeakMap<Link, string>();
  readonly #meter: RateMeter;
  /** Counts the drops of all sessions with the server. */
  readonly #drops = new DropCounters();
  /** Sockets whose close the server has not answered. */
  readonly #sockets = new Set<WebSocketLike>();
  readonly #abortion = new AbortController();
  readonly #tabSeat: TabSeat;
  #call: JoinCall;
  #state: ConnectionState = "joining";
  #session: Session;
  #unacknowledged = 0;
  /** Seat of the last request, until the server refuses a link. A second one could be one too many for the room. */
  #seat: (Seat & { readonly untilMs: number }) | undefined;
  /** Holds the messages of a room until its welcome. */
  #beforeWelcome = new EarlyTasks(MAX_BEFORE_WELCOME);
  #identity: Identity | undefined;
  #linkUrl: string;
  #roomName = "";
  /** The options by which this room differs from others of its name. */
  #roomOptions: RoomOptions = {};
  #linkNumber = 0;
  #isAsleep = false;
  /** True if nothing can take over the seat of this page or Worker when that is closed. */
  #isLastPage = isWorker();
  /** Link whose upgrade carries the join, until the server answers. */
  #oneStep: Link | undefined;
  /** True after a second request for a seat, because the first ticket was void. */
  #hasRetriedRequest = false;
  #onSocketsClosed: (() => void) | undefined;
  #farewell: Promise<void> | undefined;
  /** Link of a session that was left. The server closes it. */
  #leavingLink: Link | undefined;
  /** The end of the connection. */
  #close: LinkClose = { code: CloseCode.left, reason: "left" };
  /** The server's refusal of the last attempt to return, since the link was lost. */
  #refusal: LinkClose | undefined;
  #ignorePage: (() => void) | undefined;
  /** Settles the join. Undefined after its welcome. */
  #settle: { resolve(welcome: Welcome): void; reject(error: unknown): void } | undefined;
  #cancelSilence: Cancel | undefined;
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
    this.#call = options.call;
    this.#linkUrl = linkUrlOf(serverUrl);
    this.#tabSeat = options.first.tabSeat;
    this.#meter = new RateMeter(options.scheduler.nowMs());
    this.#session = this.#newSession();
    this.#plan = new ReturnPlan({
      scheduler,
      serverUrl,
      attempt: () => this.#attempt(),
      attemptRace: () => this.#resumeInRace(),
      onGiveUp: (reason) => {
        // A sleeping page has made no attempts.
        if (!this.#isAsleep) this.#end(this.#refusal ?? { code: CloseCode.timeout, reason });
      },
    });
    this.#stripes = new Stripes({
      scheduler,
      loadStripes: options.loadStripes,
      ask: () => this.send({ type: "stripe" }),
      open: (ticket) => this.#newLink(`stripe.${ticket}`),
      session: () => this.#session,
      onChange: (sockets, reason) => this.handlers.onSockets(sockets, reason),
      onStalls: () => this.handlers.onStalls(),
    });
    this.#ignorePage = page?.onEvent((event) => this.#onPage[event]());
  }

  get state(): ConnectionState {
    return this.#state;
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
    return serverPathInWords(this.#state, this.#session, this.#stripes.present);
  }

  /** The end of the connection as the error of a join. */
  get endError(): NetError {
    return errorOf(this.#close);
  }

  /** False while the server has dropped the session, and has not let this participant in again. */
  get hasSeat(): boolean {
    return this.#identity !== undefined;
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
  async join(): Promise<Welcome> {
    const cancelLimit = afterOwnTime(this.#options.scheduler, JOIN_LIMIT_MS, () => this.#giveUp());
    const welcomed = new Promise<Welcome>((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#hasAnswered();
    this.#options.first.take().then(
      (begun) => this.#begin(begun),
      (error: unknown) => this.#refuse(error),
    );
    try {
      return await welcomed;
    } finally {
      cancelLimit();
      this.#cancelSilence?.();
    }
  }

  /** Extends a join: the server runs, and may be slow. Late answers to a busy page do not count against it. */
  #hasAnswered(): void {
    if (this.#state !== "joining" || this.#isAborted) return;
    this.#cancelSilence?.();
    this.#cancelSilence = afterOwnTime(this.#options.scheduler, ANSWER_TIMEOUT_MS, () => this.#giveUp());
  }

  /** Rejects the join. The server may have given a seat meanwhile, which it gets back as after an abort. */
  #giveUp(): void {
    const error = new NetError("session/timeout", "no welcome from the server", { retryable: true });
    this.#settle?.reject(error);
    this.abort();
  }

  /**
   * Session id, secret and what the player gave, for `Client.reconnect` in another page. Who reads it may come back
   * with it.
   */
  get reconnectionToken(): string {
    if (!this.#identity) return "";
    if (this.#isLastPage) {
      this.#isLastPage = false;
      this.#tellPage();
    }
    return reconnectionTokenOf(this.#identity.sessionId, this.#identity.token, this.#options.call);
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

  /**
   * Leaves at once. Resolves when the server has closed the link, which it does when its room has let the player
   * go, when no link is left, or after {@link FAREWELL_MS}.
   */
  leave(): Promise<void> {
    if (this.#move("leave")) {
      this.#tabSeat.forget();
      if (this.send({ type: "leave" })) this.#leavingLink = this.#releaseLink();
      this.#stop(CloseCode.left, "left");
      this.handlers.onLeft(CloseCode.left, "left");
    }
    return (this.#farewell ??= this.#socketsClosed());
  }

  /**
   * Aborts a join. The server may already have seated this participant, and would keep the seat of a link
   * that breaks. A link that is still opening is therefore closed when it is open.
   */
  abort(): void {
    if (this.#state !== "joining") return;
    this.#abortion.abort();
    if (![...this.#links].some(({ state }) => state === "connecting")) this.#refuse(aborted());
  }

  get #isAborted(): boolean {
    return this.#abortion.signal.aborted;
  }

  /**
   * Ends the session but for its link to the server, which the server closes. Returns undefined if the link may
   * not have taken the leave: its close code then has to tell it.
   */
  #releaseLink(): Link | undefined {
    const [link, session] = [this.link, this.#session];
    session.flush();
    const isWaiting = session.queuedBytes > session.linkBytes;
    if (isWaiting || !link || !isSocket(link) || link.state !== "open") return undefined;
    for (const other of session.release()) if (other !== link) other.close(CloseCode.left, "left");
    return link;
  }

  #socketsClosed(): Promise<void> {
    if (this.#sockets.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#leavingLink?.close(CloseCode.left, "left");
        resolve();
      };
      const cancel = this.#options.scheduler.after(FAREWELL_MS, end);
      this.#onSocketsClosed = end;
    });
  }

  #begin({ call, first }: FirstResult): void {
    if (this.#state !== "joining") return first?.socket.close(CloseCode.left, "left");
    this.#hasAnswered();
    this.#call = call;
    if (!first) return this.#joinByRequest();
    this.#linkUrl = first.linkUrl;
    const link = this.#attachLink(this.#tracked(linkOver(this.#options, first)));
    if (!first.isOneStep) return;
    // The upgrade of the link carries the request. If the upgrade fails, a match request follows.
    this.#oneStep = link;
    this.#options.scheduler.after(UPGRADE_DOUBT_MS, () => void this.#doubtUpgrade(link));
  }

  /**
   * Gives up an upgrade that hangs although the server answers over HTTP: the path blocks it. While the server
   * answers to neither it is busy, and may already have given the seat.
   */
  async #doubtUpgrade(link: Link): Promise<void> {
    const { scheduler, serverUrl } = this.#options;
    const hangs = (): boolean => this.#oneStep === link && link.state === "connecting" && !this.#isAborted;
    if (!hangs()) return;
    const askedAtMs = scheduler.nowMs();
    const { signal } = this.#abortion;
    const request = { serverUrl, call: this.#call, webrtc: false, timeoutMs: ANSWER_TIMEOUT_MS };
    if (!(await isAnswered({ ...request, scheduler, signal }))) return;
    const graceMs = scheduler.nowMs() - askedAtMs + UPGRADE_GRACE_MS;
    afterOwnTime(scheduler, graceMs, () => {
      if (hangs()) link.close(CloseCode.timeout, "the upgrade hangs");
    });
  }

  #joinByRequest(): void {
    // The first refusal decides. A later rejection of the seat must not stay unhandled.
    this.#takeSeat().catch((error: unknown) => this.#refuse(error));
  }

  async #takeSeat(): Promise<void> {
    const nowMs = this.#options.scheduler.nowMs();
    let seat = this.#seat;
    if (!seat || nowMs > seat.untilMs) {
      const answer = await requestSeat({
        serverUrl: this.#plan.serverUrl,
        call: this.#call,
        webrtc: this.#options.webrtc(),
        timeoutMs: ANSWER_TIMEOUT_MS,
        scheduler: this.#options.scheduler,
        signal: this.#abortion.signal,
      });
      this.#hasAnswered();
      seat = { ...answer, untilMs: nowMs + TICKET_LIFETIME_MS };
    }
    if (this.#state === "left" || this.#state === "joined") return;
    if (this.#isAborted) return this.#refuse(aborted());
    this.#seat = seat;
    this.#linkUrl = seat.linkUrl;
    this.#beginSession();
    this.#attach(`ticket.${seat.ticket}`);
  }

  #newLink(credential: string): Link {
    return this.#tracked(openServerLink(this.#options, this.#linkUrl, credential));
  }

  #tracked({ link, socket }: ServerLink): Link {
    if (socket.readyState === CLOSED) return link;
    this.#sockets.add(socket);
    socket.addEventListener("close", () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onSocketsClosed?.();
    });
    return link;
  }

  #attach(credential: string): Link {
    return this.#attachLink(this.#newLink(credential));
  }

  /** Attaches a link with the highest preference: it was opened because the older ones may be dead. */
  #attachLink(link: Link): Link {
    this.#links.add(link);
    this.#newestLink = link;
    const preference = (this.#linkNumber += 1);
    // The join has a limit of its own.
    const connectTimeoutMs = this.#state === "joining" ? JOIN_LIMIT_MS : serverLinkOptions.connectTimeoutMs;
    this.#session.attach(link, { ...serverLinkOptions, connectTimeoutMs, preference });
    return link;
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
      holdsReliable: () => this.#identity === undefined,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        /** Returns the taker of today: a packet of another player reaches the room in one call. */
        get onRouted() {
          return routed();
        },
        onEvent: (body) => this.#receiveFromRoom(() => this.handlers.onAuthorityEvent(body)),
        onState: (body, tick, cameAtMs) => {
          this.#meter.countUpdatesIn(1);
          this.handlers.onAuthorityState(body, tick, cameAtMs);
        },
        onAcknowledged: (sequence) => this.handlers.onAcknowledged(sequence),
        onPong: (times, link) => {
          // Only a WebSocket can stall behind lost segments.
          if (link === this.link) this.#stripes.observe(times);
          this.#hasAnswered();
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
    session.setMinTimeout(this.#state === "joining" ? JOIN_LIMIT_MS : ANSWER_TIMEOUT_MS);
    return session;
  }

  /**
   * Starts a session for another seat. The server's session of an earlier seat may have sent some of its
   * messages before its link broke, but no welcome: the numbers of both do not fit together.
   */
  #beginSession(): void {
    const unsent = this.#session;
    this.#beforeWelcome = new EarlyTasks(MAX_BEFORE_WELCOME);
    this.#links.clear();
    this.#session = this.#newSession();
    this.#session.replace(unsent);
  }

  /** Takes a message of the room. Holds it until the welcome if it comes while the room lets the player in. */
  #receiveFromRoom(take: () => boolean): void {
    if (!this.#beforeWelcome.run("room", take)) this.#session.reportViolation("bad-message");
  }

  #receive(payload: Uint8Array): void {
    if (payload[0] !== PayloadKind.control)
      return this.#receiveFromRoom(() => this.handlers.onAuthority(payload));
    const message = readServerMessage(payload.subarray(1));
    if (!message) return this.#session.reportViolation("bad-message");
    if (message.type !== "welcome") this.markResumed();
    switch (message.type) {
      case "welcome":
        if (message.tick !== undefined) this.#session.observeTick(message.tick);
        return this.#welcomed(message);
      case "resumed":
        if (message.tick !== undefined) this.#session.observeTick(message.tick);
        return this.#renewed(message.resumeToken);
      case "stripe":
        return this.#stripes.receiveTicket(message.ticket);
      case "moving":
        return this.#plan.serverMoves(message.endpoint);
      default:
        return this.handlers.onControl(message);
    }
  }

  #welcomed(welcome: Welcome): void {
    if (this.#isAborted) return this.#refuse(aborted());
    if (!this.#move("welcomed")) return;
    const { sessionId, token, resumeToken } = welcome;
    this.#oneStep = undefined;
    this.#plan.arrived();
    this.#identity = { sessionId, token, resumeToken };
    this.#roomName = welcome.roomName;
    this.#roomOptions = welcome.options;
    this.#tabSeat.keep({ session: sessionId, token, roomId: welcome.roomId }, this.#options.call);
    // A returning player belongs in this room, not in another room of the same name.
    const { credentials, build } = this.#call;
    const { options } = this.#options.call;
    // A page that has taken over a seat by its token knows only from the welcome that it spectates.
    const terms = welcome.spectator ? { ...this.#call.terms, spectate: true } : this.#call.terms;
    this.#call = { method: "joinById", target: welcome.roomId, options, credentials, build, terms };
    this.#session.setMinTimeout(0);
    if (this.#isLastPage) this.#tellPage();
    if (this.#options.page?.isHidden) this.#setHidden(true);
    if (this.#settle) this.#settle.resolve(welcome);
    else this.handlers.onWelcome(welcome);
    this.#settle = undefined;
    this.#beforeWelcome.open("room");
    // Those of the game have waited: a room reads nothing before it has let the player in.
    this.#session.repeat();
  }

  /** Ends a drop at the first message from the server, before that message is processed. */
  markResumed(): void {
    if (this.#state !== "dropped" || !this.#identity || !this.#move("resumed")) return;
    this.#arrived();
    this.handlers.onResumed();
  }

  /** Stores the token for the next link, after the server has accepted the newest one. */
  #renewed(resumeToken: string): void {
    if (this.#identity) this.#identity.resumeToken = resumeToken;
    this.#arrived();
    // Closes older links only: the server may already have accepted a newer one.
    for (const link of this.#links) {
      if (link === this.link) return;
      link.close(CloseCode.replaced, "a newer link of this session took over");
    }
  }

  /** Handles the end of a link. While any link of the session lives, the server is reachable. */
  #linkEnded(link: Link, close: LinkClose, isLast: boolean): void {
    this.#meter.take(link);
    this.linkEnds.emit(link, close);
    if (isSocket(link)) this.#linkDown(close, link, isLast);
    else if (this.#state === "joined" && isLast) this.#linkDown(close);
  }

  #activated(link: Link | undefined, reason: string): void {
    if (link && this.#isAborted) return this.#refuse(aborted());
    this.#hasAnswered();
    this.#stripes.use(link && isSocket(link) ? link : undefined);
    if (link && this.#state === "joined") this.handlers.onMoved(reason);
  }

  #silent(link: Link, isSilent: boolean): void {
    if (link !== this.link || this.#state !== "joined") return;
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
    if (!isBroken(close.code)) this.#seat = undefined;
    if (this.#state === "left") return;
    if (this.#state === "joining") return this.#notJoined(close, link);
    // Ignores the end of a replaced link, or of one that was tried beside the active one.
    if (link === undefined || link === this.link || this.link === undefined) this.#lost(close, isLast, link);
  }

  #lost(close: LinkClose, isLast: boolean, link: Link | undefined): void {
    const others = this.#session.isClosed ? [] : [...this.#links];
    // The server closes a link in favour of a newer one, which this page may have given up meanwhile. Another page
    // takes over the session itself, with all of its links.
    const isOurs = close.code === CloseCode.replaced && link !== undefined && link !== this.#newestLink;
    if (isFinalClose(close.code) && !isOurs) return this.#end(close);
    if (others.some(({ state }) => state === "open")) return;
    // WebRTC carries everything until a WebSocket is open again.
    if (this.#state === "joined" && isBroken(close.code) && !isLast) return this.#plan.race();
    if (this.#move("linkDown")) {
      this.#refusal = undefined;
      this.#plan.dropped();
      this.handlers.onDrop(close.reason || `code ${close.code}`);
    }
    this.#returnFrom(close.code, link, others.length > 0);
  }

  #returnFrom(code: number, link: Link | undefined, hasOthers: boolean): void {
    // A link that was tried with an earlier token is refused, too, once the server knows that the next one arrived.
    const isOutdated = link !== undefined && this.#tokens.get(link) !== this.#identity?.resumeToken;
    const isForgotten = code === CloseCode.sessionUnknown || (code === CloseCode.refused && !isOutdated);
    if (this.#session.isClosed || (isForgotten && !hasOthers)) this.#forgetSession();
    else if (hasOthers) return this.#plan.race(true);
    if (!this.#isAsleep) this.#plan.attemptLater(code === CloseCode.serverShutdown);
  }

  #notJoined(close: LinkClose, link: Link | undefined): void {
    const isOneStep = this.#oneStep !== undefined && link === this.#oneStep;
    this.#oneStep = undefined;
    if (this.#isAborted) return this.#refuse(errorOf(close));
    if (isOneStep && canJoinElsewhere(close.code)) return this.#joinByRequest();
    const { ticketExpired, ticketUsed, timeout } = CloseCode;
    const isSpent = close.code === ticketExpired || close.code === ticketUsed || close.code === timeout;
    // The path or this page was too slow, or a proxy has repeated the upgrade: try once more, with another ticket.
    if (!isSpent || this.#hasRetriedRequest) return this.#refuse(errorOf(close));
    this.#hasRetriedRequest = true;
    this.#joinByRequest();
  }

  /**
   * Replaces a session that the server has dropped. The next attempt requests a new seat in a similar room.
   */
  #forgetSession(): void {
    // Another page of this tab may have had the seat while this page slept.
    this.#call = { ...this.#call, seat: this.#tabSeat.ownSeat };
    this.#identity = undefined;
    this.#plan.serverAnswered();
    this.#session.close(CloseCode.left, "forgotten by the server");
    this.#unacknowledged += this.#session.unacknowledgedOf(PayloadKind.command);
    this.#links.clear();
    this.#session = this.#newSession();
  }

  #attempt(): void {
    if (this.#state !== "dropped") return;
    if (this.#identity) {
      this.#resume(this.#identity);
      return this.#plan.race(true);
    }
    this.#takeSeat().catch((error: unknown) => {
      if (this.#state !== "dropped") return;
      if (this.#widenCall(error)) return this.#attempt();
      const refusal = returnRefusalOf(error);
      if (refusal?.isFinal) return this.#end(refusal);
      this.#refusal = refusal;
      this.#plan.attemptLater();
    });
  }

  #resumeInRace(): void {
    if (this.#identity && !this.#isAsleep) this.#resume(this.#identity);
  }

  #resume({ sessionId, resumeToken }: Identity): void {
    // Closes attempts that do not open, since a new one resolves the address again. The oldest stays until its own
    // time limit: on a slow path, or at a busy server, each of them takes longer than the next ones can wait.
    const connecting = [...this.#links].filter(({ state }) => state === "connecting");
    for (const link of connecting.slice(1, 1 - MAX_OTHER_ATTEMPTS)) {
      link.close(CloseCode.timeout, "tried again");
    }
    this.#tokens.set(this.#attach(`resume.${sessionId}.${resumeToken}`), resumeToken);
  }

  /**
   * Widens the call to any room of the same kind and options if the room is gone or full. Returns false
   * otherwise.
   */
  #widenCall(error: unknown): boolean {
    const isGone =
      error instanceof NetError && (error.code === "match/not-found" || error.code === "match/full");
    if (!isGone || this.#call.method !== "joinById") return false;
    // A player who joined by the room's id has not named the options that lead to this kind of room.
    const options = { ...this.#roomOptions, ...this.#call.options };
    this.#call = { ...this.#call, method: "joinOrCreate", target: this.#roomName, options };
    return true;
  }

  #networkChanged(): void {
    if (this.#state === "left" || this.#state === "joining" || this.#isAsleep) return;
    if (this.#state === "dropped") this.#plan.attemptNow();
    else this.#plan.raceNow();
    this.networks.emit();
  }

  #setHidden(hidden: boolean): void {
    if (this.#state === "left" || this.#state === "joining") return;
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
    if (this.#state === "left" || this.#state === "joining") return;
    this.#isAsleep = true;
    for (const link of this.#links) link.close(code, reason);
  }

  #wake(): void {
    if (!this.#isAsleep) return;
    this.#isAsleep = false;
    this.#tabSeat.wake();
    this.#plan.dropped();
    if (this.#state === "dropped") this.#plan.attemptNow();
    this.networks.emit();
  }

  #refuse(error: unknown): void {
    if (this.#state !== "joining") return;
    this.#move("refused");
    this.#tabSeat.release();
    this.#stop(this.#isAborted ? CloseCode.left : CloseCode.refused, "not joined");
    this.#settle?.reject(error);
  }

  #end({ code, reason }: LinkClose): void {
    if (!this.#move("refused")) return;
    this.#tabSeat.forget();
    this.#stop(code, reason);
    this.handlers.onLeft(code, reason);
  }

  #stop(code: number, reason: string): void {
    this.#close = { code, reason };
    this.#options.first.abort();
    this.#plan.end();
    this.#stripes.end();
    this.#ignorePage?.();
    this.#session.close(code, reason);
  }

  #move(event: ConnectionEvent): boolean {
    const next = nextConnectionState(this.#state, event);
    if (next) this.#state = next;
    return next !== undefined;
  }
}

/** Returns an error that no game sees: an aborted call rejects with its signal's reason. */
function aborted(): NetError {
  return new NetError("session/ended", "aborted");
}

/** True for a link over a WebSocket to the server, and false for the WebRTC link beside it. */
function isSocket(link: Link): link is PathLink {
  return link instanceof PathLink && link.kind !== "webrtc";
}
