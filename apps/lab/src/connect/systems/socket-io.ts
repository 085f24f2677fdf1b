import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rival } from "../../room/rivals.js";
import type { Connected, ConnectSystem, JoinSystem } from "../system.js";

/** The used part of socket.io's socket. */
interface Socket {
  on(event: string, listener: (message: Uint8Array) => void): void;
  emit(event: string, message: unknown): void;
  disconnect(): void;
}
interface ServerModule {
  readonly Server: new (
    http: object,
    options: object,
  ) => {
    on(event: "connection", listener: (socket: Socket) => void): void;
  };
}
interface ClientModule {
  readonly io: (url: string, options: object) => Socket;
}

/** WebSockets only: users first turn off the initial HTTP polling. */
const options = { transports: ["websocket"], perMessageDeflate: false };

async function listen(host: string, onConnection: (socket: Socket) => void): Promise<string> {
  const { Server } = await rival<ServerModule>("socket.io");
  const http = createServer();
  const io = new Server(http, { ...options, httpCompression: false, serveClient: false });
  io.on("connection", onConnection);
  http.listen(0, host);
  await once(http, "listening");
  return `http://${host}:${(http.address() as AddressInfo).port}`;
}

async function open(url: string): Promise<Socket> {
  const { io } = await rival<ClientModule>("socket.io-client");
  return io(url, { ...options, forceNew: true, reconnection: false });
}

export const socketIo: ConnectSystem = {
  serve: (host) => listen(host, (socket) => socket.on("echo", (bytes) => socket.emit("echo", bytes))),

  async connect(url) {
    const socket = await open(url);
    await new Promise<void>((resolve, reject) => {
      socket.on("connect", () => resolve());
      socket.on("connect_error", (error: unknown) => reject(new Error(String(error))));
    });
    const connected: Connected = {
      onEcho: undefined,
      send: (bytes) => socket.emit("echo", bytes),
      close: () => socket.disconnect(),
    };
    socket.on("echo", (bytes) => connected.onEcho?.(bytes));
    return connected;
  },
};

/** Socket.io whose server sends a state to each new client. */
export const socketIoJoin: JoinSystem = {
  serve: (host) => listen(host, (socket) => socket.emit("state", { x: 1, y: 2 })),

  async join(url) {
    const socket = await open(url);
    await new Promise<void>((resolve) => socket.on("state", () => resolve()));
    return { leave: () => socket.disconnect() };
  },
};
