import type { LinkClose } from "../link.js";
import type { WebSocketLike } from "./websocket-link.js";

/** Keeps a socket's messages until a link takes them: the client may open the socket before it has the code that reads it. */
export class SocketBacklog {
  readonly packets: Uint8Array[] = [];
  /** Undefined while the socket is not closed. */
  close: LinkClose | undefined;
  #isOver = false;

  /** Listens to the socket from now on, which must be new. */
  constructor(socket: WebSocketLike) {
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      const packet = packetIn(data);
      if (packet && !this.#isOver) this.packets.push(packet);
    });
    socket.addEventListener("close", ({ code, reason }) => (this.close = { code, reason }));
    // Listens, because `ws` throws an error that nobody hears.
    socket.addEventListener("error", () => undefined);
  }

  /** The link listens itself now. */
  end(): void {
    this.#isOver = true;
  }
}

/** The packet in a message; undefined where it is text. */
export function packetIn(data: unknown): Uint8Array | undefined {
  const packet = data instanceof ArrayBuffer ? new Uint8Array(data) : data;
  return packet instanceof Uint8Array ? packet : undefined;
}
