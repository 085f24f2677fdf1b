import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { requiredRival, rival } from "../room/rivals.js";
import type { RelaySystem } from "./system.js";

const PLAIN = { perMessageDeflate: false } as const;

/** The base of all ratios: a simple loop over the other sockets. */
export const naiveWebSocket: RelaySystem = {
  name: "ws-naive",
  packages: [],
  async serve(port) {
    const server = new WebSocketServer({ port, host: "127.0.0.1", ...PLAIN });
    server.on("connection", (socket, { socket: tcp }: { socket: Socket }) => {
      tcp.setNoDelay(true);
      socket.on("message", (data) => {
        for (const other of server.clients) if (other !== socket) other.send(data);
      });
    });
    await once(server, "listening");
  },
  async join({ port, onMessage }) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, PLAIN);
    socket.on("message", (data) => onMessage(data as Buffer));
    await once(socket, "open");
    return { send: (bytes) => socket.send(bytes) };
  },
};

interface SocketIoServer {
  readonly Server: new (
    http: HttpServer,
    options: object,
  ) => {
    on(event: "connection", listener: (socket: SocketIoMember) => void): void;
  };
}
interface SocketIoMember {
  join(room: string): void;
  on(event: string, listener: (bytes: Buffer) => void): void;
  to(room: string): { emit(event: string, bytes: Buffer): void };
}
interface SocketIoClient {
  readonly io: (
    url: string,
    options: object,
  ) => {
    on(event: string, listener: (value: never) => void): void;
    emit(event: string, bytes: Uint8Array): void;
  };
}

const WEB_SOCKET_ONLY = { transports: ["websocket"], ...PLAIN } as const;

export const socketIo: RelaySystem = {
  name: "socket.io",
  packages: ["socket.io"],
  async serve(port) {
    const { Server } = await rival<SocketIoServer>("socket.io");
    const http = createServer();
    const io = new Server(http, { ...WEB_SOCKET_ONLY, httpCompression: false, serveClient: false });
    io.on("connection", (socket) => {
      socket.join("room");
      socket.on("m", (bytes) => socket.to("room").emit("m", bytes));
    });
    http.listen(port, "127.0.0.1");
    await once(http, "listening");
  },
  async join({ port, onMessage }) {
    const { io } = await rival<SocketIoClient>("socket.io-client");
    const socket = io(`http://127.0.0.1:${port}`, {
      ...WEB_SOCKET_ONLY,
      forceNew: true,
      reconnection: false,
    });
    socket.on("m", (bytes: Uint8Array) => onMessage(bytes));
    await new Promise<void>((resolve, reject) => {
      socket.on("connect", () => resolve());
      socket.on("connect_error", (error: Error) => reject(error));
    });
    return { send: (bytes) => socket.emit("m", bytes) };
  },
};

interface ColyseusRoom {
  maxClients: number;
  patchRate: number | null;
  onMessageBytes(type: string, listener: (client: object, bytes: Uint8Array) => void): void;
  broadcastBytes(type: string, bytes: Uint8Array, options: { readonly except: object }): void;
}
interface ColyseusCore {
  readonly Room: new () => ColyseusRoom;
  readonly Server: new (options: object) => {
    define(name: string, room: new () => ColyseusRoom): void;
    listen(port: number, host: string): Promise<void>;
  };
}
interface ColyseusTransport {
  readonly WebSocketTransport: new (options: object) => object;
}
interface ColyseusSdk {
  readonly Client: new (url: string) => {
    joinOrCreate(name: string): Promise<{
      sendBytes(type: string, bytes: Uint8Array): void;
      onMessage(type: string, listener: (bytes: Uint8Array) => void): void;
    }>;
  };
}

export const colyseus: RelaySystem = {
  name: "colyseus",
  packages: ["@colyseus/core", "@colyseus/ws-transport", "@colyseus/sdk"],
  async serve(port) {
    const { Server, Room } = requiredRival("@colyseus/core") as ColyseusCore;
    const { WebSocketTransport } = requiredRival("@colyseus/ws-transport") as ColyseusTransport;
    class Relay extends Room {
      onCreate(): void {
        this.patchRate = null;
        this.maxClients = 1000;
        this.onMessageBytes("m", (client, bytes) => this.broadcastBytes("m", bytes, { except: client }));
      }
    }
    const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0 }), greet: false });
    server.define("relay", Relay);
    await server.listen(port, "127.0.0.1");
  },
  async join({ port, onMessage }) {
    const { Client } = requiredRival("@colyseus/sdk") as ColyseusSdk;
    const room = await new Client(`http://127.0.0.1:${port}`).joinOrCreate("relay");
    room.onMessage("m", (bytes) => onMessage(bytes));
    return { send: (bytes) => room.sendBytes("m", bytes) };
  },
};
