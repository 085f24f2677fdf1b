import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export interface LineOptions {
  /** Bytes per second in each direction, shared by all connections. */
  readonly bytesPerSecond: number;
  /** Round trip, ms. A half of it delays each direction; a connection takes one to open. */
  readonly rttMs: number;
}

/** Bytes of a packet, which is sent whole; connections that send at once take turns with them. */
const PACKET_BYTES = 1460;
/** Limit of the bytes of a connection that wait for the line: its sender is slowed down above it. */
const WAITING_BYTES = 16 * 1024;

/** One direction of a slow line: packets leave one after the other, and arrive later. */
class Direction {
  readonly #options: LineOptions;
  #freeAtMs = 0;
  /** In order: two timers of the same millisecond may fire in any. */
  readonly #leaving: (() => void)[] = [];
  readonly #arriving: (() => void)[] = [];

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Calls `sent` when the packet has left, and `arrived` half a round trip later. */
  carry(bytes: number, sent: () => void, arrived: () => void): void {
    const { bytesPerSecond, rttMs } = this.#options;
    const nowMs = performance.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + (bytes / bytesPerSecond) * 1000;
    this.#leaving.push(sent);
    this.#arriving.push(arrived);
    setTimeout(() => this.#leaving.shift()!(), this.#freeAtMs - nowMs);
    setTimeout(() => this.#arriving.shift()!(), this.#freeAtMs - nowMs + rttMs / 2);
  }
}

/**
 * A port of the loopback interface whose connections to a server share a slow line. No packet is lost, and a
 * connection may use the whole rate from its beginning: TCP's slow start is left out.
 */
export class ShapedLine {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(targetPort: number, options: LineOptions) {
    const [up, down] = [new Direction(options), new Direction(options)];
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => [near, far].forEach((each) => each.destroy()));
        socket.once("close", () => this.#sockets.delete(socket));
      }
      // The handshake of TCP.
      setTimeout(() => pipe(near, far, up), options.rttMs);
      pipe(far, near, down);
    });
  }

  static async open(targetPort: number, options: LineOptions): Promise<ShapedLine> {
    const line = new ShapedLine(targetPort, options);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

function pipe(from: Socket, to: Socket, direction: Direction): void {
  let waiting = 0;
  const carry = (packet: Buffer): void => {
    waiting += packet.length;
    direction.carry(
      packet.length,
      () => {
        waiting -= packet.length;
        if (waiting < WAITING_BYTES) from.resume();
      },
      () => void to.write(packet),
    );
  };
  from.on("data", (data) => {
    for (let at = 0; at < data.length; at += PACKET_BYTES) carry(data.subarray(at, at + PACKET_BYTES));
    if (waiting >= WAITING_BYTES) from.pause();
  });
  from.on("end", () =>
    direction.carry(
      0,
      () => undefined,
      () => void to.end(),
    ),
  );
}
