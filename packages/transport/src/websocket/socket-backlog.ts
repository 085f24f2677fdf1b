import type { LinkClose } from "../link.js";
import type { WebSocketLike } from "./websocket-link.js";

/**
 * Keeps a socket's messages until a link takes them, because the client may open the socket before it has
 * loaded the link.
 */
export class SocketBacklog {
  readonly packets: Uint8Array[] = [];
  /** Set when the socket closes. */
  close: LinkClose | undefined;
  /** Takes the messages of the socket instead, once a link has them. */
  #forward: ((data: unknown) => void) | undefined;

  /** Listens to the socket, which must be new. */
  constructor(socket: WebSocketLike) {
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      if (this.#forward) return this.#forward(data);
      const packet = packetIn(data);
      if (packet) this.packets.push(packet);
    });
    socket.addEventListener("close", ({ code, reason }) => (this.close = { code, reason }));
    // Listens, because `ws` throws an error that has no listener.
    socket.addEventListener("error", () => undefined);
  }

  /** Stops collecting, and gives all later messages to the link: a second listener would cost at each one. */
  forward(take: (data: unknown) => void): void {
    this.#forward = take;
  }
}

/** Returns the packet in a message, or undefined for text. */
export function packetIn(data: unknown): Uint8Array | undefined {
  const packet = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  return packet instanceof Uint8Array ? packet : undefined;
}
