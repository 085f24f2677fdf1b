import type { TrafficClassName } from "@paceline/protocol";
import type { LinkClose } from "../link.js";
import { WebSocketLink, type WebSocketLinkOptions } from "../websocket/websocket-link.js";
import type { FramedSocket } from "./framed-socket.js";

export interface FramedLinkOptions extends WebSocketLinkOptions {
  /** A socket that holds this many unsent bytes has no room. */
  readonly highWaterBytes: number;
}

/** Value of `readyState` of an open WebSocket. */
const OPEN = 1;

/**
 * The server's end of a WebSocket. It can send packets that are framed already, so that many receivers share
 * their bytes.
 */
export class FramedLink extends WebSocketLink {
  readonly reportsRoom = true;
  readonly #socket: FramedSocket;
  readonly #highWaterBytes: number;
  readonly #onSent = (): void => this.drained();
  #take: ((data: Uint8Array) => void) | undefined;
  #isPaused = false;
  /** Packets that were read from the network before the pause. Their number is that of one or two reads. */
  #unread: Uint8Array[] = [];

  constructor(socket: FramedSocket, options: FramedLinkOptions) {
    super(socket, options);
    this.#socket = socket;
    this.#highWaterBytes = options.highWaterBytes;
  }

  protected override listen(take: (data: Uint8Array) => void): void {
    this.#take = take;
    this.#socket.onMessage = (data) => {
      if (this.#isPaused) this.#unread.push(data);
      else take(data);
    };
  }

  /**
   * Reports no packets until {@link resumeReading}, and stops to read from the network. The other side's packets
   * wait in its own socket.
   */
  pauseReading(): void {
    if (this.#isPaused || this.state === "closed") return;
    this.#isPaused = true;
    this.#socket.setReading(false);
  }

  /** Reports the packets that have waited. Their receiver may pause the link again at any of them. */
  resumeReading(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const unread = this.#unread;
    this.#unread = [];
    let reported = 0;
    while (!this.#isPaused && reported < unread.length) this.#take?.(unread[reported++]!);
    if (!this.#isPaused) return this.#socket.setReading(true);
    this.#unread = unread.slice(reported);
  }

  protected override shut(close: LinkClose | undefined): void {
    // The close of the other side is read, too.
    if (this.#isPaused) this.#socket.setReading(true);
    this.#isPaused = false;
    const unread = this.#unread;
    this.#unread = [];
    // The link is closed already, so its owner gets them as late packets.
    for (const packet of unread) this.#take?.(packet);
    super.shut(close);
  }

  protected override pathHasRoom(): boolean {
    return this.#socket.bufferedAmount < this.#highWaterBytes;
  }

  protected override transmit(_trafficClass: TrafficClassName, packet: Uint8Array): boolean {
    if (this.#socket.readyState !== OPEN) return false;
    this.#socket.send(packet, this.#onSent);
    return true;
  }

  /**
   * Sends whole frames that contain `packets` packets of `packetBytes` bytes. The caller must not change them
   * any more. Returns false if the link has closed, or its socket is closing: then the packets are dropped.
   */
  sendFrames(frames: Uint8Array, packets: number, packetBytes: number): boolean {
    if (this.state !== "open" || this.#socket.readyState !== OPEN) {
      this.counters.packetsDropped += packets;
      return false;
    }
    this.#socket.sendFrames(frames, this.#onSent);
    this.counters.packetsSent += packets;
    this.counters.bytesSent += packetBytes;
    return true;
  }
}
