import path from "node:path";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import type * as clients from "@paceline/client";
import type * as nodeClients from "@paceline/client/node";
import type * as relays from "@paceline/relay";
import { requiredRival } from "../room/rivals.js";

/** A game's server, in whose room another car drives. */
export interface GameServer {
  readonly port: number;
  stop(): Promise<void>;
}

const FRAME_MS = 16;

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Opens a relay of a version's built packages, and lets a player of README's game drive there. */
export async function openPaceline(packages: string): Promise<GameServer> {
  const built = async <Module>(file: string): Promise<Module> =>
    (await import(pathToFileURL(path.join(packages, file)).href)) as Module;
  const { createRelay, silentLog } = await built<typeof relays>("relay/dist/index.js");
  const { Client, defineEntity, vec2 } = await built<typeof clients>("client/dist/index.js");
  const { NodeWebSocket } = await built<typeof nodeClients>("client/dist/node.js");
  const relay = createRelay({ rooms: { race: {} }, log: silentLog });
  const server = createServer();
  relay.serve(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  const position = vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" });
  const Car = defineEntity("car", { position }, { motion: "velocity", threshold: { position: 0.1 } });
  const client = new Client(`http://127.0.0.1:${port}`, { profile: "racing", webSocket: NodeWebSocket });
  const room = await client.joinOrCreate("race", { track: "loop" });
  const mine = room.spawn(Car, { position: { x: 10, y: 5 } });
  room.onMessage("horn", () => undefined);
  const driving = setInterval(() => {
    mine.position.x = 1000 * Math.sin(performance.now() / 30_000);
    room.advance();
  }, FRAME_MS);
  return {
    port,
    async stop() {
      clearInterval(driving);
      await room.leave();
      await relay.stop({ drainMs: 0 });
      server.close();
    },
  };
}

interface Car {
  x: number;
  y: number;
}
interface CoreModule {
  readonly Room: new () => {
    state: { readonly cars: Car[] };
    setSimulationInterval(step: () => void, ms: number): void;
  };
  readonly Server: new (options: object) => {
    define(name: string, room: unknown): { filterBy(options: readonly string[]): void };
    gracefullyShutdown(exit: boolean): Promise<void>;
    listen(port: number, host: string): Promise<void>;
  };
}
interface SchemaModule {
  readonly schema: (fields: object, name: string) => new () => { readonly cars: Car[] } & Car;
  readonly t: { float32(): unknown; array(of: unknown): unknown };
}
interface TransportModule {
  readonly WebSocketTransport: new (options: object) => object;
}

/** Opens a server of Colyseus with a car for each player and one that the room drives. */
export async function openColyseus(): Promise<GameServer> {
  const { Room, Server } = requiredRival("@colyseus/core") as CoreModule;
  const { WebSocketTransport } = requiredRival("@colyseus/ws-transport") as TransportModule;
  const { schema, t } = requiredRival("@colyseus/schema") as SchemaModule;
  const Driven = schema({ x: t.float32(), y: t.float32() }, "Car");
  const State = schema({ cars: t.array(Driven) }, "Race");
  class Race extends Room {
    onCreate(): void {
      this.state = new State();
      const car = this.#add();
      this.setSimulationInterval(() => (car.x = 1000 * Math.sin(performance.now() / 30_000)), FRAME_MS);
    }

    onJoin(): void {
      this.#add();
    }

    #add(): Car {
      const car = Object.assign(new Driven(), { x: 10, y: 5 });
      this.state.cars.push(car);
      return car;
    }
  }
  const http = createServer();
  const server = new Server({ transport: new WebSocketTransport({ server: http }), greet: false });
  server.define("race", Race).filterBy(["track"]);
  await server.listen(0, "127.0.0.1");
  return { port: portOf(http), stop: () => server.gracefullyShutdown(false) };
}
