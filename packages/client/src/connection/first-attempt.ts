import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import {
  SocketBacklog,
  afterOwnTime,
  type Cancel,
  type Scheduler,
  type WebSocketConstructor,
  type WebSocketLike,
} from "@paceline/transport";
import type { Page } from "../browser/page.js";
import type { DoorTo } from "../browser/door.js";
import { joinCredential, linkUrlOf, type JoinCall } from "./match-request.js";
import type { askServer, requestSeat } from "./match-http.js";
import { TabSeat } from "./tab-seat.js";

/** The code for requests by HTTP. */
export interface SeatCode {
  readonly askServer: typeof askServer;
  readonly requestSeat: typeof requestSeat;
}

/** The parts of a join that its first attempt and the connection after it use. */
export interface JoinParts {
  readonly serverUrl: string;
  readonly call: JoinCall;
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  readonly page: Page | undefined;
  readonly doors: { readonly seats: DoorTo<SeatCode> };
}

export interface FirstAttemptOptions extends JoinParts {
  /** True if this player wants direct links. */
  readonly webrtc: boolean;
}

/** Socket that carries the request for a seat, or the ticket for it. */
export interface FirstSocket {
  readonly socket: WebSocketLike;
  readonly backlog: SocketBacklog;
  readonly linkUrl: string;
  /** True if the upgrade carries the request itself. */
  readonly isOneStep: boolean;
}

/** The first part of a join, for the connection that continues it. */
export interface FirstResult {
  /** The call, with the earlier seat of this tab if there is one. */
  readonly call: JoinCall;
  /** Undefined if the attempt was given up, for example because the code of rooms loaded too slowly. */
  readonly first: FirstSocket | undefined;
}

/**
 * Time limit for the next answer of a server to a join, ms: to a match request or an upgrade, or the welcome. A
 * busy server is alive for longer than a player's line is silent.
 */
export const ANSWER_TIMEOUT_MS = 20_000;
/**
 * Time limit of an unused open socket while this page's loop runs, ms. The server closes a silent link after
 * 5 s, and would keep its seat.
 */
const UNUSED_TIMEOUT_MS = 3000;
const OPEN = 1;

/**
 * Requests a seat and opens the socket while the code of rooms loads, so that this load adds no round trip to
 * a join.
 */
export class FirstAttempt {
  readonly tabSeat: TabSeat;
  readonly #options: FirstAttemptOptions;
  readonly #abortion = new AbortController();
  readonly #result: Promise<FirstResult>;
  #first: FirstSocket | undefined;
  #cancelTimeout: Cancel | undefined;
  #isTaken = false;

  constructor(options: FirstAttemptOptions) {
    this.#options = options;
    this.tabSeat = new TabSeat(options.page?.tab, options.serverUrl);
    this.#result = this.#begin();
    // `take` rejects with the same error.
    this.#result.catch(() => undefined);
  }

  /**
   * Returns the attempt's result. The caller then owns the socket, which no timeout closes any more. Rejects
   * with the error of the match request.
   */
  async take(): Promise<FirstResult> {
    const { call } = await this.#result;
    if (this.#abortion.signal.aborted) return { call, first: undefined };
    this.#isTaken = true;
    this.#cancelTimeout?.();
    return { call, first: this.#first };
  }

  /** Drops an attempt that no connection will take. Closes its socket, so that the server frees the seat. */
  abort(): void {
    if (this.#isTaken) return;
    this.#abortion.abort();
    this.#drop();
    this.tabSeat.release();
  }

  async #begin(): Promise<FirstResult> {
    const { call, serverUrl, webrtc, doors } = this.#options;
    const kept = this.tabSeat.find(call);
    const seat = kept && (await this.tabSeat.claim(kept));
    const seated = seat ? { ...call, seat } : call;
    const credential = joinCredential(seated, webrtc);
    if (credential !== undefined) {
      this.#open(linkUrlOf(serverUrl), credential, true);
    } else {
      const { signal } = this.#abortion;
      const { requestSeat } = await doors.seats.open();
      const { linkUrl, ticket } = await requestSeat({
        ...{ serverUrl, webrtc, signal, call: seated, scheduler: this.#options.scheduler },
        timeoutMs: ANSWER_TIMEOUT_MS,
      });
      this.#open(linkUrl, `ticket.${ticket}`, false);
    }
    return { call: seated, first: this.#first };
  }

  #open(linkUrl: string, credential: string, isOneStep: boolean): void {
    if (this.#abortion.signal.aborted) return;
    const socket = new this.#options.webSocket(linkUrl, [WEBSOCKET_PROTOCOL, credential]);
    this.#first = { socket, backlog: new SocketBacklog(socket), linkUrl, isOneStep };
    if (socket.readyState === OPEN) this.#opened();
    else socket.addEventListener("open", () => this.#opened());
  }

  #opened(): void {
    if (this.#isTaken) return;
    if (this.#abortion.signal.aborted) return this.#drop();
    this.#cancelTimeout = afterOwnTime(this.#options.scheduler, UNUSED_TIMEOUT_MS, () => this.#drop());
  }

  /**
   * Closes the socket if it is open. An opening one is closed later: the server would keep the seat of a
   * socket that breaks.
   */
  #drop(): void {
    this.#cancelTimeout?.();
    if (this.#first?.socket.readyState === OPEN) {
      this.#first.socket.close(CloseCode.left, "the page was too slow, or gave up");
      this.#first = undefined;
    }
  }
}
