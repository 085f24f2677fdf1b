import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { WebSocketServer } from "ws";
import { systemScheduler, type Scheduler } from "../scheduler.js";
import type { SendQueueLimits } from "../send-queue.js";
import { FramedSocket } from "./framed-socket.js";
import { WebSocketLink } from "../websocket/websocket-link.js";

export interface WebSocketListenerOptions {
  /** The largest packet that is read; a larger one ends the connection. */
  readonly maxPacketBytes: number;
  readonly scheduler?: Scheduler;
  readonly queue?: Partial<SendQueueLimits>;
}

/** A connection that was accepted, and the subprotocols that its client offered (they carry its ticket). */
export interface AcceptedLink {
  readonly link: WebSocketLink;
  readonly offeredProtocols: readonly string[];
}

/** Turns HTTP upgrades into links. Compression is off: packets are small and already dense. */
export class WebSocketListener {
  readonly #server: WebSocketServer;
  readonly #options: WebSocketListenerOptions;

  constructor(options: WebSocketListenerOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      maxPayload: options.maxPacketBytes,
      handleProtocols: (offered) => spokenProtocol(offered),
    });
  }

  /** Completes the upgrade; a request that is none is answered with an HTTP error and `onLink` is not called. */
  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    onLink: (accepted: AcceptedLink) => void,
  ): void {
    const offeredProtocols = (request.headers["sec-websocket-protocol"] ?? "")
      .split(",")
      .map((name) => name.trim());
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      // Without a listener an error of the socket would end the process; its close event tells the rest.
      webSocket.on("error", () => undefined);
      const link = new WebSocketLink(new FramedSocket(webSocket, socket), {
        scheduler: this.#options.scheduler ?? systemScheduler,
        tellsWhenSent: true,
        ...(this.#options.queue && { queue: this.#options.queue }),
      });
      onLink({ link, offeredProtocols });
    });
  }

  /** Refuses new connections; those that are open stay. */
  close(): void {
    this.#server.close();
  }
}

/**
 * Ours where it is offered. Otherwise the other version's own name: a client fails the handshake when none of its
 * protocols is chosen, and would never see the close code that tells it why.
 */
function spokenProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(WEBSOCKET_PROTOCOL)) return WEBSOCKET_PROTOCOL;
  return [...offered].find((name) => name.startsWith("paceline.")) ?? false;
}
