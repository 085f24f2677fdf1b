import {
  ByteWriter,
  MessageKind,
  readEnvelope,
  readMessages,
  readPacket,
  readPayloads,
  writePacketHeader,
} from "@paceline/protocol";

/** Numbers of 16 bits, circular: true if `a` is before `b`. */
const isBefore = (a: number, b: number): boolean => ((b - a) & 0xffff) < 0x8000 && a !== b;

/**
 * Reads the reliable messages of one sender and withholds the receipts. Later it confirms one message at a
 * time, each with an ack of the newest packet: to the sender, all messages between them look lost.
 */
export class ReceiptTrickle {
  repeatedBytes = 0;
  confirmedBytes = 0;
  /** Called after each packet. */
  onPacket: () => void = () => undefined;
  #longest = 0;
  #receipt: number | undefined;
  #next: number | undefined;
  #newest: number | undefined;
  #acked: number | undefined;
  #sequence = 30_000;

  /** Takes what came in an envelope. */
  takeRouted(bytes: Uint8Array): void {
    const envelope = readEnvelope(bytes);
    if (typeof envelope === "string") return;
    const { firstIds, packet } = envelope;
    if (!firstIds) return this.take(packet);
    for (const [index, payload] of (readPayloads(packet) ?? []).entries())
      this.#message((firstIds[0]! + index) & 0xffff, payload.length);
    this.onPacket();
  }

  take(bytes: Uint8Array): void {
    const packet = readPacket(bytes);
    if (typeof packet === "string" || packet.isPublished) return;
    this.#newest = packet.sequence;
    const messages = readMessages(packet, () => undefined);
    if (typeof messages === "string") return;
    for (const { kind, body } of messages)
      if (kind === MessageKind.reliable) this.#message(body[0]! + 256 * body[1]!, body.length - 2);
    this.onPacket();
  }

  /**
   * False while there is nothing to confirm, or no packet has come since the last ack: the same ack shows no
   * further loss.
   */
  get isReady(): boolean {
    if (this.#newest === undefined || this.#newest === this.#acked) return false;
    return this.#receipt !== undefined && ((this.#next! - this.#receipt) & 0xffff) >= 3;
  }

  /** Returns a packet that confirms one more message. */
  next(): Uint8Array {
    const newest = this.#newest!;
    this.#acked = newest;
    this.#receipt = (this.#receipt! + 1) & 0xffff;
    this.confirmedBytes += this.#longest;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const writer = new ByteWriter(16);
    const acks = { ack: newest, ackBits: 0 };
    writePacketHeader(writer, { sequence: this.#sequence, isPublished: false, receipt: this.#receipt, acks });
    return writer.take();
  }

  #message(id: number, bytes: number): void {
    this.#receipt ??= id;
    this.#longest = Math.max(this.#longest, bytes);
    if (this.#next !== undefined && isBefore(id, this.#next)) this.repeatedBytes += bytes;
    else this.#next = (id + 1) & 0xffff;
  }
}
