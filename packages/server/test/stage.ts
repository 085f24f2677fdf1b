import { Client, type Room as ClientRoom } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import { silentLog } from "@paceline/relay";
import { defineServer, type Room, type RoomClass, type Server, type ServerOptions } from "@paceline/server";
import { vi } from "vitest";

/** Waits until `check` no longer throws. Use it for messages over real sockets. */
export function eventually<Value>(check: () => Value, timeoutMs = 8000): Promise<Value> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 5 });
}

function newClient(url: string): Client {
  return new Client(url, { profile: "racing", webSocket: NodeWebSocket, transports: ["websocket"] });
}

type Options = Partial<Omit<ServerOptions<{ race: RoomClass }>, "rooms">>;

/** A server with one kind of room on a loopback port, and the client rooms that were opened at it. */
export class Stage<R extends Room> {
  readonly server: Server<{ race: RoomClass }>;
  /** Every room that was opened, in order. */
  readonly rooms: R[] = [];
  readonly #clients: ClientRoom[] = [];
  url = "";

  constructor(roomClass: new () => R, options: Options = {}) {
    const { rooms } = this;
    const base = roomClass as unknown as new () => Room;
    // Keep each room that the server creates, so that a test can look at it.
    const noted = class extends base {
      constructor() {
        super();
        rooms.push(this as unknown as R);
      }
    };
    const kinds = { race: noted as unknown as RoomClass };
    // The log is silent because hooks fail on purpose here.
    this.server = defineServer({ rooms: kinds, log: silentLog, ...options });
  }

  async start(): Promise<this> {
    this.url = await this.server.listen(0);
    return this;
  }

  async join(options: Record<string, string | number | boolean> = {}): Promise<ClientRoom> {
    const room = await newClient(this.url).joinOrCreate("race", options);
    this.#clients.push(room);
    return room;
  }

  async stop(): Promise<void> {
    for (const room of this.#clients) room.leave();
    await this.server.stop({ drainMs: 200 });
  }
}
