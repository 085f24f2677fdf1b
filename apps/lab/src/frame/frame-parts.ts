import {
  MessageKind,
  PayloadKind,
  isRouted,
  messageBytes,
  readEnvelope,
  readMessages,
  readPacket,
  readPayloads,
  type Message,
} from "@paceline/protocol";

export const frameParts = [
  "envelope",
  "header",
  "time",
  "acks",
  "receipt",
  "pings",
  "messageHeads",
  "stateHeads",
  "stateBodies",
  "references",
  "otherMessages",
] as const;
export type FramePart = (typeof frameParts)[number];

const TIME_BYTES = 4;
const ACKS_BYTES = 6;
const RECEIPT_BYTES = 2;
/** The number of the stream before its states. */
const STATE_HEAD_BYTES = 1;
/** The number of a reliable message. */
const ID_BYTES = 2;

/** Counts the bytes of what comes over a link, by the part of the wire format that they belong to. */
export class FrameParts {
  readonly bytes = Object.fromEntries(frameParts.map((part) => [part, 0])) as Record<FramePart, number>;
  packets = 0;

  get totalBytes(): number {
    return frameParts.reduce((sum, part) => sum + this.bytes[part], 0);
  }

  /** Takes a binary message of a WebSocket: a packet, with or without an envelope. Throws if it is malformed. */
  add(bytes: Uint8Array): void {
    const before = this.totalBytes;
    this.packets += 1;
    const envelope = isRouted(bytes) ? readEnvelope(bytes) : undefined;
    if (typeof envelope === "string") throw new Error(`envelope: ${envelope}`);
    const packet = envelope?.packet ?? bytes;
    this.bytes.envelope += bytes.length - packet.length;
    if (envelope?.firstIds) this.#addPayloads(packet);
    else this.#addPacket(packet);
    const counted = this.totalBytes - before;
    if (counted !== bytes.length) throw new Error(`${counted} of ${bytes.length} bytes were counted`);
  }

  #addPacket(bytes: Uint8Array): void {
    const packet = readPacket(bytes);
    if (typeof packet === "string") throw new Error(`packet: ${packet}`);
    const messages = readMessages(packet.messages, () => undefined);
    if (typeof messages === "string") throw new Error(`messages: ${messages}`);
    const acks = packet.acks ? ACKS_BYTES : 0;
    const receipt = packet.receipt === undefined ? 0 : RECEIPT_BYTES;
    this.bytes.acks += acks;
    this.bytes.receipt += receipt;
    this.bytes.time += TIME_BYTES;
    this.bytes.header += bytes.length - packet.messages.length - acks - receipt - TIME_BYTES;
    for (const message of messages) this.#addMessage(message);
  }

  #addMessage({ kind, body }: Message): void {
    const isPing = kind === MessageKind.ping || kind === MessageKind.pong;
    const head = messageBytes(body.length) - body.length;
    if (isPing) {
      this.bytes.pings += head + body.length;
      return;
    }
    this.bytes.messageHeads += head;
    if (kind === MessageKind.state) {
      this.bytes.stateHeads += STATE_HEAD_BYTES;
      this.bytes.stateBodies += body.length - STATE_HEAD_BYTES;
    } else if (kind === MessageKind.reliable) {
      this.bytes.messageHeads += ID_BYTES;
      this.#addPayload(body.subarray(ID_BYTES));
    } else this.bytes.otherMessages += body.length;
  }

  /** Of a broadcast. */
  #addPayloads(bytes: Uint8Array): void {
    const payloads = readPayloads(bytes);
    if (!payloads) throw new Error("payloads: malformed");
    for (const payload of payloads) this.#addPayload(payload);
    this.bytes.messageHeads += bytes.length - payloads.reduce((sum, { length }) => sum + length, 0);
  }

  #addPayload(payload: Uint8Array): void {
    const isReference = payload[0] === PayloadKind.reference;
    this.bytes[isReference ? "references" : "otherMessages"] += payload.length;
  }
}
