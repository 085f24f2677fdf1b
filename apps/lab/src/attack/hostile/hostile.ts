import { once } from "node:events";
import type { Socket } from "node:net";
import type { WebRtcLinkMaker } from "@paceline/transport";
import { Session, WebSocketLink, systemScheduler } from "@paceline/transport";
import { Client, type Room } from "@paceline/client";
import { nodeWebRtc } from "@paceline/client/node";
import {
  ByteWriter,
  type MessageKind,
  PayloadKind,
  readServerMessage,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import { seededRandom, type Random } from "@paceline/testkit";
import { WebSocket } from "ws";
import type { Captures } from "./captures.js";
import { epochMs, type HostileOrder, type HostileReport } from "../messages.js";

const OPEN_LIMIT_MS = 5000;
/** Buffered bytes at which the writer of a socket waits. */
const MAX_BUFFERED_BYTES = 262_144;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tools of one attack: sockets, sessions, random numbers and counters. `finish()` ends them all. */
export class Hostile {
  readonly order: HostileOrder;
  readonly random: Random;
  readonly captures: Captures;
  /** All frames that honest clients wrote to sockets; mutants contain parts of them. */
  readonly frames: readonly Uint8Array[];
  #beganAtMs = epochMs();
  #endsAtMs: number;
  readonly #sockets = new Set<WebSocket>();
  readonly #rooms = new Set<Room>();
  readonly #cleanUps: (() => void)[] = [];
  readonly #sent: Record<string, number> = {};
  readonly #streams = new Set<Socket>();
  readonly #streamOf = new WeakMap<WebSocket, Socket>();
  #sentBytes = 0;
  #routedBytes = 0;
  readonly #closes: Record<number, number> = {};
  readonly #failures = new Map<string, { readonly count: number; readonly first: string }>();
  #isOver = false;

  constructor(order: HostileOrder) {
    this.order = order;
    this.random = seededRandom(order.seed);
    this.captures = order.captures;
    this.frames = order.captures.sockets.flatMap(({ frames }) => frames);
    this.#endsAtMs = performance.now() + order.seconds * 1000;
  }

  /** Restarts the time of the attack when all its participants have joined. */
  begin(): void {
    this.#beganAtMs = epochMs();
    this.#endsAtMs = performance.now() + this.order.seconds * 1000;
  }

  /** True if the time is up, or if `order.count` items named `name` were sent. */
  isOver(name?: string): boolean {
    if (this.#isOver || performance.now() > this.#endsAtMs) return true;
    return name !== undefined && (this.#sent[name] ?? 0) >= this.order.count;
  }

  count(name: string, by = 1): void {
    this.#sent[name] = (this.#sent[name] ?? 0) + by;
  }

  countRouted(bytes: number): void {
    this.#routedBytes += bytes;
  }

  countBytes(bytes: number): void {
    this.#sentBytes += bytes;
  }

  /** Counts all bytes that are written to a socket. */
  measure(stream: Socket): void {
    if (this.#streams.has(stream)) return;
    this.#streams.add(stream);
    stream.once("close", () => {
      this.#streams.delete(stream);
      this.#sentBytes += stream.bytesWritten;
    });
  }

  /** Counts a failure; keeps the `example` of the first one. */
  fail(text: string, example = ""): void {
    const { count, first } = this.#failures.get(text) ?? { count: 0, first: example };
    this.#failures.set(text, { count: count + 1, first });
  }

  onEnd(cleanUp: () => void): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Returns an address of a range that is reserved for tests and documentation. */
  address(): string {
    if (this.random.bool(0.2)) return `2001:db8:${this.random.int(0, 0xffff).toString(16)}::1`;
    return `198.18.${this.random.int(0, 255)}.${this.random.int(1, 254)}`;
  }

  /** Returns the credential of an honest client's join, with another method or target. */
  credential(target: string, method = "joinOrCreate", more: object = {}): string {
    return credentialOf({ ...this.#joinBody(), ...more, method, target });
  }

  #joinBody(): object {
    for (const { protocols } of this.captures.sockets) {
      const json = protocols.map((protocol) => /^join\.(.+)$/.exec(protocol)?.[1]).find(Boolean);
      if (json !== undefined) return JSON.parse(Buffer.from(json, "base64url").toString()) as object;
    }
    throw new Error("no honest client has joined in one step");
  }

  /** Returns the WebSocket subprotocols of a link with this credential. */
  protocols(credential: string): string[] {
    const [first] = this.captures.sockets;
    return [first!.protocols[0]!, credential];
  }

  /** Opens a WebSocket from an address; resolves with undefined if the server does not accept it. */
  async socket(protocols: readonly string[], address = this.address()): Promise<WebSocket | undefined> {
    const socket = this.socketNow(protocols, address);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), OPEN_LIMIT_MS);
    const isOpen = await Promise.race([
      once(socket, "open", { signal: limit.signal }).then(() => true),
      once(socket, "close", { signal: limit.signal }).then(() => false),
    ]).catch(() => false);
    clearTimeout(timer);
    limit.abort();
    if (!isOpen) socket.terminate();
    return isOpen ? socket : undefined;
  }

  /** Begins to open a WebSocket and returns it at once. */
  socketNow(protocols: readonly string[], address = this.address()): WebSocket {
    const socket = new WebSocket(`${this.order.url.replace(/^http/, "ws")}/link`, [...protocols], {
      perMessageDeflate: false,
      headers: { "X-Forwarded-For": address },
    });
    this.#sockets.add(socket);
    socket.once("upgrade", ({ socket: stream }) => {
      this.measure(stream);
      this.#streamOf.set(socket, stream);
    });
    let isOpened = false;
    socket.on("open", () => (isOpened = true));
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      this.#sockets.delete(socket);
      if (isOpened && !this.#isOver) this.#closes[code] = (this.#closes[code] ?? 0) + 1;
    });
    return socket;
  }

  /** Terminates a socket without counting it as a cut of the server. */
  end(socket: WebSocket): void {
    socket.removeAllListeners("close");
    this.#sockets.delete(socket);
    socket.terminate();
  }

  /** Joins and resolves with the welcomed participant, or undefined if the server refuses it. */
  async session(target: string, method = "joinOrCreate", address?: string): Promise<Participant | undefined> {
    const socket = await this.socket(this.protocols(this.credential(target, method)), address);
    if (!socket) return undefined;
    const participant = new Participant(socket, this.#streamOf.get(socket));
    this.onEnd(() => participant.session.close(4000, ""));
    return (await participant.isWelcome()) ? participant : undefined;
  }

  /** Joins with a client of the SDK whose sockets belong to this attack. */
  async client(
    target: string,
    { method, profile = "racing", webRtc, isDirect, write }: ClientWish,
  ): Promise<Room> {
    const open = (protocols: string[]): WebSocket => this.socketNow(protocols, address);
    const address = this.address();
    const client = new Client(this.order.url, {
      profile: isDirect ? profile : { base: profile, exposeAddress: false },
      ...(webRtc ? { webRtc } : { transports: ["websocket"] }),
      webSocket: function (_url: string, protocols: string[]) {
        const socket = open(protocols);
        const send = socket.send.bind(socket);
        if (write) socket.send = (data: unknown) => write(socket, data as Uint8Array, send);
        return socket;
      },
    });
    const room = await client[method ?? "joinOrCreate"](target);
    this.#rooms.add(room);
    room.onLeave(() => this.#rooms.delete(room));
    return room;
  }

  webRtc(): Promise<WebRtcLinkMaker | undefined> {
    return nodeWebRtc();
  }

  /** Waits until few bytes of the socket are buffered. */
  async drained(socket: WebSocket): Promise<void> {
    while (socket.readyState === WebSocket.OPEN && socket.bufferedAmount > MAX_BUFFERED_BYTES) {
      if (this.isOver()) return;
      await sleep(2);
    }
  }

  /** Calls `work` at a rate, in steps of 10 ms, until the attack is over or `work` returns false. */
  async paced(perSecond: number, work: () => boolean | void): Promise<void> {
    const startedMs = performance.now();
    let done = 0;
    while (!this.isOver()) {
      const due = ((performance.now() - startedMs) / 1000) * perSecond;
      // A slow machine must not catch up in one burst.
      done = Math.max(done, due - perSecond / 10);
      for (; done < due; done++) if (work() === false) return;
      await sleep(10);
    }
  }

  /** Ends everything that the attack has opened, and returns its report. */
  async finish(): Promise<HostileReport> {
    this.#isOver = true;
    const times = { beganAtMs: this.#beganAtMs, endedAtMs: epochMs() };
    for (const room of this.#rooms) room.leave();
    for (const cleanUp of this.#cleanUps) cleanUp();
    for (const socket of this.#sockets) socket.terminate();
    await sleep(50);
    const failures = [...this.#failures].map(
      ([text, { count, first }]) =>
        text + (count === 1 ? "" : ` (${count} times)`) + (first && `, first: ${first}`),
    );
    for (const { bytesWritten } of this.#streams) this.#sentBytes += bytesWritten;
    const bytes = { sentBytes: this.#sentBytes, routedBytes: this.#routedBytes };
    return { sent: this.#sent, ...times, ...bytes, closes: this.#closes, failures };
  }
}

export interface ClientWish {
  readonly method?: "joinOrCreate" | "joinById" | "create";
  readonly profile?: "racing" | "action";
  readonly webRtc?: WebRtcLinkMaker | undefined;
  /** True to take direct links to other members, if WebRTC is available. */
  readonly isDirect?: boolean;
  /** Replaces the socket's own `send`. */
  readonly write?: (socket: WebSocket, data: Uint8Array, send: (data: Uint8Array) => void) => void;
}

export function credentialOf(body: object | string): string {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  return `join.${Buffer.from(json).toString("base64url")}`;
}

/** A valid session with the server, which can send any bytes. */
export class Participant {
  readonly socket: WebSocket;
  readonly session: Session;
  readonly #stream: Socket | undefined;
  number = 0;
  /** Takes the packets of other members. */
  onRouted: (packet: Uint8Array) => void = () => undefined;
  roomId = "";
  readonly #peers = new Set<number>();
  #isWelcome = false;
  #sequence = 0;

  constructor(socket: WebSocket, stream?: Socket) {
    this.socket = socket;
    this.#stream = stream;
    this.session = new Session({
      scheduler: systemScheduler,
      handlers: {
        onReliable: (payload) => this.#receive(payload),
        onRouted: (packet) => this.onRouted(packet),
      },
    });
    const link = new WebSocketLink(socket, { scheduler: systemScheduler });
    const times = { connectTimeoutMs: OPEN_LIMIT_MS, timeoutMs: 60_000, heartbeatMs: 1000 };
    this.session.attach(link, { preference: 1, needsProof: false, ...times });
  }

  /** Numbers of the other members of the room. */
  get peers(): number[] {
    return [...this.#peers];
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  async isWelcome(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < OPEN_LIMIT_MS && this.isOpen; waitedMs += 5) {
      if (this.#isWelcome) return true;
      await sleep(5);
    }
    return this.#isWelcome;
  }

  /** Sends bytes without a change. */
  raw(bytes: Uint8Array): void {
    if (this.isOpen) this.socket.send(bytes);
  }

  /** Sends the same bytes several times, in one write. */
  burst(bytes: Uint8Array, times: number): void {
    this.#stream?.cork();
    for (let sent = 0; sent < times; sent++) this.raw(bytes);
    this.#stream?.uncork();
  }

  /** Reads and forgets all later bytes: a receiver of many packets needs no time for them. */
  discard(): void {
    this.#stream?.removeAllListeners("data").on("data", () => undefined);
  }

  /** Hands all later packets to the listener. The session answers none of them. */
  takeOver(listener: (bytes: Uint8Array) => void): void {
    this.socket.removeAllListeners("message");
    this.socket.on("message", (data: Buffer | ArrayBuffer) => listener(new Uint8Array(data)));
  }

  /** Returns a packet of this session with `repeats` copies of one message. */
  packet(kind: number, body: Uint8Array, repeats = 1): Uint8Array {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    return packetOf(
      this.#sequence,
      Array.from({ length: repeats }, () => ({ kind, body })),
    );
  }

  /** Returns an envelope with a packet for peers. */
  envelope(
    peers: readonly number[],
    packet: Uint8Array,
    trafficClass: TrafficClassName = "command",
  ): Uint8Array {
    const writer = new ByteWriter(packet.length + 256);
    writeEnvelope(writer, { trafficClass, key: 0, peers, packet });
    return writer.take();
  }

  #receive(payload: Uint8Array): void {
    if (payload[0] !== PayloadKind.control) return;
    const message = readServerMessage(payload.subarray(1));
    if (message?.type === "welcome") {
      this.#isWelcome = true;
      this.number = message.number;
      this.roomId = message.roomId;
      for (const { number } of message.peers) this.#peers.add(number);
    } else if (message?.type === "joined") this.#peers.add(message.peer.number);
    else if (message?.type === "left") this.#peers.delete(message.number);
  }
}

export function isParticipant(given: Participant | undefined): given is Participant {
  return given !== undefined;
}

/** Returns a packet that carries no acks. */
function packetOf(
  sequence: number,
  messages: readonly { readonly kind: number; readonly body: Uint8Array }[],
): Uint8Array {
  const writer = new ByteWriter(1024);
  writePacketHeader(writer, { sequence, tick: sequence, isPublished: false });
  for (const { kind, body } of messages) writeMessage(writer, kind as MessageKind, body);
  return writer.take();
}

/** Returns the body of a reliable message. */
export function reliableBody(id: number, payload: Uint8Array): Uint8Array {
  return new ByteWriter(payload.length + 2).u16(id).bytes(payload).take();
}
