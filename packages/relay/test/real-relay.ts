import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { WebSocketLink, systemScheduler, type Scheduler, type WebSocketLike } from "@paceline/transport";
import { NodeWebSocket } from "@paceline/transport/node";
import { vi } from "vitest";
import { createRelay, silentLog, type Relay, type RelayOptions } from "../src/index.js";
import { Player } from "./player.js";
import { RawWebSocket } from "./raw-web-socket.js";

/** The answer to a successful match request. */
export interface SeatAnswer {
  readonly version: number;
  readonly ticket: string;
  readonly roomId: string;
  readonly roomName: string;
  readonly sessionId: string;
  readonly linkPath: string;
}

/** Waits until `check` no longer throws, for effects that come over real sockets. */
export function eventually<Value>(check: () => Value, timeoutMs = 5000): Promise<Value> {
  return vi.waitFor(check, { timeout: timeoutMs, interval: 5 });
}

/**
 * The machine's timers with a clock that stands still: token buckets do not refill, even on a slow machine.
 */
export const stoppedClock: Scheduler = { ...systemScheduler, nowMs: () => 0 };

/** A relay on a loopback port, with the sockets opened at it. All are closed together. */
export class RealRelay {
  readonly relay: Relay;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #upgraded = new Set<Socket>();
  readonly #players: Player[] = [];
  readonly #raw: RawWebSocket[] = [];

  private constructor(options: Partial<RelayOptions>) {
    this.relay = createRelay({ log: silentLog, rooms: { race: { maxPlayers: 8 } }, ...options });
    this.#server = createServer((request, response) => {
      if (!this.relay.handleRequest(request, response)) response.writeHead(404).end();
    });
    this.#server.on("upgrade", (request, socket, head) => {
      this.#upgraded.add(socket as Socket);
      socket.once("close", () => this.#upgraded.delete(socket as Socket));
      if (!this.relay.handleUpgrade(request, socket, head)) socket.destroy();
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(options: Partial<RelayOptions> = {}): Promise<RealRelay> {
    const real = new RealRelay(options);
    await new Promise<void>((resolve) => real.#server.listen(0, "127.0.0.1", resolve));
    return real;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const { session } of this.#players) session.close(4000, "the test is over");
    for (const raw of this.#raw) raw.destroy();
    await this.relay.stop({ drainMs: 200 });
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Sends a match request. A `body` of text is sent unchanged. */
  match(path: string, body: unknown = { version: 5 }, init: RequestInit = {}): Promise<Response> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(`${this.url}/match/${path}`, { method: "POST", body: text, ...init });
  }

  async seat(path = "joinOrCreate/race", more: object = {}): Promise<SeatAnswer> {
    const response = await this.match(path, { version: 5, ...more });
    if (response.status !== 200) throw new Error(`no seat: ${await response.text()}`);
    return (await response.json()) as SeatAnswer;
  }

  /** Joins a player over a real WebSocket, and waits for its welcome. */
  async join(path?: string, more?: object): Promise<Player> {
    const { ticket } = await this.seat(path, more);
    const player = this.player([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    await eventually(() => player.welcome);
    return player;
  }

  player(protocols: readonly string[]): Player {
    return this.playerAndSocket(protocols).player;
  }

  /** Returns a player as {@link player} does, and the socket under its link. */
  playerAndSocket(protocols: readonly string[]): { player: Player; socket: WebSocketLike } {
    const player = new Player(systemScheduler);
    this.#players.push(player);
    return { player, socket: this.reopen(player, protocols) };
  }

  reopen(player: Player, protocols: readonly string[]): WebSocketLike {
    const socket = new NodeWebSocket(`${this.url.replace("http", "ws")}/link`, [...protocols]);
    player.attach(new WebSocketLink(socket, { scheduler: systemScheduler }));
    return socket;
  }

  /** The relay's ends of all sockets under links, the oldest first. */
  get streams(): readonly Socket[] {
    return [...this.#upgraded];
  }

  async raw(protocols: readonly string[], headers: readonly string[] = []): Promise<RawWebSocket> {
    const raw = await RawWebSocket.open(this.port, protocols, headers);
    this.#raw.push(raw);
    return raw;
  }

  /** Joins a participant of which the test uses only the socket. */
  async rawParticipant(): Promise<RawWebSocket> {
    const { ticket } = await this.seat();
    return this.raw([WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
  }

  /** Cuts every connection as a pulled cable would. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
