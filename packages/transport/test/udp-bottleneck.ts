import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { networkInterfaces } from "node:os";

/** Length of the router's queue at its rate, ms. Further packets are lost. */
const QUEUE_MS = 250;

/** One direction: packets received at one socket leave by the other one, as fast as the rate allows. */
interface Way {
  rateBps: number;
  freeAtMs: number;
}

/**
 * A UDP path between two ends that can be made narrow, like a router with a short queue. Each end takes the
 * address of its side for the other end: `signalThrough` puts it into the exchanged candidates. Congestion
 * here congests a real association of SCTP over DTLS.
 */
export class UdpBottleneck {
  readonly address: string;
  readonly #sockets: readonly [Socket, Socket];
  readonly #ends: [RemoteInfo | undefined, RemoteInfo | undefined] = [undefined, undefined];
  readonly #ways: readonly [Way, Way] = [newWay(), newWay()];
  #isClosed = false;

  private constructor(address: string, sockets: readonly [Socket, Socket]) {
    this.address = address;
    this.#sockets = sockets;
    sockets.forEach((socket, side) => {
      socket.on("message", (message, from) => this.#pass(side as 0 | 1, message, from));
      socket.on("error", () => undefined);
    });
  }

  /** Opens a path between ends that can reach `address` of this machine. */
  static async open(address: string): Promise<UdpBottleneck> {
    const bound = async (): Promise<Socket> => {
      const socket = createSocket("udp4");
      await new Promise<void>((resolve) => socket.bind(0, address, resolve));
      return socket;
    };
    return new UdpBottleneck(address, [await bound(), await bound()]);
  }

  /** Ports to which a and b send. */
  get ports(): { readonly a: number; readonly b: number } {
    const [a, b] = this.#sockets.map((socket) => socket.address().port);
    return { a: a!, b: b! };
  }

  /** Sets the rate of packets from a, bits per second. */
  narrow(rateBps: number): void {
    this.#ways[0].rateBps = rateBps;
    if (rateBps === Number.POSITIVE_INFINITY) this.#ways[0].freeAtMs = 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.close();
  }

  #pass(side: 0 | 1, message: Buffer, from: RemoteInfo): void {
    this.#ends[side] = from;
    const way = this.#ways[side];
    const nowMs = performance.now();
    const startMs = Math.max(nowMs, way.freeAtMs);
    if (startMs - nowMs > QUEUE_MS) return;
    way.freeAtMs = startMs + (message.length * 8000) / way.rateBps;
    const delayMs = way.freeAtMs - nowMs;
    if (delayMs < 1) this.#send(1 - side, message);
    else setTimeout(() => this.#send(1 - side, message), delayMs);
  }

  #send(side: number, message: Buffer): void {
    const end = this.#ends[side];
    if (end && !this.#isClosed) this.#sockets[side]!.send(message, end.port, end.address);
  }
}

function newWay(): Way {
  return { rateBps: Number.POSITIVE_INFINITY, freeAtMs: 0 };
}

/** Returns an address of this machine for which browsers gather candidates. They leave loopback out. */
export function ownAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address;
}
