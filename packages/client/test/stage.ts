import { Client, type ClientOptions, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import type { RelayOptions } from "@paceline/relay";
import { afterEach, vi } from "vitest";
import { GameServer } from "./game-server.js";

const TEST_TIMEOUT_MS = 20_000;

/** Servers and rooms of one test; all are closed when it ends. */
export class Stage {
  readonly #servers: GameServer[] = [];
  readonly #rooms: Room[] = [];

  constructor() {
    // Real sockets on a machine that may be busy: what is waited for has deadlines of its own.
    vi.setConfig({ testTimeout: TEST_TIMEOUT_MS });
    afterEach(() => this.clear());
  }

  async server(options: Partial<RelayOptions> = {}, port = 0): Promise<GameServer> {
    const server = await GameServer.start(options, port);
    this.#servers.push(server);
    return server;
  }

  client(server: GameServer, options: Partial<ClientOptions> = {}): Client {
    return new Client(server.url, { profile: "racing", webSocket: NodeWebSocket, ...options });
  }

  /** A participant of its own connection. */
  async join(server: GameServer, options: Partial<ClientOptions> = {}, roomName = "race"): Promise<Room> {
    return this.keep(await this.client(server, options).joinOrCreate(roomName));
  }

  /** So many participants of one room, each of whom sees all others. */
  async meet(server: GameServer, count: number, options: Partial<ClientOptions> = {}): Promise<Room[]> {
    const rooms: Room[] = [];
    while (rooms.length < count) rooms.push(await this.join(server, options));
    return rooms;
  }

  keep(room: Room): Room {
    this.#rooms.push(room);
    return room;
  }

  async clear(): Promise<void> {
    for (const room of this.#rooms.splice(0)) room.leave();
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()));
  }
}
