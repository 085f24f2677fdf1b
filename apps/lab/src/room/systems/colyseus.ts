import { readInput, writeInput } from "../float-state.js";
import { requiredRival } from "../rivals.js";
import { FLOAT32, type RoomSystem, type ServerOptions } from "../system.js";
import { machineMs, type Car } from "../world.js";

type Fields = Record<string, unknown>;
interface SchemaModule {
  readonly schema: (fields: Fields, name: string) => new () => ColyseusState;
  readonly t: Record<"uint16" | "uint32" | "float32" | "float64" | "angle", () => unknown> & {
    quantized(options: { readonly min: number; readonly max: number }): unknown;
    array(of: unknown): unknown;
  };
  readonly Encoder: { BUFFER_SIZE: number };
}
type ColyseusCar = { -readonly [K in keyof Car]: Car[K] };
interface ColyseusState {
  sentMs: number;
  tick: number;
  readonly cars: ColyseusCar[];
}
interface ColyseusClient {
  userData: unknown;
}
interface ColyseusRoom {
  patchRate: number | null;
  maxClients: number;
  autoDispose: boolean;
  state: ColyseusState;
  onMessageBytes(type: string, handler: (client: ColyseusClient, bytes: Uint8Array) => void): void;
  broadcastPatch(): void;
}
interface CoreModule {
  readonly Room: new () => ColyseusRoom;
  readonly Server: new (options: object) => {
    define(name: string, room: unknown): void;
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

/** Ranges of 16-bit values: positions to 4 mm, velocities to 1 mm/s. */
const POSITION = { min: -128, max: 128 };
const VELOCITY = { min: -32, max: 32 };
const LARGEST_STATE_BYTES = 256 * 1024;

interface Schemas {
  readonly State: new () => ColyseusState;
  readonly Entity: new () => ColyseusState;
}
let known: Schemas | undefined;

/**
 * Returns the schemas, which are made once: a process uses one of the two forms, and Colyseus needs each
 * class to be unique.
 */
function stateOf(isQuantised: boolean): Schemas {
  known ??= makeSchemas(isQuantised);
  return known;
}

function makeSchemas(isQuantised: boolean): Schemas {
  const { schema, t } = requiredRival("@colyseus/schema") as SchemaModule;
  const metre = isQuantised ? () => t.quantized(POSITION) : t.float32;
  const speed = isQuantised ? () => t.quantized(VELOCITY) : t.float32;
  const Entity = schema(
    {
      index: t.uint16(),
      x: metre(),
      y: metre(),
      yaw: isQuantised ? t.angle() : t.float32(),
      vx: speed(),
      vy: speed(),
      lastInput: t.uint16(),
    },
    "Car",
  );
  const State = schema({ sentMs: t.float64(), tick: t.uint32(), cars: t.array(Entity) }, "Arena");
  return { State, Entity };
}

async function serve(isQuantised: boolean, { port, world }: ServerOptions): Promise<{ publish(): void }> {
  const { Room, Server } = requiredRival("@colyseus/core") as CoreModule;
  const { WebSocketTransport } = requiredRival("@colyseus/ws-transport") as TransportModule;
  (requiredRival("@colyseus/schema") as SchemaModule).Encoder.BUFFER_SIZE = LARGEST_STATE_BYTES;
  const { State, Entity } = stateOf(isQuantised);
  const rooms: ColyseusRoom[] = [];
  class Arena extends Room {
    onCreate(): void {
      this.patchRate = null;
      this.maxClients = 1000;
      this.autoDispose = false;
      const state = new State();
      Object.assign(state, { sentMs: 0, tick: 0 });
      for (const car of world.cars) state.cars.push(Object.assign(new Entity(), car) as never);
      this.state = state;
      this.onMessageBytes("input", ({ userData }, bytes) => {
        world.input(userData as number, readInput(Buffer.from(bytes)).number);
      });
      rooms.push(this);
    }

    onJoin(client: ColyseusClient, { index }: { readonly index: number }): void {
      client.userData = index;
    }
  }
  const server = new Server({ transport: new WebSocketTransport({ pingInterval: 0 }), greet: false });
  server.define("arena", Arena);
  await server.listen(port, "127.0.0.1");
  return {
    publish() {
      const [open] = rooms;
      if (!open) return;
      const { state } = open;
      for (const car of world.cars) {
        const to = state.cars[car.index]!;
        to.x = car.x;
        to.y = car.y;
        to.yaw = car.yaw;
        to.vx = car.vx;
        to.vy = car.vy;
        to.lastInput = car.lastInput;
      }
      state.tick = world.tick;
      state.sentMs = machineMs();
      open.broadcastPatch();
    },
  };
}

function colyseus(
  isQuantised: boolean,
  rest: Pick<RoomSystem, "name" | "precision" | "tolerance">,
): RoomSystem {
  return {
    link: "websocket",
    ...rest,
    packages: ["@colyseus/core", "@colyseus/ws-transport", "@colyseus/schema", "@colyseus/sdk"],
    serve: (options) => serve(isQuantised, options),
    async join({ port, index, onState }) {
      const { Client } = requiredRival("@colyseus/sdk") as SdkModule;
      const client = new Client(`http://127.0.0.1:${port}`);
      const room = await client.joinOrCreate("arena", { index }, stateOf(isQuantised).State);
      room.onStateChange(({ sentMs, tick, cars }) => {
        onState({ sentMs, tick, count: cars.length, car: (at) => cars[at] });
      });
      return { sendInput: (number) => room.sendBytes("input", writeInput(number, index)) };
    },
  };
}

/** Colyseus encodes a patch once for all clients. */
export const colyseusFloat = colyseus(false, { name: "colyseus-float32", ...FLOAT32 });
export const colyseusQuantised = colyseus(true, {
  name: "colyseus-quantised",
  precision: "4 mm, 1 mm/s, 1e-4 rad",
  tolerance: { positionM: 0.0021, velocityMps: 0.0006, headingRad: 1e-4 },
});
