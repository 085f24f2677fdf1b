import {
  MessageKind,
  PayloadKind,
  isRouted,
  messageBytes,
  readEnvelope,
  readMessages,
  readPacket,
  readPayloads,
  type Acks,
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

const TIME_BYTES = 2;
/** The newest sequence, and a byte that says which of the other ack bytes follow. */
const ACKS_BYTES = 3;
const RECEIPT_BYTES = 2;
/** The number of the stream, before its states. */
const STATE_HEAD_BYTES = 1;
/** The number of a reliable message. */
const ID_BYTES = 2;

/** Counts the received bytes of a link by the part of the wire format. */
export class FrameParts {
  readonly bytes = Object.fromEntries(frameParts.map((part) => [part, 0])) as Record<FramePart, number>;
  packets = 0;

  get totalBytes(): number {
    return frameParts.reduce((sum, part) => sum + this.bytes[part], 0);
  }

  /** Counts a binary WebSocket message: a packet, with or without an envelope. Throws if it is malformed. */
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
    const messages = readMessages(packet, () => undefined);
    if (typeof messages === "string") throw new Error(`messages: ${messages}`);
    const acks = acksBytes(packet.acks);
    const receipt = packet.receipt === undefined ? 0 : RECEIPT_BYTES;
    this.bytes.acks += acks;
    this.bytes.receipt += receipt;
    const time = packet.tick === undefined ? 0 : TIME_BYTES;
    this.bytes.time += time;
    this.bytes.header += bytes.length - packet.messages.length - acks - receipt - time;
    const isOnly = packet.only !== undefined;
    for (const message of messages)
      this.#addMessage(message, isOnly ? 0 : messageBytes(message.body.length) - message.body.length);
  }

  #addMessage({ kind, body }: Message, head: number): void {
    const isPing = kind === MessageKind.ping || kind === MessageKind.pong;
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

function acksBytes(acks: Acks | undefined): number {
  if (!acks) return 0;
  const { ackBits, bulkReceipt } = acks;
  const said = [0, 8, 16, 24].filter((shift) => ((ackBits >>> shift) & 0xff) !== 0xff).length;
  return ACKS_BYTES + said + (bulkReceipt === undefined ? 0 : RECEIPT_BYTES);
}
