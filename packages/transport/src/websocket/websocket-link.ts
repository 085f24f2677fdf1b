import { truncateUtf8, type TrafficClassName } from "@paceline/protocol";
import type { LinkClose } from "../link.js";
import { PathLink } from "../path-link.js";
import type { Scheduler } from "../scheduler.js";
import { packetIn, type SocketBacklog } from "./socket-backlog.js";

/** The part of the WebSocket interface that a link needs. The browser's and that of `ws` in Node have it. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: LinkClose) => void): void;
  send(data: Uint8Array): void;
  close(code?: number, reason?: string): void;
}

/** `WebSocket` of the browser, or a compatible class. */
export type WebSocketConstructor = new (url: string, protocols?: string[]) => WebSocketLike;

export interface WebSocketLinkOptions {
  readonly scheduler: Scheduler;
  readonly backlog?: SocketBacklog | undefined;
}

const OPEN = 1;
const CLOSED = 3;
/** The close of a socket without a close frame. */
const CUT: LinkClose = { code: 1006, reason: "" };
/** A socket that holds this many unsent bytes has no room. */
const HIGH_WATER_BYTES = 4096;
/** Limit of RFC 6455, section 5.5.1. */
const MAX_REASON_BYTES = 123;

/** A link over a WebSocket, at the client or the server. Every packet is one binary message. */
export class WebSocketLink extends PathLink {
  readonly kind = "websocket";
  readonly isUnreliable = false;
  readonly #socket: WebSocketLike;
  #backlog: SocketBacklog | undefined;

  constructor(socket: WebSocketLike, options: WebSocketLinkOptions) {
    super(options.scheduler);
    this.#backlog = options.backlog;
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
  }

  /** True if the other side has closed the socket, which the link reports only after {@link start}. */
  get hasEnded(): boolean {
    return this.#socket.readyState > OPEN;
  }

  protected override connect(): void {
    const socket = this.#socket;
    socket.addEventListener("open", () => this.opened());
    const take = (data: unknown): void => {
      // For a socket that was open from the start, a timer reports `open`; the first packet may come earlier.
      this.opened();
      const packet = packetIn(data);
      if (packet) this.received(packet);
    };
    if (this.#backlog) this.#backlog.forward(take);
    else this.listen(take);
    const end = ({ code, reason }: LinkClose): void => {
      // They arrived before the close: a welcome among them names the seat to return to.
      if (this.#backlog && this.#backlog.packets.length > 0) this.opened();
      this.ended(code, reason);
    };
    socket.addEventListener("close", end);
    // A close event with the details follows every error. `ws` needs a listener all the same.
    socket.addEventListener("error", () => undefined);
    if (socket.readyState === OPEN) super.connect();
    // A closing socket reports the code of the other side in its close event.
    if (socket.readyState === CLOSED) this.scheduler.after(0, () => end(this.#backlog?.close ?? CUT));
  }

  /** Gives the data of all messages to `take`. */
  protected listen(take: (data: unknown) => void): void {
    this.#socket.addEventListener("message", ({ data }) => take(data));
  }

  protected override opened(): void {
    super.opened();
    const backlog = this.#backlog;
    this.#backlog = undefined;
    if (backlog) for (const packet of backlog.packets) this.received(packet);
  }

  protected pathBytes(): number {
    return this.#socket.bufferedAmount;
  }

  protected pathHasRoom(): boolean {
    return this.#socket.bufferedAmount < HIGH_WATER_BYTES;
  }

  protected transmit(_trafficClass: TrafficClassName, packet: Uint8Array): boolean {
    // The browser knows of the socket's end before the page: a `send` before the close event would log an
    // error.
    if (this.#socket.readyState !== OPEN) return false;
    this.#socket.send(packet);
    return true;
  }

  protected override shut(close: LinkClose | undefined): void {
    if (!close) return;
    try {
      this.#socket.close(close.code, truncateUtf8(close.reason, MAX_REASON_BYTES));
    } catch {
      // A socket that is still connecting may refuse the code.
      this.#socket.close();
    }
  }
}
