import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

export interface BareWebSocketOptions {
  readonly port: number;
  /** Path of the request, with its query. */
  readonly path: string;
  readonly protocols?: readonly string[];
  /** Takes a binary message. The bytes are valid during the call only. */
  readonly onMessage: (message: Buffer) => void;
  /** Called once when an open socket closes, with the code of the close frame, or 1006 without one. */
  readonly onClose: (code: number, reason: string) => void;
}

const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 } as const;

const HEAD_END = "\r\n\r\n";
const FINAL = 0x80;
const MASKED = 0x80;
const OPCODE_BITS = 0x0f;
const LENGTH_BITS = 0x7f;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;
const MASK_BYTES = 4;
const LARGEST_SENT_BYTES = 0xffff;
const ABNORMAL_CLOSURE = 1006;
const NO_STATUS = 1005;
/**
 * All sockets of a process read into this buffer, one after the other, so that reading allocates nothing.
 */
const shared = Buffer.allocUnsafe(1 << 18);
const nothing = Buffer.alloc(0);

/**
 * A client's WebSocket (RFC 6455) for bots: no extensions, no text, no fragments. A process can hold a
 * thousand of them because a received message costs little more than its system call.
 */
export class BareWebSocket {
  readonly #socket: Socket;
  readonly #options: BareWebSocketOptions;
  #isOpen = false;
  #isClosed = false;
  /** The bytes that no complete frame has used yet. */
  #rest = nothing;
  /** Resolves when the server has accepted the upgrade; rejects if it does not. */
  readonly opened: Promise<void>;
  #accepted!: () => void;
  #refused!: (error: Error) => void;

  constructor(options: BareWebSocketOptions) {
    this.#options = options;
    this.opened = new Promise((resolve, reject) => {
      [this.#accepted, this.#refused] = [resolve, reject];
    });
    const { port, path, protocols = [] } = options;
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer: shared, callback: (length) => this.#read(shared.subarray(0, length)) },
    });
    this.#socket.on("error", (error) => this.#refused(error));
    this.#socket.on("close", () => this.#closed(ABNORMAL_CLOSURE, "the connection ended"));
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      ...(protocols.length > 0 ? [`Sec-WebSocket-Protocol: ${protocols.join(", ")}`] : []),
    ];
    this.#socket.write(`${lines.join("\r\n")}${HEAD_END}`);
  }

  /** Sends a binary message of at most 65535 bytes. */
  send(message: Uint8Array): void {
    this.#send(opcodes.binary, message);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #send(opcode: number, payload: Uint8Array): void {
    if (this.#isClosed) return;
    const { length } = payload;
    if (length > LARGEST_SENT_BYTES) throw new Error(`a message of ${length} bytes is too long`);
    const isShort = length < LENGTH_IN_2_BYTES;
    const head = isShort ? 2 : 4;
    // The mask is zero, which leaves the payload as it is.
    const frame = Buffer.alloc(head + MASK_BYTES + length);
    frame[0] = FINAL | opcode;
    frame[1] = MASKED | (isShort ? length : LENGTH_IN_2_BYTES);
    if (!isShort) frame.writeUInt16BE(length, 2);
    frame.set(payload, head + MASK_BYTES);
    this.#socket.write(frame);
  }

  /** Returns true: the socket goes on reading. */
  #read(chunk: Buffer): boolean {
    let bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    if (!this.#isOpen) {
      const end = bytes.indexOf(HEAD_END);
      if (end >= 0 && this.#accept(bytes.toString("latin1", 0, end)))
        bytes = bytes.subarray(end + HEAD_END.length);
    }
    const used = this.#isOpen ? this.#takeFrames(bytes) : 0;
    // A copy: the next read overwrites the shared buffer.
    this.#rest = used < bytes.length ? Buffer.from(bytes.subarray(used)) : nothing;
    return true;
  }

  #accept(head: string): boolean {
    this.#isOpen = head.startsWith("HTTP/1.1 101");
    if (this.#isOpen) this.#accepted();
    else this.#refused(new Error(`the upgrade was refused: ${head.split("\r\n")[0]}`));
    return this.#isOpen;
  }

  /** Returns the number of bytes of the complete frames. */
  #takeFrames(bytes: Buffer): number {
    let at = 0;
    while (at + 2 <= bytes.length && !this.#isClosed) {
      const short = bytes[at + 1]! & LENGTH_BITS;
      const head = short === LENGTH_IN_8_BYTES ? 10 : short === LENGTH_IN_2_BYTES ? 4 : 2;
      if (at + head > bytes.length) break;
      const length =
        head === 2 ? short : head === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
      const end = at + head + length;
      if (end > bytes.length) break;
      this.#take(bytes[at]! & OPCODE_BITS, bytes.subarray(at + head, end));
      at = end;
    }
    return at;
  }

  #take(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.binary) this.#options.onMessage(payload);
    else if (opcode === opcodes.ping) this.#send(opcodes.pong, payload);
    else if (opcode === opcodes.close) {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : NO_STATUS;
      this.#closed(code, payload.toString("utf8", 2));
      this.#socket.destroy();
    }
  }

  #closed(code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isOpen) this.#options.onClose(code, reason);
    else this.#refused(new Error(reason));
  }
}
