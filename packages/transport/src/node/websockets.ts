import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { WebSocketServer, type ServerOptions, WebSocket } from "ws";
import type { Scheduler } from "../scheduler.js";
import { FramedLink } from "./framed-link.js";
import { FramedSocket, type StrayFrameHandler } from "./framed-socket.js";
import type { WebSocketConstructor } from "../websocket/websocket-link.js";

/** The WebSocket of `ws` as a client. Lets bots, tests and native players in Node be ordinary clients. */
export const NodeWebSocket: WebSocketConstructor = class extends WebSocket {
  constructor(url: string, protocols?: string[]) {
    super(url, protocols, { perMessageDeflate: false });
  }
};

/** Close code of RFC 6455, section 7.4.1. */
const MESSAGE_TOO_BIG = 1009;

export interface WebSocketListenerOptions {
  /** Limit of bytes of a packet. A larger one closes the link with 1009. */
  readonly maxPacketBytes: number;
  readonly scheduler: Scheduler;
  /** A socket that holds this many unsent bytes has no room. */
  readonly highWaterBytes: number;
}

/** An accepted connection, and the subprotocols that its client offered (they carry its ticket). */
interface AcceptedLink {
  readonly link: FramedLink;
  readonly offeredProtocols: readonly string[];
  readonly request: IncomingMessage;
}

/** Callbacks of {@link WebSocketListener.accept}. */
export interface AcceptHandlers {
  /** Called once, when the upgrade is done. */
  onLink(accepted: AcceptedLink): void;
  readonly onStray: StrayFrameHandler;
}

/**
 * Limit of frames of one message. A browser may cut a message into a few. Without a limit, a client could send
 * endless empty fragments at no cost.
 */
const MAX_FRAGMENTS = 16;

/** Turns HTTP upgrades into links. Compression is off: packets are small and already dense. */
export class WebSocketListener {
  readonly #server: WebSocketServer;
  readonly #options: WebSocketListenerOptions;

  constructor(options: WebSocketListenerOptions) {
    this.#options = options;
    const serverOptions: ServerOptions & { readonly maxFragments: number } = {
      noServer: true,
      perMessageDeflate: false,
      maxPayload: options.maxPacketBytes,
      // The types of `ws` lack this option.
      maxFragments: MAX_FRAGMENTS,
      autoPong: false,
      handleProtocols: (offered) => spokenProtocol(offered),
    };
    this.#server = new WebSocketServer(serverOptions);
  }

  /**
   * Completes the upgrade. Answers any other request with an HTTP error and does not call `onLink`.
   * `handlers` live as long as the link: if they hold the request, its headers stay in memory.
   */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, handlers: AcceptHandlers): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket, upgraded) => {
      const { maxPacketBytes, scheduler, highWaterBytes } = this.#options;
      const framed = new FramedSocket(webSocket, socket, maxPacketBytes, handlers.onStray);
      const link = new FramedLink(framed, { scheduler, highWaterBytes });
      // Without a listener an error of the socket would end the process. The close event reports all errors
      // except a message that is too long: `ws` has sent the code and reads nothing more, so that the event
      // would come late, with 1006.
      webSocket.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") link.close(MESSAGE_TOO_BIG, "message too long");
      });
      handlers.onLink({ link, offeredProtocols: protocolsOf(upgraded), request: upgraded });
    });
  }

  /** Refuses new connections. Open ones stay. */
  close(): void {
    this.#server.close();
  }
}

function protocolsOf({ headers }: IncomingMessage): string[] {
  return (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
}

/**
 * Returns our protocol if the client offers it, otherwise another version's name. A client fails the
 * handshake if no protocol is chosen, and would never see the close code that gives the reason.
 */
function spokenProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(WEBSOCKET_PROTOCOL)) return WEBSOCKET_PROTOCOL;
  return [...offered].find((name) => name.startsWith("paceline.")) ?? false;
}
