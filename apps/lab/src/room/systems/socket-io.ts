import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { readInput, writeInput } from "../float-state.js";
import { rival } from "../rivals.js";
import { FLOAT32, type RoomSystem } from "../system.js";
import { machineMs, type Car } from "../world.js";

interface Message {
  readonly sentMs: number;
  readonly tick: number;
  readonly cars: readonly Car[];
}
interface ServerModule {
  readonly Server: new (
    http: HttpServer,
    options: object,
  ) => {
    on(event: "connection", listener: (socket: ServerSocket) => void): void;
    emit(event: string, message: Message): void;
  };
}
interface ServerSocket {
  on(event: string, listener: (bytes: Buffer) => void): void;
}
interface ClientModule {
  readonly io: (
    url: string,
    options: object,
  ) => {
    on(event: "state", listener: (message: Message) => void): void;
    on(event: "connect", listener: () => void): void;
    on(event: "connect_error", listener: (error: Error) => void): void;
    emit(event: string, bytes: Buffer): void;
  };
}

const WEB_SOCKET_ONLY = { transports: ["websocket"], perMessageDeflate: false } as const;

/** Socket.io with objects as JSON, the usual first version of a game. */
export const socketIo: RoomSystem = {
  name: "socket.io",
  link: "websocket",
  ...FLOAT32,
  packages: ["socket.io"],
  async serve({ port, world }) {
    const { Server } = await rival<ServerModule>("socket.io");
    const http = createServer();
    const io = new Server(http, { ...WEB_SOCKET_ONLY, httpCompression: false, serveClient: false });
    io.on("connection", (socket) => {
      socket.on("input", (bytes) => {
        const { index, number } = readInput(bytes);
        world.input(index, number);
      });
    });
    http.listen(port, "127.0.0.1");
    await once(http, "listening");
    return { publish: () => io.emit("state", { sentMs: machineMs(), tick: world.tick, cars: world.cars }) };
  },
  async join({ port, index, onState }) {
    const { io } = await rival<ClientModule>("socket.io-client");
    const socket = io(`http://127.0.0.1:${port}`, {
      ...WEB_SOCKET_ONLY,
      forceNew: true,
      reconnection: false,
    });
    socket.on("state", ({ sentMs, tick, cars }) => {
      onState({ sentMs, tick, count: cars.length, car: (at) => cars[at] });
    });
    await new Promise<void>((resolve, reject) => {
      socket.on("connect", () => resolve());
      socket.on("connect_error", (error) => reject(error));
    });
    return { sendInput: (number) => socket.emit("input", writeInput(number, index)) };
  },
};
