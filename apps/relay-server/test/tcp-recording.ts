import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

interface Chunk {
  readonly connection: number;
  readonly isFromClient: boolean;
  readonly timeMs: number;
  readonly bytes: Buffer;
}

/** Server port in the capture: one at which Wireshark expects HTTP. */
const SERVER_PORT = 8080;
const FIRST_CLIENT_PORT = 40_000;
const MAX_SEGMENT_BYTES = 16_000;
const LINK_IS_IPV4 = 228;
const Flag = { syn: 2, push: 8, ack: 16 } as const;

/**
 * Forwards TCP connections to a local port and records their bytes, for a capture that needs no privileges.
 */
export class TcpRecording {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #chunks: Chunk[] = [];
  #connections = 0;

  constructor(port: number) {
    this.#server = createServer((client) => {
      const connection = this.#connections++;
      this.#pass(client, connect(port, "127.0.0.1"), connection);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket, server: Socket, connection: number): void {
    const record = (isFromClient: boolean) => (bytes: Buffer) =>
      this.#chunks.push({ connection, isFromClient, timeMs: performance.now(), bytes });
    client.on("data", record(true)).pipe(server);
    server.on("data", record(false)).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => this.#sockets.delete(socket));
    }
  }

  /**
   * Returns the recording as a pcap file. Leaves out the first `missing` chunks from the server after each
   * WebSocket handshake.
   */
  pcap(missing = 0): Buffer {
    const head = Buffer.alloc(24);
    head.writeUInt32LE(0xa1b2c3d4, 0);
    head.writeUInt16LE(2, 4);
    head.writeUInt16LE(4, 6);
    head.writeUInt32LE(262_144, 16);
    head.writeUInt32LE(LINK_IS_IPV4, 20);
    const writer = new SegmentWriter();
    const left = new Map<number, number>();
    for (const chunk of this.#chunks) {
      const { connection, isFromClient, bytes } = chunk;
      const toSkip = isFromClient ? 0 : (left.get(connection) ?? 0);
      if (bytes.includes("101 Switching Protocols")) left.set(connection, missing);
      else if (!isFromClient) left.set(connection, toSkip - 1);
      if (toSkip <= 0) writer.add(chunk);
    }
    return Buffer.concat([head, ...writer.records]);
  }
}

/** Turns the recording into TCP segments with consistent sequence numbers. */
class SegmentWriter {
  readonly records: Buffer[] = [];
  /** Next sequence number, by direction and connection. */
  readonly #sequences = new Map<string, number>();

  add({ connection, isFromClient, timeMs, bytes }: Chunk): void {
    if (!this.#sequences.has(`${connection} true`)) this.#open(connection, timeMs);
    for (let at = 0; at < bytes.length; at += MAX_SEGMENT_BYTES) {
      const data = bytes.subarray(at, at + MAX_SEGMENT_BYTES);
      this.#segment({ connection, isFromClient, timeMs, bytes: data }, Flag.push | Flag.ack);
    }
  }

  #open(connection: number, timeMs: number): void {
    const bytes = Buffer.alloc(0);
    this.#segment({ connection, isFromClient: true, timeMs, bytes }, Flag.syn);
    this.#segment({ connection, isFromClient: false, timeMs, bytes }, Flag.syn | Flag.ack);
    this.#segment({ connection, isFromClient: true, timeMs, bytes }, Flag.ack);
  }

  #segment({ connection, isFromClient, timeMs, bytes }: Chunk, flags: number): void {
    const own = `${connection} ${isFromClient}`;
    const sequence = this.#sequences.get(own) ?? 0;
    const other = this.#sequences.get(`${connection} ${!isFromClient}`) ?? 0;
    this.#sequences.set(own, sequence + bytes.length + (flags & Flag.syn ? 1 : 0));
    const ports = [FIRST_CLIENT_PORT + connection, SERVER_PORT];
    const [from, to] = isFromClient ? ports : ports.toReversed();

    const packet = Buffer.alloc(40);
    packet[0] = 0x45;
    packet.writeUInt16BE(40 + bytes.length, 2);
    packet[8] = 64;
    packet[9] = 6;
    packet.set([127, 0, 0, 1, 127, 0, 0, 1], 12);
    packet.writeUInt16BE(from!, 20);
    packet.writeUInt16BE(to!, 22);
    packet.writeUInt32BE(sequence, 24);
    packet.writeUInt32BE(flags & Flag.ack ? other : 0, 28);
    packet[32] = 0x50;
    packet[33] = flags;
    packet.writeUInt16BE(65_535, 34);

    const head = Buffer.alloc(16);
    const micros = Math.round(timeMs * 1000);
    head.writeUInt32LE(Math.floor(micros / 1e6), 0);
    head.writeUInt32LE(micros % 1e6, 4);
    head.writeUInt32LE(40 + bytes.length, 8);
    head.writeUInt32LE(40 + bytes.length, 12);
    this.records.push(head, packet, Buffer.from(bytes));
  }
}
