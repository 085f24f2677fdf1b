import {
  ByteWriter,
  MessageKind,
  readMessages,
  readPacket,
  writeMessage,
  writePacketHeader,
  type Message,
  type Packet,
  type PacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import { newLinkCounters, type Link, type LinkHandlers, type LinkState } from "@paceline/transport";

export interface SentPacket {
  readonly trafficClass: TrafficClassName;
  readonly header: Packet;
  readonly messages: readonly Message[];
}

/** A link whose other end is the test, which reads sent packets and inserts any bytes. */
export class HandLink implements Link {
  readonly kind = "memory";
  readonly isUnreliable = true;
  readonly counters = newLinkCounters();
  queuedBytes = 0;
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #sent: SentPacket[] = [];
  #handlers: LinkHandlers | undefined;
  #sequence = 0;

  get state(): LinkState {
    return this.closed ? "closed" : "open";
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    handlers.onOpen();
  }

  hasRoom(_trafficClass: TrafficClassName): boolean {
    return this.queuedBytes < 65_536;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array): void {
    const header = readPacket(packet);
    if (typeof header === "string") throw new Error(header);
    const messages = readMessages(header, () => undefined);
    if (typeof messages === "string") throw new Error(messages);
    this.#sent.push({ trafficClass, header, messages });
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  /** Returns the packets sent since the last call. */
  takeSent(): SentPacket[] {
    return this.#sent.splice(0);
  }

  /** Returns the bodies of one kind of message, of the packets sent since the last call. */
  takeBodies(kind: MessageKind): number[][] {
    const all = this.takeSent().flatMap(({ messages }) => messages);
    return all.filter((message) => message.kind === kind).map(({ body }) => [...body]);
  }

  /** Receives a packet. Default: with the next sequence. */
  receive(messages: readonly Message[], header: Partial<PacketHeader> = {}): void {
    const writer = new ByteWriter();
    writePacketHeader(writer, { sequence: this.#sequence, tick: 0, isPublished: false, ...header });
    this.#sequence = (this.#sequence + 1) & 0xffff;
    for (const { kind, body } of messages) writeMessage(writer, kind, body, header);
    this.receiveBytes(writer.take());
  }

  receiveBytes(bytes: Uint8Array): void {
    this.#handlers?.onPacket(bytes, this);
  }

  /** Breaks the link. */
  end(): void {
    this.closed = { code: 1006, reason: "gone" };
    this.#handlers?.onClose(this.closed);
  }
}

export function reliable(id: number, ...payload: number[]): Message {
  return { kind: MessageKind.reliable, body: Uint8Array.of(id & 0xff, id >> 8, ...payload) };
}
