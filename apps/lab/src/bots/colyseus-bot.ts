import { Agent, request } from "node:http";
import { BareWebSocket } from "./bare-web-socket.js";
import type { Bot } from "./bot.js";

export interface ColyseusBotOptions {
  readonly port: number;
  readonly room: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Returns the bytes of an `input` message. */
  readonly inputBytes: (number: number) => Uint8Array;
}

/** The answer to a match request. */
interface Seat {
  readonly processId: string;
  readonly roomId: string;
  readonly sessionId: string;
}

/** First bytes of Colyseus' messages. */
const JOIN_ROOM = 10;
const ROOM_STATE = 14;
const ROOM_DATA_BYTES = 17;
/** A text of less than 32 bytes begins with its length and these bits. */
const SHORT_TEXT = 0xa0;
const TYPE = "input";
const HEAD = [ROOM_DATA_BYTES, SHORT_TEXT | TYPE.length, ...Buffer.from(TYPE)];
const JOIN_LIMIT_MS = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** A player of Colyseus over a bare WebSocket: its handshake and inputs. Colyseus asks for nothing else. */
export class ColyseusBot implements Bot {
  readonly #socket: BareWebSocket;
  readonly #options: ColyseusBotOptions;
  readonly #onEnd: (reason: string) => void;
  readonly #entered: Promise<void>;
  #enter!: () => void;
  #refuse!: (error: Error) => void;
  #hasState = false;

  private constructor(options: ColyseusBotOptions, seat: Seat, onEnd: (reason: string) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#entered = new Promise((resolve, reject) => {
      [this.#enter, this.#refuse] = [resolve, reject];
    });
    this.#socket = new BareWebSocket({
      port: options.port,
      // The bot has no use for a description of the state.
      path: `/${seat.processId}/${seat.roomId}?sessionId=${seat.sessionId}&skipHandshake=1`,
      onMessage: (message) => this.#receive(message[0]!),
      onClose: (code) => this.#closed(`Colyseus closed a bot's connection: ${code}`),
    });
  }

  /** Resolves with the first whole state. `onEnd` is called if the server closes the connection later. */
  static async join(options: ColyseusBotOptions, onEnd: (reason: string) => void): Promise<ColyseusBot> {
    const bot = new ColyseusBot(options, await reserve(options), onEnd);
    await bot.#socket.opened;
    await bot.#entered;
    return bot;
  }

  turn(input: number | undefined): void {
    if (input !== undefined) this.#socket.send(Buffer.from([...HEAD, ...this.#options.inputBytes(input)]));
  }

  leave(): void {
    this.#socket.close();
  }

  #receive(kind: number): void {
    if (this.#hasState) return;
    if (kind === JOIN_ROOM) this.#socket.send(new Uint8Array([JOIN_ROOM]));
    this.#hasState = kind === ROOM_STATE;
    if (this.#hasState) this.#enter();
  }

  #closed(reason: string): void {
    if (this.#hasState) this.#onEnd(reason);
    else this.#refuse(new Error(reason));
  }
}

/** Requests a seat, as the SDK does. */
function reserve({ port, room, options }: ColyseusBotOptions): Promise<Seat> {
  const body = JSON.stringify(options);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        path: `/matchmake/joinOrCreate/${room}`,
        method: "POST",
        timeout: JOIN_LIMIT_MS,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part: string) => (text += part));
        answer.on("end", () => {
          const seat = JSON.parse(text) as Seat & { readonly error?: string };
          if (answer.statusCode === 200 && seat.sessionId) resolve(seat);
          else reject(new Error(`Colyseus gave no seat: ${answer.statusCode} ${seat.error ?? ""}`));
        });
      },
    );
    asked.on("timeout", () => asked.destroy(new Error("Colyseus did not answer in time")));
    asked.on("error", reject);
    asked.end(body);
  });
}
