import { BareWebSocket } from "./bare-web-socket.js";
import type { Bot } from "./bot.js";

export interface PlainBotOptions {
  readonly port: number;
  readonly path: string;
  /** Returns the bytes of an input. */
  readonly inputBytes: (number: number) => Uint8Array;
}

/** A player of a server without a protocol: it opens a WebSocket and sends inputs. */
export class PlainBot implements Bot {
  readonly #socket: BareWebSocket;
  readonly #options: PlainBotOptions;

  private constructor(socket: BareWebSocket, options: PlainBotOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** `onEnd` is called if the server closes the connection. */
  static async join(options: PlainBotOptions, onEnd: (reason: string) => void): Promise<PlainBot> {
    const socket = new BareWebSocket({
      port: options.port,
      path: options.path,
      onMessage: () => undefined,
      onClose: (code) => onEnd(`the server closed a bot's connection: ${code}`),
    });
    await socket.opened;
    return new PlainBot(socket, options);
  }

  turn(input: number | undefined): void {
    if (input !== undefined) this.#socket.send(this.#options.inputBytes(input));
  }

  leave(): void {
    this.#socket.close();
  }
}
