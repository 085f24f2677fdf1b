import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rival } from "../../room/rivals.js";
import { ROOM_CLIENTS, type Connected, type ConnectSystem, type JoinSystem } from "../system.js";

/** The used part of Colyseus' server. */
interface ServerClient {
  sendBytes(type: string, bytes: Uint8Array): void;
}
interface ServerRoom {
  state: object;
  maxClients: number;
  patchRate: number | null;
  onMessageBytes(type: string, listener: (client: ServerClient, bytes: Uint8Array) => void): void;
}
interface CoreModule {
  readonly Room: new () => ServerRoom;
  readonly Server: new (options: object) => {
    define(name: string, room: new () => ServerRoom): void;
    listen(port: number, host: string): Promise<void>;
  };
}
interface TransportModule {
  readonly WebSocketTransport: new (options: object) => object;
}
interface SchemaModule {
  readonly schema: (fields: object, name: string) => new () => Record<string, number>;
  readonly t: { float32(): unknown };
}
interface ClientRoom {
  sendBytes(type: string, bytes: Uint8Array): void;
  onMessage(type: string, listener: (bytes: Uint8Array) => void): void;
  onStateChange: { once(listener: () => void): void };
  leave(isConsented: boolean): Promise<unknown>;
}
interface SdkModule {
  readonly Client: new (url: string) => {
    joinOrCreate(name: string, options: object, state?: unknown): Promise<ClientRoom>;
  };
}

let stateClass: (new () => Record<string, number>) | undefined;

/** Returns a small state: a position. */
async function stateType(): Promise<new () => Record<string, number>> {
  const { schema, t } = await rival<SchemaModule>("@colyseus/schema");
  return (stateClass ??= schema({ x: t.float32(), y: t.float32() }, "BenchState"));
}

async function serve(host: string, roomClients = ROOM_CLIENTS): Promise<string> {
  const { Server, Room } = await rival<CoreModule>("@colyseus/core");
  const { WebSocketTransport } = await rival<TransportModule>("@colyseus/ws-transport");
  const State = await stateType();
  class EchoRoom extends Room {
    onCreate(): void {
      this.maxClients = roomClients;
      this.state = Object.assign(new State(), { x: 1, y: 2 });
      this.onMessageBytes("echo", (client, bytes) => client.sendBytes("echo", bytes));
    }
  }
  // Colyseus needs a known port: with port 0 it would take the port of the matchmaker's own address.
  const port = await freePort(host);
  const server = new Server({ transport: new WebSocketTransport({}), greet: false });
  server.define("echo", EchoRoom);
  await server.listen(port, host);
  return `http://${host}:${port}`;
}

async function join(url: string): Promise<ClientRoom> {
  const { Client } = await rival<SdkModule>("@colyseus/sdk");
  return await new Client(url).joinOrCreate("echo", {}, await stateType());
}

export const colyseus: ConnectSystem = {
  serve,

  async connect(url) {
    const room = await join(url);
    const connected: Connected = {
      onEcho: undefined,
      send: (bytes) => room.sendBytes("echo", bytes),
      close: () => void room.leave(true),
    };
    room.onMessage("echo", (bytes) => connected.onEcho?.(bytes));
    return connected;
  },
};

export const colyseusJoin: JoinSystem = {
  serve,

  async join(url) {
    const room = await join(url);
    await new Promise<void>((resolve) => room.onStateChange.once(resolve));
    return { leave: () => void room.leave(true) };
  },
};

function freePort(host: string): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
