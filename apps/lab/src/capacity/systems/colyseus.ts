import { ColyseusBot } from "../../bots/colyseus-bot.js";
import { readInput, writeInput } from "../../room/float-state.js";
import { importedRival } from "../../room/rivals.js";
import { PERIOD_MS, machineMs, type Car } from "../../room/world.js";
import { POSITION, SIXTEEN_BITS, VELOCITY, type CapacitySystem } from "../system.js";
import type { Worlds } from "../world.js";

type Fields = Record<string, unknown>;
interface SchemaModule {
  readonly schema: (fields: Fields, name: string) => new () => ColyseusState;
  readonly t: Record<"uint16" | "uint32" | "float64" | "angle", () => unknown> & {
    quantized(options: { readonly min: number; readonly max: number }): unknown;
    array(of: unknown): unknown;
  };
  readonly Encoder: { BUFFER_SIZE: number };
}
type ColyseusWalker = { -readonly [K in keyof Car]: Car[K] };
interface ColyseusState {
  sentMs: number;
  tick: number;
  readonly walkers: ColyseusWalker[];
}
interface ColyseusClient {
  userData: unknown;
}
interface ColyseusRoom {
  patchRate: number | null;
  maxClients: number;
  autoDispose: boolean;
  state: ColyseusState;
  setTimestep(onTick: () => void, periodMs: number): void;
  onMessageBytes(type: string, handler: (client: ColyseusClient, bytes: Uint8Array) => void): void;
  broadcastPatch(): void;
}
interface CoreModule {
  readonly Room: new () => ColyseusRoom;
  readonly Server: new (options: object) => {
    define(name: string, room: unknown): { filterBy(options: readonly string[]): unknown };
    listen(port: number, host: string): Promise<void>;
  };
}
interface TransportModule {
  readonly WebSocketTransport: new (options: object) => object;
}
interface SdkModule {
  readonly Client: new (url: string) => {
    joinOrCreate(
      name: string,
      options: object,
      state: unknown,
    ): Promise<{
      onStateChange(listener: (state: ColyseusState) => void): void;
      sendBytes(type: string, bytes: Buffer): void;
    }>;
  };
}
interface Schemas {
  readonly State: new () => ColyseusState;
  readonly Entity: new () => ColyseusState;
}
interface Options {
  readonly room: number;
  readonly index: number;
}

const ROOM = "walkers";
const LARGEST_STATE_BYTES = 1024 * 1024;
let known: Promise<Schemas> | undefined;

/** Returns the schemas, which are made once: Colyseus needs each class to be unique. */
function schemas(): Promise<Schemas> {
  known ??= makeSchemas();
  return known;
}

async function makeSchemas(): Promise<Schemas> {
  const { schema, t } = await importedRival<SchemaModule>("@colyseus/schema");
  const Entity = schema(
    {
      index: t.uint16(),
      x: t.quantized(POSITION),
      y: t.quantized(POSITION),
      yaw: t.angle(),
      vx: t.quantized(VELOCITY),
      vy: t.quantized(VELOCITY),
      lastInput: t.uint16(),
    },
    "Walker",
  );
  const State = schema({ sentMs: t.float64(), tick: t.uint32(), walkers: t.array(Entity) }, "Walkers");
  return { State, Entity };
}

async function serve(port: number, worlds: Worlds, roomPlayers: number): Promise<void> {
  const { Encoder } = await importedRival<SchemaModule>("@colyseus/schema");
  Encoder.BUFFER_SIZE = LARGEST_STATE_BYTES;
  const { Room, Server } = await importedRival<CoreModule>("@colyseus/core");
  const { WebSocketTransport } = await importedRival<TransportModule>("@colyseus/ws-transport");
  const { State, Entity } = await schemas();
  class Walkers extends Room {
    onCreate({ room }: Options): void {
      const world = worlds.of(room);
      this.maxClients = roomPlayers;
      this.autoDispose = false;
      const state = new State();
      Object.assign(state, { sentMs: 0, tick: 0 });
      for (const walker of world.walkers) {
        state.walkers.push(Object.assign(new Entity(), walker) as never);
      }
      this.state = state;
      this.onMessageBytes("input", ({ userData }, bytes) => {
        world.input(userData as number, readInput(Buffer.from(bytes)).number);
      });
      // States leave at the end of the tick that wrote them, which is the earliest moment.
      this.setTimestep(() => {
        if (!world.step()) return;
        let seat = 0;
        for (const { x, y, yaw, vx, vy, lastInput } of world.walkers) {
          const to = state.walkers[seat++]!;
          to.x = x;
          to.y = y;
          to.yaw = yaw;
          to.vx = vx;
          to.vy = vy;
          to.lastInput = lastInput;
        }
        state.tick = world.tick;
        state.sentMs = machineMs();
        this.broadcastPatch();
      }, PERIOD_MS);
      // After the step: without one Colyseus would start a timer for its clock.
      this.patchRate = null;
    }

    onJoin(client: ColyseusClient, { index }: Options): void {
      client.userData = index;
    }
  }
  const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0 }), greet: false });
  server.define(ROOM, Walkers).filterBy(["room"]);
  await server.listen(port, "127.0.0.1");
}

/** Colyseus encodes a patch once for all clients of a room. */
export const colyseus: CapacitySystem = {
  name: "colyseus",
  packages: ["@colyseus/core", "@colyseus/ws-transport", "@colyseus/schema", "@colyseus/sdk"],
  tolerance: SIXTEEN_BITS,
  maxRoomPlayers: Infinity,
  serve,
  async joinChecker({ port, room: number, index, roomPlayers, onState }) {
    const { Client } = await importedRival<SdkModule>("@colyseus/sdk");
    const { State } = await schemas();
    const client = new Client(`http://127.0.0.1:${port}`);
    const room = await client.joinOrCreate(ROOM, { room: number, index }, State);
    const first = number * roomPlayers;
    room.onStateChange(({ sentMs, tick, walkers }) => {
      // The first whole state is of the game that has not begun.
      if (tick === 0) return;
      onState({ sentMs, tick, count: walkers.length, car: (at) => walkers[at - first] });
    });
    return { sendInput: (input) => room.sendBytes("input", writeInput(input, index)) };
  },
  joinBot({ port, room, index, onEnd }) {
    const inputBytes = (number: number): Uint8Array => writeInput(number, index);
    return ColyseusBot.join({ port, room: ROOM, options: { room, index }, inputBytes }, onEnd);
  },
};
