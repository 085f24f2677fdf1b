import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** Faults of a proxy between players and the server. */
export interface Rudeness {
  /** Extra delay of the first upgrade, ms. */
  readonly firstLinkLateMs?: number;
  /**
   * Number of upgrades that the proxy tries on a connection of its own first, like a proxy that retries.
   * Default 0.
   */
  readonly triesTwice?: number;
  /** True: the proxy passes upgrades on as plain requests. */
  readonly stripsUpgrade?: boolean;
}

/** A proxy over TCP on a loopback port. */
export class RudeProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #port: number;
  readonly #rudeness: Rudeness;
  #links = 0;
  #isDead = false;

  private constructor(target: string, rudeness: Rudeness) {
    this.#port = Number(new URL(target).port);
    this.#rudeness = rudeness;
    this.#server = createServer((player) => this.#carry(player));
  }

  static async before(target: string, rudeness: Rudeness = {}): Promise<RudeProxy> {
    const proxy = new RudeProxy(target, rudeness);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Drops all bytes without closing any connection, like a pulled cable. */
  swallow(): void {
    this.#isDead = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #carry(player: Socket): void {
    this.#keep(player);
    if (!this.#isDead) player.once("data", (first) => void this.#begin(player, first));
  }

  async #begin(player: Socket, first: Buffer): Promise<void> {
    const { firstLinkLateMs = 0, triesTwice = 0, stripsUpgrade = false } = this.#rudeness;
    let head = first;
    if (first.toString("latin1").startsWith("GET /link")) {
      this.#links += 1;
      player.pause();
      if (this.#links === 1) await pause(firstLinkLateMs);
      if (this.#links <= triesTwice) await this.#tryAlone(first);
      if (stripsUpgrade)
        head = Buffer.from(first.toString("latin1").replace(/^(Upgrade|Connection):.*\r\n/gim, ""));
    }
    const server = this.#keep(connect(this.#port, "127.0.0.1"));
    server.write(head);
    player.pipe(server).pipe(player);
  }

  async #tryAlone(request: Buffer): Promise<void> {
    const alone = this.#keep(connect(this.#port, "127.0.0.1"));
    alone.write(request);
    await new Promise((resolve) => alone.once("data", resolve));
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    return socket.once("close", () => this.#sockets.delete(socket));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
