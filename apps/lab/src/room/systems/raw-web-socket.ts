import { once } from "node:events";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { floatStateReader, readInput, writeFloatState, writeInput } from "../float-state.js";
import { FLOAT32, type RoomSystem } from "../system.js";

const PLAIN = { perMessageDeflate: false } as const;

/** The base of all ratios: `ws` with a hand-made struct of 32-bit floats, encoded once for all clients. */
export const rawWebSocket: RoomSystem = {
  name: "ws-float32",
  link: "websocket",
  ...FLOAT32,
  packages: ["ws"],
  async serve({ port, world }) {
    const server = new WebSocketServer({ port, host: "127.0.0.1", ...PLAIN });
    server.on("connection", (socket, { socket: tcp }: { socket: Socket }) => {
      tcp.setNoDelay(true);
      socket.on("message", (data) => {
        const { index, number } = readInput(data as Buffer);
        world.input(index, number);
      });
    });
    await once(server, "listening");
    return {
      publish() {
        const state = writeFloatState(world);
        for (const client of server.clients) client.send(state);
      },
    };
  },
  async join({ port, index, players, onState }) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, PLAIN);
    const read = floatStateReader(players);
    socket.on("message", (data) => onState(read(data as Buffer)));
    await once(socket, "open");
    return { sendInput: (number) => socket.send(writeInput(number, index)) };
  },
};
