import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createRelay, silentLog, type Relay, type RelayOptions } from "@paceline/relay";

const DRAIN_MS = 200;

/** A relay on a loopback port, as a game would run it. */
export class GameServer {
  readonly relay: Relay;
  readonly #server: Server;
  readonly #links = new Set<Duplex>();

  private constructor(options: Partial<RelayOptions>) {
    this.relay = createRelay({ log: silentLog, rooms: { race: {}, duel: { maxPlayers: 2 } }, ...options });
    this.#server = createServer((request, response) => {
      if (!this.relay.handleRequest(request, response)) response.writeHead(404).end();
    });
    this.#server.on("upgrade", (request, socket, head) => {
      this.#links.add(socket);
      socket.once("close", () => this.#links.delete(socket));
      if (!this.relay.handleUpgrade(request, socket, head)) socket.destroy();
    });
  }

  /** Listens on any free port, or on that of an earlier server. */
  static async start(options: Partial<RelayOptions> = {}, port = 0): Promise<GameServer> {
    const server = new GameServer(options);
    await new Promise<void>((resolve) => server.#server.listen(port, "127.0.0.1", resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Cuts the sockets of all links without notice, or of the link with number `index` by time of opening. */
  cutLinks(index?: number): void {
    const links = [...this.#links];
    for (const link of index === undefined ? links : links.slice(index, index + 1)) link.destroy();
  }

  /** Reads no further packets from clients, like a hanging process. */
  stopReading(): void {
    for (const link of this.#links) link.pause();
  }

  async stop(): Promise<void> {
    await this.relay.stop({ drainMs: DRAIN_MS });
    await this.#close();
  }

  /** Ends without notice, like a process that dies. */
  async crash(): Promise<void> {
    this.cutLinks();
    const closed = this.#close();
    await this.relay.stop({ drainMs: 0 });
    await closed;
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
