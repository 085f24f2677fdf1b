import type { Duplex, Writable } from "node:stream";
import type { WebSocket } from "ws";
import type { LinkClose } from "../link.js";
import type { WebSocketLike } from "../websocket/websocket-link.js";
import { FrameParser } from "./frame-parser.js";

const BINARY_AND_FINAL = 0x82;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const NO_BYTES = new Uint8Array(0);
/**
 * `send` reports that a packet has left only if the socket holds this many unsent bytes. With fewer, the link
 * has room and its owner does not wait for it, so that each packet saves a callback. Three sockets of one
 * session with this many bytes each have room together.
 */
const CALLBACK_BYTES = 1024;

/**
 * Called for each frame that carries no packet: text, ping, pong. If it returns false, a ping gets no answer,
 * because the sender is over its limit.
 */
export type StrayFrameHandler = (payloadBytes: number) => boolean;

/** Returns the bytes of a frame before its payload. */
export function frameHeadBytes(payloadBytes: number): number {
  return payloadBytes < TWO_BYTES ? 2 : payloadBytes < 0x10000 ? 4 : 10;
}

/** Writes the head of a server's frame with one binary message. Returns the offset of its payload. */
export function writeFrameHead(frame: Buffer, at: number, payloadBytes: number): number {
  frame[at] = BINARY_AND_FINAL;
  const bytes = frameHeadBytes(payloadBytes);
  if (bytes === 2) frame[at + 1] = payloadBytes;
  else if (bytes === 4) {
    frame[at + 1] = TWO_BYTES;
    frame.writeUInt16BE(payloadBytes, at + 2);
  } else {
    frame[at + 1] = EIGHT_BYTES;
    frame.writeBigUInt64BE(BigInt(payloadBytes), at + 2);
  }
  return at + bytes;
}

/**
 * The server's end of a `ws` WebSocket, as a link needs it. It frames messages itself (RFC 6455, section 5.2;
 * a server does not mask), so that header and content are one write to the socket. `ws` makes two writes, and
 * its calls, objects and copies are most of the cost of a small message.
 */
export class FramedSocket implements WebSocketLike {
  /** Ignored: messages are always bytes. */
  binaryType = "arraybuffer";
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  /** The stream in which `ws` reads frames. Undefined if `ws` keeps it elsewhere in a later version. */
  readonly #receiver: Writable | undefined;
  /** Called with each message, in place of an event. */
  onMessage: ((data: Uint8Array) => void) | undefined;

  /**
   * Left out of the declarations, because a game that compiles them has no types of `ws`.
   *
   * @internal
   * @param maxBytes of a message; `ws` closes the socket of a longer one
   */
  constructor(webSocket: WebSocket, socket: Duplex, maxBytes: number, onStray: StrayFrameHandler) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    const { _receiver: receiver } = webSocket as unknown as { readonly _receiver?: Writable };
    this.#receiver = receiver;
    this.#bypassStreams(maxBytes);
    webSocket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#deliver(new Uint8Array(data.buffer, data.byteOffset, data.length));
      else onStray(data.length);
    });
    webSocket.on("pong", (data: Buffer) => void onStray(data.length));
    webSocket.on("ping", (data: Buffer) => {
      if (onStray(data.length)) webSocket.pong(data, false);
    });
  }

  get readyState(): number {
    return this.#webSocket.readyState;
  }

  get bufferedAmount(): number {
    return this.#socket.writableLength;
  }

  /**
   * Messages have no event, see {@link onMessage}. `close` is reported when the close frame has arrived. `ws` reports
   * it when the connection has ended, for which the other side must read the answer. Meanwhile the other side may
   * use its next socket, whose first packet would be read before the end of this one.
   */
  addEventListener(type: "open" | "error" | "message", listener: (event: never) => void): void;
  addEventListener(type: "close", listener: (event: LinkClose) => void): void;
  addEventListener(type: string, listener: (event: never) => void): void {
    this.#webSocket.addEventListener(type as "close", listener as (event: LinkClose) => void);
    if (type !== "close") return;
    this.#receiver?.once("conclude", (code: number, reason: Buffer) =>
      (listener as (event: LinkClose) => void)({ code, reason: reason.toString() }),
    );
  }

  send(data: Uint8Array, done?: () => void): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return done?.();
    const head = frameHeadBytes(data.length);
    const frame = Buffer.allocUnsafe(head + data.length);
    writeFrameHead(frame, 0, data.length);
    frame.set(data, head);
    if (done && this.#socket.writableLength + data.length >= CALLBACK_BYTES) this.#socket.write(frame, done);
    else this.#socket.write(frame);
  }

  /**
   * Sends whole frames with heads by {@link writeFrameHead}. Calls `onRoom` when the system has taken them,
   * unless it takes them at once.
   */
  sendFrames(frames: Uint8Array, onRoom: () => void): void {
    this.#socket.write(frames);
    if (this.#socket.writableLength > 0) this.#socket.write(NO_BYTES, onRoom);
  }

  /** Stops to read from the network, so that the other side has to wait, or continues. */
  setReading(isReading: boolean): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    if (isReading) this.#webSocket.resume();
    else this.#webSocket.pause();
  }

  close(code?: number, reason?: string): void {
    this.#webSocket.close(code, reason);
  }

  readonly #deliver = (data: Uint8Array): void => this.onMessage?.(data);

  /** Reads whole frames before they reach the streams of the socket and of `ws`. */
  #bypassStreams(maxBytes: number): void {
    const [webSocket, socket, receiver] = [this.#webSocket, this.#socket, this.#receiver];
    if (!receiver) return;
    const parser = new FrameParser(maxBytes);
    const write = receiver.write.bind(receiver) as (bytes: Buffer) => boolean;
    receiver.write = (bytes: Buffer) => {
      parser.follow(bytes);
      return write(bytes);
    };
    const push = socket.push.bind(socket);
    socket.push = (bytes: Buffer | null, encoding?: BufferEncoding) => {
      // Otherwise earlier bytes still wait in the stream, or nobody may read.
      const isNext = socket.readableFlowing === true && socket.readableLength === 0;
      const mayRead = isNext && webSocket.readyState === webSocket.OPEN;
      return (mayRead && bytes !== null && parser.read(bytes, this.#deliver)) || push(bytes, encoding);
    };
    // `ws` ends it up to three times, and each further time costs an error with its stack.
    const end = receiver.end.bind(receiver) as () => Writable;
    receiver.end = () => (receiver.writableEnded ? receiver : end());
  }
}
