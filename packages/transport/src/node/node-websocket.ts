import { WebSocket } from "ws";
import type { WebSocketConstructor } from "../websocket/websocket-link.js";

/** The WebSocket of `ws` as a client. Lets bots, tests and native players in Node be ordinary clients. */
export const NodeWebSocket: WebSocketConstructor = class extends WebSocket {
  constructor(url: string, protocols?: string[]) {
    super(url, protocols, { perMessageDeflate: false });
  }
};
