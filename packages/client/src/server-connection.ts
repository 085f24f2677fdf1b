import {
  CloseCode,
  NetError,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  readServerMessage,
  writeControl,
  type ClientMessage,
  type ErrorCode,
  type ServerMessage,
} from "@paceline/protocol";
import {
  Session,
  WebSocketLink,
  type Cancel,
  type Link,
  type LinkClose,
  type LinkMonitorOptions,
  type PongTimes,
  type Scheduler,
  type Uplink,
  type WebSocketConstructor,
} from "@paceline/transport";
import { nextConnectionState, type ConnectionEvent, type ConnectionState } from "./connection-state.js";
import { Listeners } from "./listeners.js";
import { requestSeat, type JoinCall } from "./match-request.js";
import type { ServerStats } from "./path-stats.js";
import { RateMeter } from "./rate-meter.js";

export type Welcome = ServerMessage & { readonly type: "welcome" };

interface ServerConnectionHandlers {
  /** In the room: after joining, or anew after the server had forgotten the session. */
  onWelcome(welcome: Welcome): void;
  /** The same session goes on. */
  onResumed(): void;
  onDrop(reason: string): void;
  /** Final. */
  onLeft(code: number, reason: string): void;
  /** A control message other than welcome and resumed. */
  onControl(message: ServerMessage): void;
  onRouted(packet: Uint8Array): void;
  onPong(times: PongTimes): void;
}

export interface ServerConnectionOptions {
  readonly serverUrl: string;
  readonly call: JoinCall;
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  readonly handlers: ServerConnectionHandlers;
  webrtc(): boolean;
  /** The link to use in the place of a new one. */
  interpose(link: Link): Link;
  currentTick(): number;
}

const CONNECT_TIMEOUT_MS = 8000;
/** Waits before the attempts to come back; the last one repeats until {@link GIVE_UP_AFTER_MS}. */
const RECONNECT_DELAYS_MS = [0, 250, 500, 1000, 2000, 3000];
const GIVE_UP_AFTER_MS = 60_000;
const linkOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  timeoutMs: 5000,
  heartbeatMs: 1000,
};

/** The connection to the server: joins, comes back after a drop, and carries control messages and envelopes. */
export class ServerConnection {
  /** The link that carries states to the server has changed; undefined: there is none. */
  readonly stateLinks = new Listeners<[Link | undefined]>();
  readonly linkEnds = new Listeners<[Link, LinkClose]>();
  readonly #options: ServerConnectionOptions;
  readonly #meter: RateMeter;
  #call: JoinCall;
  #state: ConnectionState = "joining";
  #session: Session;
  #identity: { readonly sessionId: string; readonly token: string } | undefined;
  #linkUrl = "";
  #roomName = "";
  #attempts = 0;
  #droppedAtMs = 0;
  #cancelAttempt: Cancel | undefined;
  #settle: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.#call = options.call;
    this.#meter = new RateMeter(options.scheduler.nowMs());
    this.#session = this.#newSession();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The link to the server; undefined while there is none. */
  get link(): Link | undefined {
    return this.#session.activeLink;
  }

  /** The way to the server for each class of traffic; undefined while there is none. */
  get uplink(): Uplink | undefined {
    return this.link && this.#session;
  }

  get rttMs(): number | undefined {
    return this.#session.rttMs;
  }

  get stats(): ServerStats {
    const { rttMs, jitterMs, activeLink } = this.#session;
    const { bytesInPerSecond, bytesOutPerSecond } = this.#meter.rates;
    return {
      isConnected: activeLink !== undefined,
      rttMs,
      jitterMs,
      queuedBytes: activeLink?.queuedBytes ?? 0,
      bytesInPerSecond,
      bytesOutPerSecond,
    };
  }

  /** Takes what the link has carried into the rates. */
  sample(nowMs: number): void {
    if (this.link) this.#meter.take(this.link);
    this.#meter.sample(nowMs);
  }

  /** Gets a seat and takes it; resolves when the server has said welcome. */
  async join(): Promise<void> {
    const cancelDeadline = this.#options.scheduler.after(CONNECT_TIMEOUT_MS + 2000, () =>
      this.#refuse(new NetError("session/timeout", "no welcome from the server", { retryable: true })),
    );
    const welcomed = new Promise<void>((resolve, reject) => (this.#settle = { resolve, reject }));
    // Whoever refuses first decides; a later rejection of the seat must not go unhandled.
    this.#takeSeat().catch((error: unknown) => this.#refuse(error));
    try {
      await welcomed;
    } finally {
      cancelDeadline();
    }
  }

  /** Session id and secret, for {@link reconnectCall} in another page. */
  get reconnectionToken(): string {
    return this.#identity ? `${this.#identity.sessionId}.${this.#identity.token}` : "";
  }

  /** Sends a control message; it waits while the connection is down. */
  send(message: ClientMessage): void {
    if (!this.#session.isClosed) this.#session.sendReliable(writeControl(message));
  }

  /** Adds a link beside the WebSocket. */
  attachBeside(link: Link, options: LinkMonitorOptions): void {
    this.#session.attach(this.#options.interpose(link), options);
  }

  /** Asks the server for its time, while there is a link to it. */
  ping(): void {
    this.#session.ping();
  }

  leave(): void {
    if (!this.#move("leave")) return;
    this.send({ type: "leave" });
    this.#stop(CloseCode.left, "left");
    this.#options.handlers.onLeft(CloseCode.left, "left");
  }

  async #takeSeat(): Promise<void> {
    const { serverUrl, webSocket, scheduler } = this.#options;
    const seat = await requestSeat({
      serverUrl,
      call: this.#call,
      webrtc: this.#options.webrtc(),
      timeoutMs: CONNECT_TIMEOUT_MS,
    });
    if (this.#state === "left" || this.#state === "joined") return;
    this.#linkUrl = seat.linkUrl;
    const socket = new webSocket(seat.linkUrl, [WEBSOCKET_PROTOCOL, `ticket.${seat.ticket}`]);
    this.#session.attach(this.#options.interpose(new WebSocketLink(socket, { scheduler })), linkOptions);
  }

  #newSession(): Session {
    const session: Session = new Session({
      scheduler: this.#options.scheduler,
      currentTick: () => this.#options.currentTick(),
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onRouted: (packet) => this.#options.handlers.onRouted(packet),
        onPong: (times) => this.#options.handlers.onPong(times),
        onActiveLink: () => this.stateLinks.tell(session.linkFor("state")),
        onLinkDown: (link, close) => {
          this.linkEnds.tell(link, close);
          this.#linkDown(close, link);
        },
        onClosed: (close) => this.#linkDown(close),
      },
    });
    return session;
  }

  #receive(payload: Uint8Array): void {
    const message = payload[0] === PayloadKind.control ? readServerMessage(payload.subarray(1)) : undefined;
    if (!message) return this.#session.reportViolation("bad-message");
    switch (message.type) {
      case "welcome":
        return this.#welcomed(message);
      case "resumed":
        if (!this.#move("resumed")) return;
        this.#attempts = 0;
        return this.#options.handlers.onResumed();
      default:
        return this.#options.handlers.onControl(message);
    }
  }

  #welcomed(welcome: Welcome): void {
    if (!this.#move("welcomed")) return;
    this.#attempts = 0;
    this.#identity = { sessionId: welcome.sessionId, token: welcome.token };
    this.#roomName = welcome.roomName;
    // Whoever has to come back wants to the others of this room, not into another of its kind.
    this.#call = { method: "joinById", target: welcome.roomId, options: this.#call.options };
    this.#settle?.resolve();
    this.#options.handlers.onWelcome(welcome);
  }

  #linkDown(close: LinkClose, link?: Link): void {
    const { activeLink } = this.#session;
    // A link that was replaced goes down while its successor works.
    if (this.#state === "left" || (activeLink && activeLink !== link)) return;
    if (this.#state === "joining") return this.#refuse(errorOf(close));
    if (isFinal(close.code)) return this.#end(close.code, close.reason);
    if (close.code === CloseCode.sessionUnknown || close.code === CloseCode.refused) this.#forgetSession();
    if (this.#move("linkDown")) {
      this.#droppedAtMs = this.#options.scheduler.nowMs();
      this.#options.handlers.onDrop(close.reason || `code ${close.code}`);
    }
    if (this.#session.isClosed) this.#forgetSession();
    this.#attemptLater();
  }

  /** The server does not know us any more: the next attempt asks for a new seat in a room like the one before. */
  #forgetSession(): void {
    this.#identity = undefined;
    // The server is there: no reason to wait any longer.
    this.#attempts = 0;
    this.#session.close(CloseCode.left, "forgotten by the server");
    this.#session = this.#newSession();
  }

  #attemptLater(): void {
    const { scheduler } = this.#options;
    if (scheduler.nowMs() - this.#droppedAtMs > GIVE_UP_AFTER_MS) {
      return this.#end(CloseCode.timeout, `no connection for ${GIVE_UP_AFTER_MS / 1000} s`);
    }
    const delayMs = RECONNECT_DELAYS_MS[Math.min(this.#attempts, RECONNECT_DELAYS_MS.length - 1)]!;
    this.#attempts += 1;
    this.#cancelAttempt?.();
    this.#cancelAttempt = scheduler.after(delayMs, () => this.#attempt());
  }

  #attempt(): void {
    if (this.#state !== "dropped") return;
    if (this.#identity) return this.#resume(this.#identity);
    this.#takeSeat().catch((error: unknown) => {
      if (this.#state !== "dropped") return;
      if (this.#widenCall(error)) this.#attempt();
      else this.#attemptLater();
    });
  }

  #resume({ sessionId, token }: { sessionId: string; token: string }): void {
    const { webSocket, scheduler } = this.#options;
    const socket = new webSocket(this.#linkUrl, [WEBSOCKET_PROTOCOL, `resume.${sessionId}.${token}`]);
    this.#session.attach(this.#options.interpose(new WebSocketLink(socket, { scheduler })), linkOptions);
  }

  /** The room is gone with the server that had it, or full by now: any room of its kind and options will do. */
  #widenCall(error: unknown): boolean {
    const isGone =
      error instanceof NetError && (error.code === "match/not-found" || error.code === "match/full");
    if (!isGone || this.#call.method !== "joinById") return false;
    this.#call = { ...this.#call, method: "joinOrCreate", target: this.#roomName };
    return true;
  }

  #refuse(error: unknown): void {
    if (this.#state !== "joining") return;
    this.#move("refused");
    this.#stop(CloseCode.refused, "not joined");
    this.#settle?.reject(error);
  }

  #end(code: number, reason: string): void {
    if (!this.#move("refused")) return;
    this.#stop(code, reason);
    this.#options.handlers.onLeft(code, reason);
  }

  #stop(code: number, reason: string): void {
    this.#cancelAttempt?.();
    this.#session.close(code, reason);
  }

  #move(event: ConnectionEvent): boolean {
    const next = nextConnectionState(this.#state, event);
    if (next) this.#state = next;
    return next !== undefined;
  }
}

/** Closes after which trying again would be wrong. */
function isFinal(code: number): boolean {
  return (
    code === CloseCode.kicked ||
    code === CloseCode.replaced ||
    code === CloseCode.flooding ||
    code === CloseCode.protocolViolation ||
    code === CloseCode.originRefused ||
    code === CloseCode.versionMismatch
  );
}

function errorOf(close: LinkClose): NetError {
  const codes: Readonly<Record<number, ErrorCode>> = {
    [CloseCode.refused]: "session/refused",
    [CloseCode.ticketExpired]: "session/expired",
    [CloseCode.ticketUsed]: "session/expired",
    [CloseCode.sessionUnknown]: "session/expired",
    [CloseCode.originRefused]: "session/origin",
    [CloseCode.versionMismatch]: "session/version",
    [CloseCode.timeout]: "session/timeout",
  };
  const code = codes[close.code] ?? "transport/closed";
  return new NetError(code, close.reason || `the link closed with code ${close.code}`, {
    retryable: code === "session/expired" || code === "session/timeout" || code === "transport/closed",
  });
}
