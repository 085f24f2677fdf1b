import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import {
  SocketBacklog,
  type Cancel,
  type Scheduler,
  type WebSocketConstructor,
  type WebSocketLike,
} from "@paceline/transport";
import type { Page } from "../browser/page.js";
import { joinCredential, linkUrlOf, requestSeat, type JoinCall } from "./match-request.js";
import { TabSeat } from "./tab-seat.js";

export interface FirstAttemptOptions {
  readonly serverUrl: string;
  readonly call: JoinCall;
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  readonly page: Page | undefined;
  /** Whether this player wants direct links. */
  readonly webrtc: boolean;
}

/** A socket that asks for the seat, or brings the ticket for it. */
export interface FirstSocket {
  readonly socket: WebSocketLike;
  readonly backlog: SocketBacklog;
  readonly linkUrl: string;
  /** The request itself travels in the upgrade. */
  readonly isOneStep: boolean;
}

/** The beginning of a join, for the connection that goes on with it. */
export interface Begun {
  /** With the seat that this tab has had. */
  readonly call: JoinCall;
  /** Undefined where it was given up: the code of rooms was slower than the server is patient. */
  readonly first: FirstSocket | undefined;
}

/** Time limit of a match request, and of a link that opens, ms. */
export const CONNECT_TIMEOUT_MS = 8000;
/** A server gives up a link that says nothing for five seconds, and would keep its seat. */
const MAX_SILENCE_MS = 3000;
const OPEN = 1;

/**
 * Asks for a seat and opens the socket while the code of rooms is still on its way, so that fetching it costs a join no
 * round trip.
 */
export class FirstAttempt {
  readonly tabSeat: TabSeat;
  readonly #options: FirstAttemptOptions;
  readonly #abortion = new AbortController();
  readonly #begun: Promise<Begun>;
  #first: FirstSocket | undefined;
  #cancelPatience: Cancel | undefined;
  #isTaken = false;

  constructor(options: FirstAttemptOptions) {
    this.#options = options;
    this.tabSeat = new TabSeat(options.page?.tab, options.serverUrl);
    this.#begun = this.#begin();
    // `take` rejects with the same error.
    this.#begun.catch(() => undefined);
  }

  /** Hands over what has begun. Rejects with the error of the match request. */
  async take(): Promise<Begun> {
    const { call } = await this.#begun;
    if (this.#abortion.signal.aborted) return { call, first: undefined };
    this.#isTaken = true;
    this.#cancelPatience?.();
    return { call, first: this.#first };
  }

  /** Nobody is going to take it. A seat that the server may have given is freed with a word. */
  giveUp(): void {
    if (this.#isTaken) return;
    this.#abortion.abort();
    this.#drop();
    this.tabSeat.release();
  }

  async #begin(): Promise<Begun> {
    const { call, serverUrl, webrtc } = this.#options;
    const kept = this.tabSeat.find(call);
    const seat = kept && (await this.tabSeat.claim(kept));
    const seated = seat ? { ...call, seat } : call;
    const credential = joinCredential(seated, webrtc);
    if (credential !== undefined) {
      this.#open(linkUrlOf(serverUrl), credential, true);
    } else {
      const { signal } = this.#abortion;
      const { linkUrl, ticket } = await requestSeat({
        ...{ serverUrl, webrtc, signal, call: seated },
        timeoutMs: CONNECT_TIMEOUT_MS,
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
    // Given up while it was opening.
    if (this.#abortion.signal.aborted) return this.#drop();
    this.#cancelPatience = this.#options.scheduler.after(MAX_SILENCE_MS, () => this.#drop());
  }

  /** A socket that is still opening is closed when it is open: one that breaks would keep its seat. */
  #drop(): void {
    this.#cancelPatience?.();
    if (this.#first?.socket.readyState === OPEN) {
      this.#first.socket.close(CloseCode.left, "the page was too slow, or gave up");
      this.#first = undefined;
    }
  }
}
