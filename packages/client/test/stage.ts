import { Client, type ClientOptions, type Room } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import type { RelayOptions } from "@paceline/relay";
import { afterEach, vi } from "vitest";
import { GameServer } from "./game-server.js";
import { until } from "./until.js";

const TEST_TIMEOUT_MS = 20_000;

/** Servers and rooms of one test. All are closed when it ends. */
export class Stage {
  readonly #servers: GameServer[] = [];
  readonly #rooms: Room[] = [];

  constructor() {
    // A busy machine may be slow with real sockets. The waits have deadlines of their own.
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

  async join(server: GameServer, options: Partial<ClientOptions> = {}, roomName = "race"): Promise<Room> {
    return this.keep(await this.client(server, options).joinOrCreate(roomName));
  }

  /** Joins so many participants to one room, and waits until each sees all others. */
  async meet(server: GameServer, count: number, options: Partial<ClientOptions> = {}): Promise<Room[]> {
    const rooms: Room[] = [];
    while (rooms.length < count) rooms.push(await this.join(server, options));
    await until("all have met", () => rooms.every(({ peers }) => peers.length >= count - 1));
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
