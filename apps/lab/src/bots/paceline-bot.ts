import {
  MessageKind,
  PROTOCOL_VERSION,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  readServerMessage,
} from "@paceline/protocol";
import { systemScheduler, type Clock } from "@paceline/transport";
import { BareWebSocket, type BareWebSocketOptions } from "./bare-web-socket.js";
import type { Bot } from "./bot.js";

/** A connection of a bot to its server. */
export interface BotConnection {
  /** Resolves when the server has accepted it; rejects if it does not. */
  readonly opened: Promise<void>;
  send(message: Uint8Array): void;
  close(): void;
}

/** Connects a bot. */
export type BotConnect = (
  request: Pick<BareWebSocketOptions, "onMessage" | "onClose"> & { readonly protocols: readonly string[] },
) => BotConnection;

export interface PacelineBotOptions {
  /** Port of the server on this machine, or the function that connects. */
  readonly server: number | BotConnect;
  /** Name of the room's class at the server. */
  readonly room: string;
  /** Options of the join. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Reliable payloads to send right after the welcome, such as the view terms of the whole clients. */
  readonly greeting: readonly Uint8Array[];
  /** Returns the body of an input message (WF32). */
  readonly inputBody: (number: number) => Uint8Array;
  /** Clock of the bot. Default: the machine's own. */
  readonly clock?: Clock;
}

/** Bits of a packet's first byte (WF2). */
const ROUTED = 1;
const ACKS = 2;
const RECEIPT = 4;
const PUBLISHED = 8;
const TIMED = 16;
const KIND_SHIFT = 5;
/** In `said`: a receipt of bulk follows the acks (WF3). */
const BULK_RECEIPT = 16;
const ACK_BYTES = 4;

/**
 * A player that speaks the wire format (docs/WIRE-FORMAT.md) by hand, over a bare WebSocket or another connection. It joins in the
 * upgrade (WF48), answers pings, receipts reliable messages, and says acks at each turn. It says them even if
 * nothing has arrived since, which a whole client would leave out.
 */
export class PacelineBot implements Bot {
  readonly #options: PacelineBotOptions;
  readonly #onEnd: (reason: string) => void;
  readonly #connection: BotConnection;
  readonly #entered: Promise<void>;
  #enter!: () => void;
  #refuse!: (error: Error) => void;
  #hasSeat = false;
  #sequence = 0;
  #nextId = 0;
  /** Number of the reliable message that is expected next. */
  #expected = 0;
  #owesReceipt = false;
  /** The newest sequence that has arrived; -1 before the first. */
  #newest = -1;
  /** Bit n: the packet `n + 1` before the newest has arrived. */
  #arrived = 0;

  private constructor(options: PacelineBotOptions, onEnd: (reason: string) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#entered = new Promise((resolve, reject) => {
      [this.#enter, this.#refuse] = [resolve, reject];
    });
    const { server } = options;
    const connect =
      typeof server === "function"
        ? server
        : (request: Parameters<BotConnect>[0]) =>
            new BareWebSocket({ ...request, port: server, path: "/link" });
    this.#connection = connect({
      protocols: [WEBSOCKET_PROTOCOL, credentialOf(options)],
      onMessage: (packet) => this.#receive(packet),
      onClose: (code, reason) => this.#closed(`the server closed a bot's link: ${code} ${reason}`),
    });
  }

  /** Resolves after the welcome. `onEnd` is called if the server ends the session later. */
  static async join(options: PacelineBotOptions, onEnd: (reason: string) => void): Promise<PacelineBot> {
    const bot = new PacelineBot(options, onEnd);
    await bot.#connection.opened;
    await bot.#entered;
    for (const payload of options.greeting) bot.#sendReliable(payload);
    return bot;
  }

  turn(input: number | undefined): void {
    if (input === undefined) this.#send(0, []);
    else this.#send(MessageKind.input, this.#options.inputBody(input));
  }

  leave(): void {
    this.#connection.close();
  }

  #closed(reason: string): void {
    if (this.#hasSeat) this.#onEnd(reason);
    else this.#refuse(new Error(reason));
  }

  #sendReliable(payload: Uint8Array): void {
    const id = this.#nextId++;
    this.#send(MessageKind.reliable, [id & 0xff, id >> 8, ...payload]);
  }

  #send(kind: number, body: ArrayLike<number>): void {
    const acks = this.#acks();
    const flags = (kind << KIND_SHIFT) | (acks.length > 0 ? ACKS : 0) | (this.#owesReceipt ? RECEIPT : 0);
    const sequence = this.#sequence;
    this.#sequence = (sequence + 1) & 0xffff;
    const head = [flags, sequence & 0xff, sequence >> 8, ...acks];
    if (this.#owesReceipt) head.push(this.#expected & 0xff, this.#expected >> 8);
    this.#owesReceipt = false;
    const packet = new Uint8Array(head.length + body.length);
    packet.set(head);
    packet.set(body, head.length);
    this.#connection.send(packet);
  }

  #acks(): number[] {
    if (this.#newest < 0) return [];
    const acks = [this.#newest & 0xff, this.#newest >> 8, 0];
    for (let index = 0; index < ACK_BYTES; index++) {
      const byte = (this.#arrived >>> (8 * index)) & 0xff;
      if (byte === 0xff) continue;
      acks[2]! |= 1 << index;
      acks.push(byte);
    }
    return acks;
  }

  #receive(packet: Buffer): void {
    const flags = packet[0]!;
    // Nobody sends envelopes in a room with an authority.
    if ((flags & ROUTED) !== 0) return;
    const kind = flags >> KIND_SHIFT;
    const isPublished = (flags & PUBLISHED) !== 0;
    if (!isPublished) this.#note(packet.readUInt16LE(1));
    // Bots read no states, and these are most packets.
    if (kind === MessageKind.state) return;
    let at = 3;
    if ((flags & TIMED) !== 0) at += 2;
    if ((flags & ACKS) !== 0) {
      const said = packet[at + 2]!;
      at += 3;
      for (let index = 0; index < ACK_BYTES; index++) at += (said >> index) & 1;
      if ((said & BULK_RECEIPT) !== 0) at += 2;
    }
    if ((flags & RECEIPT) !== 0) at += 2;
    if (kind !== 0) return this.#take(kind, packet.subarray(at));
    while (at < packet.length) {
      const messageKind = packet[at++]!;
      let length = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = packet[at++]!;
        length |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      this.#take(messageKind, packet.subarray(at, at + length));
      at += length;
    }
  }

  #note(sequence: number): void {
    const ahead = this.#newest < 0 ? 0x10000 : ((sequence - this.#newest) << 16) >> 16;
    if (ahead > 0) {
      // The packet that was the newest one becomes bit `ahead - 1`.
      if (ahead > 32) this.#arrived = 0;
      else this.#arrived = (ahead === 32 ? 0 : this.#arrived << ahead) | (1 << (ahead - 1));
      this.#newest = sequence;
    } else if (ahead < 0 && ahead >= -32) this.#arrived |= 1 << (-ahead - 1);
  }

  #take(kind: number, body: Buffer): void {
    if (kind === MessageKind.ping) this.#pong(body);
    else if (kind === MessageKind.reliable) this.#takeReliable(body);
  }

  #pong(number: Buffer): void {
    const us = Math.floor((this.#options.clock ?? systemScheduler).nowMs() * 1000);
    const body = Buffer.alloc(8);
    number.copy(body, 0, 0, 2);
    body.writeUInt32LE(us % 2 ** 32, 2);
    body.writeUInt16LE(Math.floor(us / 2 ** 32) & 0xffff, 6);
    this.#send(MessageKind.pong, body);
  }

  #takeReliable(body: Buffer): void {
    this.#owesReceipt = true;
    // Over one WebSocket they come in order; one that comes again was receipted too late.
    if (body.readUInt16LE(0) !== this.#expected) return;
    this.#expected = (this.#expected + 1) & 0xffff;
    if (this.#hasSeat || body[2] !== PayloadKind.control) return;
    this.#hasSeat = readServerMessage(body.subarray(3))?.type === "welcome";
    if (this.#hasSeat) this.#enter();
  }
}

/** Returns the subprotocol that asks for a seat and takes it (WF48). */
function credentialOf({ room, options }: PacelineBotOptions): string {
  const request = { version: PROTOCOL_VERSION, method: "joinOrCreate", target: room, options };
  return `join.${Buffer.from(JSON.stringify(request)).toString("base64url")}`;
}
