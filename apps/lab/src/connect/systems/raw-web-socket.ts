import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import type { Connected, ConnectSystem } from "../system.js";

/** Plain WebSockets: the lowest possible cost, with which the systems are compared. */
export const ws: ConnectSystem = {
  async serve(host) {
    const server = new WebSocketServer({ port: 0, host, perMessageDeflate: false });
    server.on("connection", (socket) => {
      socket.on("message", (data) => socket.send(data as Buffer, { binary: true }));
      socket.on("error", () => undefined);
    });
    await once(server, "listening");
    return `ws://${host}:${(server.address() as AddressInfo).port}`;
  },

  async connect(url) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, "open");
    const connected: Connected = {
      onEcho: undefined,
      send: (bytes) => socket.send(bytes),
      async close() {
        const closed = once(socket, "close");
        socket.close();
        await closed;
      },
    };
    socket.on("message", (data) => connected.onEcho?.(data as Buffer));
    return connected;
  },
};
