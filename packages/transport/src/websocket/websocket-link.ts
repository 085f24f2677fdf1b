import { truncateUtf8, type TrafficClassName } from "@paceline/protocol";
import { newLinkCounters, type Link, type LinkClose, type LinkHandlers, type LinkState } from "../link.js";
import type { Scheduler } from "../scheduler.js";

/** The part of the WebSocket interface that a link needs: the browser's, or `ws` in Node, on either side. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: LinkClose) => void): void;
  /** `done`: that of `ws`, called when the system has taken the bytes; a browser's ignores it. */
  send(data: Uint8Array, done?: () => void): void;
  close(code?: number, reason?: string): void;
}

/** `WebSocket` of the browser, or one like it. */
export type WebSocketConstructor = new (url: string, protocols?: string[]) => WebSocketLike;

export interface WebSocketLinkOptions {
  readonly scheduler: Scheduler;
  /** While the socket holds so much it has no room. Default 4096. */
  readonly highWaterBytes?: number;
  /** The socket is one of `ws`, which says when it has sent something; a browser's has to be asked. Default: false. */
  readonly tellsWhenSent?: boolean;
}

const OPEN = 1;
const HIGH_WATER_BYTES = 4096;
/** RFC 6455, section 5.5.1. */
const MAX_REASON_BYTES = 123;

/** A link over a WebSocket, the client's side or the server's: every packet is one binary message. */
export class WebSocketLink implements Link {
  readonly kind = "websocket";
  readonly isUnreliable = false;
  readonly counters = newLinkCounters();
  readonly #scheduler: Scheduler;
  readonly #socket: WebSocketLike;
  readonly #highWaterBytes: number;
  readonly tellsRoom: boolean;
  readonly #taken = (): void => this.#handlers?.onRoom?.();
  #state: LinkState = "connecting";
  #handlers: LinkHandlers | undefined;

  constructor(socket: WebSocketLike, options: WebSocketLinkOptions) {
    this.#scheduler = options.scheduler;
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    this.#highWaterBytes = options.highWaterBytes ?? HIGH_WATER_BYTES;
    this.tellsRoom = options.tellsWhenSent ?? false;
  }

  get state(): LinkState {
    return this.#state;
  }

  get queuedBytes(): number {
    return this.#state === "open" ? this.#socket.bufferedAmount : 0;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    const socket = this.#socket;
    socket.addEventListener("open", () => this.#open());
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("close", ({ code, reason }) => this.#closed(code, reason));
    // A close event follows every error and carries what is known of it; `ws` wants a listener all the same.
    socket.addEventListener("error", () => undefined);
    if (socket.readyState === OPEN) this.#scheduler.after(0, () => this.#open());
    if (socket.readyState > OPEN)
      this.#scheduler.after(0, () => this.#closed(1006, "closed before it was used"));
  }

  hasRoom(): boolean {
    return this.#socket.bufferedAmount < this.#highWaterBytes;
  }

  send(_trafficClass: TrafficClassName, packet: Uint8Array): void {
    const { counters } = this;
    try {
      // Its end is known to the browser before the page: until the close event it would complain of every packet.
      if (this.#state !== "open" || this.#socket.readyState !== OPEN) counters.packetsDropped += 1;
      else {
        if (this.tellsRoom) this.#socket.send(packet, this.#taken);
        else this.#socket.send(packet);
        counters.packetsSent += 1;
        counters.bytesSent += packet.length;
      }
    } catch {
      counters.packetsDropped += 1;
    }
  }

  close(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    try {
      this.#socket.close(code, truncateUtf8(reason, MAX_REASON_BYTES));
    } catch {
      // A socket that is still connecting may refuse a code; it is closed either way.
      this.#socket.close();
    }
    // The socket's own close event may take many seconds on a dead network.
    this.#scheduler.after(0, () => this.#report(code, reason));
  }

  #open(): void {
    if (this.#state !== "connecting") return;
    this.#state = "open";
    this.#handlers?.onOpen();
  }

  #receive(data: unknown): void {
    // The first packet may be here before the timer that reports a socket which was open from the start.
    this.#open();
    const packet = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
    if (this.#state !== "open" || !(packet instanceof Uint8Array)) return;
    this.counters.packetsReceived += 1;
    this.counters.bytesReceived += packet.length;
    this.#handlers?.onPacket(packet);
  }

  #closed(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#report(code, reason);
  }

  #report(code: number, reason: string): void {
    const handlers = this.#handlers;
    this.#handlers = undefined;
    handlers?.onClose({ code, reason });
  }
}
