import type { LinkHandlers } from "../link.js";
import { WebSocketLink, type WebSocketLinkOptions } from "../websocket/websocket-link.js";
import type { FramedSocket } from "./framed-socket.js";

/** The server's end of a WebSocket, which takes packets that are framed already: many receivers share their bytes. */
export class FramedLink extends WebSocketLink {
  readonly #socket: FramedSocket;
  #onSent: () => void = () => undefined;

  constructor(socket: FramedSocket, options: Omit<WebSocketLinkOptions, "tellsWhenSent">) {
    super(socket, { ...options, tellsWhenSent: true });
    this.#socket = socket;
  }

  override start(handlers: LinkHandlers): void {
    this.#onSent = () => handlers.onRoom?.();
    super.start(handlers);
  }

  /** Sends so many whole frames, with so many bytes of packets in them. The caller must not change them any more. */
  sendFrames(frames: Uint8Array, packets: number, packetBytes: number): void {
    if (this.state !== "open") {
      this.counters.packetsDropped += packets;
      return;
    }
    this.#socket.sendFrames(frames, this.#onSent);
    this.counters.packetsSent += packets;
    this.counters.bytesSent += packetBytes;
  }
}
