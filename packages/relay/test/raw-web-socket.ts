import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Kinds of WebSocket frames (RFC 6455, section 5.2). */
export const Opcode = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A WebSocket client that keeps no rules: it writes any bytes, and need not read or answer. */
export class RawWebSocket {
  readonly socket: Socket;
  #received = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, data]).subarray(-65_536);
    });
  }

  /**
   * Opens a connection. Resolves when the server has answered the upgrade in any way. `headers` may contain a
   * `Host`.
   */
  static async open(
    port: number,
    protocols: readonly string[],
    headers: readonly string[] = [],
  ): Promise<RawWebSocket> {
    const raw = new RawWebSocket(connect({ port, host: "127.0.0.1" }));
    const hasHost = headers.some((header) => /^host:/i.test(header));
    raw.socket.write(
      [
        "GET /link HTTP/1.1",
        ...(hasHost ? [] : [`Host: 127.0.0.1:${port}`]),
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        `Sec-WebSocket-Protocol: ${protocols.join(", ")}`,
        ...headers,
        "",
        "",
      ].join("\r\n"),
    );
    await once(raw.socket, "data");
    return raw;
  }

  get received(): Buffer {
    return this.#received;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.#received.toString("latin1"))?.[1]);
  }

  /** The close code from the server, if its last frame is a close. */
  get closeCode(): number | undefined {
    const at = this.#received.lastIndexOf(0x88);
    return at < 0 || at + 4 > this.#received.length ? undefined : this.#received.readUInt16BE(at + 2);
  }

  get binaryMessages(): number {
    let count = 0;
    let at = this.#received.indexOf("\r\n\r\n") + 4;
    while (at + 2 <= this.#received.length) {
      if (this.#received[at] === (0x80 | Opcode.binary)) count += 1;
      at += 2 + this.#received[at + 1]!;
    }
    return count;
  }

  frame(opcode: number, payload: Uint8Array): void {
    this.socket.write(RawWebSocket.frameOf(opcode, payload));
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Returns a masked frame. The mask is zero, which is valid. */
  static frameOf(opcode: number, payload: Uint8Array): Buffer {
    const head = payload.length < 126 ? Buffer.alloc(6) : Buffer.alloc(8);
    head[0] = 0x80 | opcode;
    head[1] = 0x80 | Math.min(payload.length, 126);
    if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
    return Buffer.concat([head, payload]);
  }
}
