import { once } from "node:events";
import type { Socket } from "node:net";
import { WebSocket, WebSocketServer } from "ws";
import { PlainBot } from "../../bots/plain-bot.js";
import type { SeenState } from "../../room/system.js";
import { PERIOD_MS, machineMs, type Car } from "../../room/world.js";
import { readInput, writeInput } from "../../room/float-state.js";
import { POSITION, SIXTEEN_BITS, STEPS, VELOCITY, type CapacitySystem } from "../system.js";
import type { WalkerWorld, Worlds } from "../world.js";

const PLAIN = { perMessageDeflate: false } as const;
const HEAD_BYTES = 12;
const WALKER_BYTES = 14;
const TURN = 2 * Math.PI;

function toSteps(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.round(((value - min) / (max - min)) * STEPS);
}

function fromSteps(steps: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return min + (steps / STEPS) * (max - min);
}

/** Writes the whole room as numbers of 16 bits, like a hand-written protocol. */
function writeState({ tick, walkers }: WalkerWorld): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + WALKER_BYTES * walkers.length);
  bytes.writeDoubleLE(machineMs(), 0);
  bytes.writeUInt32LE(tick, 8);
  let at = HEAD_BYTES;
  for (const { index, x, y, yaw, vx, vy, lastInput } of walkers) {
    bytes.writeUInt16LE(index, at);
    bytes.writeUInt16LE(toSteps(x, POSITION), at + 2);
    bytes.writeUInt16LE(toSteps(y, POSITION), at + 4);
    bytes.writeUInt16LE(toSteps(yaw, { min: 0, max: TURN }), at + 6);
    bytes.writeUInt16LE(toSteps(vx, VELOCITY), at + 8);
    bytes.writeUInt16LE(toSteps(vy, VELOCITY), at + 10);
    bytes.writeUInt16LE(lastInput, at + 12);
    at += WALKER_BYTES;
  }
  return bytes;
}

/** Returns a reader for {@link writeState}; it reuses its objects. */
function stateReader(first: number, players: number): (bytes: Buffer) => SeenState {
  const walkers = Array.from({ length: players }, (): { -readonly [K in keyof Car]: Car[K] } => {
    return { index: 0, x: 0, y: 0, yaw: 0, vx: 0, vy: 0, lastInput: 0 };
  });
  return (bytes) => {
    const count = (bytes.byteLength - HEAD_BYTES) / WALKER_BYTES;
    let at = HEAD_BYTES;
    for (const walker of walkers) {
      walker.index = bytes.readUInt16LE(at);
      walker.x = fromSteps(bytes.readUInt16LE(at + 2), POSITION);
      walker.y = fromSteps(bytes.readUInt16LE(at + 4), POSITION);
      walker.yaw = fromSteps(bytes.readUInt16LE(at + 6), { min: 0, max: TURN });
      walker.vx = fromSteps(bytes.readUInt16LE(at + 8), VELOCITY);
      walker.vy = fromSteps(bytes.readUInt16LE(at + 10), VELOCITY);
      walker.lastInput = bytes.readUInt16LE(at + 12);
      at += WALKER_BYTES;
    }
    return {
      sentMs: bytes.readDoubleLE(0),
      tick: bytes.readUInt32LE(8),
      count,
      car: (index) => walkers[index - first],
    };
  };
}

/** A room with a loop of its own, which begins when its first player comes, as in the other systems. */
class PlainRoom {
  readonly #members = new Set<WebSocket>();
  readonly #world: WalkerWorld;
  #nextMs = performance.now() + PERIOD_MS;

  constructor(world: WalkerWorld) {
    this.#world = world;
    setTimeout(() => this.#run(), PERIOD_MS);
  }

  add(socket: WebSocket): void {
    this.#members.add(socket);
    socket.on("close", () => this.#members.delete(socket));
    socket.on("message", (data) => {
      const { index, number } = readInput(data as Buffer);
      this.#world.input(index, number);
    });
  }

  #run(): void {
    if (this.#world.step()) {
      const state = writeState(this.#world);
      for (const member of this.#members) member.send(state);
    }
    this.#nextMs += PERIOD_MS;
    setTimeout(() => this.#run(), Math.max(0, this.#nextMs - performance.now()));
  }
}

async function serve(port: number, worlds: Worlds): Promise<void> {
  const server = new WebSocketServer({ port, host: "127.0.0.1", ...PLAIN });
  const rooms = new Map<number, PlainRoom>();
  server.on("connection", (socket, request: { readonly socket: Socket; readonly url?: string }) => {
    request.socket.setNoDelay(true);
    const number = Number(request.url!.slice(1));
    const room = rooms.get(number) ?? new PlainRoom(worlds.of(number));
    rooms.set(number, room);
    room.add(socket);
  });
  await once(server, "listening");
}

/** The base: `ws` with a hand-made struct of 16-bit numbers, encoded once for all clients of a room. */
export const plain: CapacitySystem = {
  name: "ws",
  packages: ["ws"],
  tolerance: SIXTEEN_BITS,
  maxRoomPlayers: Infinity,
  serve,
  async joinChecker({ port, room, index, roomPlayers, onState }) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${room}`, PLAIN);
    const read = stateReader(room * roomPlayers, roomPlayers);
    socket.on("message", (data) => onState(read(data as Buffer)));
    await once(socket, "open");
    return { sendInput: (number) => socket.send(writeInput(number, index)) };
  },
  joinBot({ port, room, index, onEnd }) {
    return PlainBot.join(
      { port, path: `/${room}`, inputBytes: (number) => writeInput(number, index) },
      onEnd,
    );
  },
};
