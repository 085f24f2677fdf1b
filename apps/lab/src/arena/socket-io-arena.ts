import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { rival } from "../room/rivals.js";
import type { ArenaSystem, Drawn } from "./arena-system.js";
import { PlainArena, type Eater } from "./plain-arena.js";

interface ServerModule {
  readonly Server: new (
    http: HttpServer,
    options: object,
  ) => {
    on(event: "connection", listener: (socket: ServerSocket) => void): void;
    emit(event: string, message: unknown): void;
  };
}
interface ServerSocket {
  readonly handshake: { readonly query: Readonly<Record<string, string>> };
  on(event: string, listener: (message: never) => void): void;
  emit(event: string, message: unknown): void;
}
interface ClientModule {
  readonly io: (url: string, options: object) => ClientSocket;
}
interface ClientSocket {
  readonly id: string;
  on(event: string, listener: (message: never) => void): void;
  emit(event: string, message: unknown): void;
}
interface SeenCell extends Drawn {
  readonly mass: number;
  readonly name: string;
}
interface SeenScreen {
  readonly cells: readonly SeenCell[];
  readonly food: readonly { readonly x: number; readonly y: number; readonly color: number }[];
  readonly viruses: readonly { readonly x: number; readonly y: number }[];
}

const STEP_HZ = 40;
const STEP_MS = 1000 / STEP_HZ;
const LEADERS_MS = 1000;
const WEB_SOCKET_ONLY = { transports: ["websocket"], perMessageDeflate: false } as const;

/** Socket.IO with raw states of the screen, 40 times a second, drawn as they come: as many write such a game. */
export const socketIoArena: ArenaSystem = {
  name: "socket.io",
  packages: ["socket.io", "socket.io-client"],
  async serve(port, log) {
    const { Server } = await rival<ServerModule>("socket.io");
    const http = createServer();
    const io = new Server(http, { ...WEB_SOCKET_ONLY, httpCompression: false, serveClient: false });
    const arena = new PlainArena();
    const sockets = new Map<Eater, ServerSocket>();
    io.on("connection", (socket) => {
      const eater: Eater = { name: socket.handshake.query["name"]!, input: { x: 0, y: 0 }, cells: [] };
      arena.eaters.add(eater);
      sockets.set(eater, socket);
      socket.on("steer", (input: Eater["input"]) => Object.assign(eater.input, input));
      socket.on("split", () => arena.splitAll(eater));
    });
    let nextMs = performance.now() + STEP_MS;
    const run = (): void => {
      log.step(
        () => arena.step(1 / STEP_HZ),
        () => [...arena.cells()].map(({ id, position: { x, y } }) => ({ id, x, y })),
      );
      for (const [eater, socket] of sockets) socket.emit("state", arena.screenOf(eater));
      nextMs += STEP_MS;
      setTimeout(run, Math.max(0, nextMs - performance.now()));
    };
    setTimeout(run, STEP_MS);
    setInterval(() => io.emit("leaders", arena.leaders()), LEADERS_MS);
    http.listen(port, "127.0.0.1");
    await once(http, "listening");
  },
  async join(port, index) {
    const { io } = await rival<ClientModule>("socket.io-client");
    const name = `bot ${index}`;
    const socket = io(`http://127.0.0.1:${port}`, {
      ...WEB_SOCKET_ONLY,
      forceNew: true,
      reconnection: false,
      query: { name },
    });
    let screen: SeenScreen = { cells: [], food: [], viruses: [] };
    socket.on("state", (newest: SeenScreen) => (screen = newest));
    await new Promise<void>((resolve, reject) => {
      socket.on("connect", () => resolve());
      socket.on("connect_error", (error: Error) => reject(error));
    });
    let read = 0;
    return {
      steer: (x, y) => socket.emit("steer", { x, y }),
      split: () => socket.emit("split", {}),
      frame(draw) {
        for (const { x, y, color } of screen.food) read += x + y + color;
        for (const { x, y } of screen.viruses) read += x + y;
        for (const cell of screen.cells) {
          read += cell.mass;
          if (cell.name !== name) draw(cell);
        }
      },
    };
  },
};
