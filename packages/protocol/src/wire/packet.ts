import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { MessageKind } from "./message-kinds.js";
import { limits } from "../limits.js";
import type { DropReason } from "../drop-reasons.js";

/**
 * Flags in the low five bits of a packet's first byte. The upper three bits are the kind of its only message,
 * or 0.
 */
export const PacketFlag = { routed: 1, acks: 2, receipt: 4, published: 8, timed: 16 } as const;
const ONLY_SHIFT = 5;
/** Largest kind that fits the first byte. */
const LAST_ONLY = 7;
const TICKS = 0x10000;
/** Largest distance of a tick from the expected one. Further away, the 16 bits may have wrapped. */
const MAX_STAMP_DISTANCE = 0x4000;
const ALL_ARRIVED = 0xff;
/** Flag for a bulk receipt. It shares a byte with four flags for the bytes of the acks' bitmap. */
const BULK_RECEIPT = 16;

/**
 * Reads the headers of all packets. V8 drops the code that it has optimised for a class when no instance is alive
 * during a garbage collection: a server with a new reader for each packet ran slowly for seconds after each one.
 */
const reader = new ByteReader(new Uint8Array(0));

/** Acknowledgements: the newest received sequence and the 32 before it. */
export interface Acks {
  readonly ack: number;
  /** Bit n set: sequence `ack - 1 - n` was received. */
  readonly ackBits: number;
  /** Id of the next expected fragment of bulk. */
  readonly bulkReceipt?: number | undefined;
}

/** The header of every packet that is not routed. Wire layout: docs/WIRE-FORMAT.md, rules WF2. */
export interface PacketHeader {
  /**
   * Number of 16 bits, circular. It counts the session's packets, or the sender's published packets if
   * `isPublished`. If a published packet has only one message, of states, a reader gets the low 8 bits.
   */
  readonly sequence: number;
  /**
   * The sender's simulation tick, in a packet with states. A reader gets the low 16 bits: see
   * {@link tickNear}.
   */
  readonly tick?: number | undefined;
  /** True: all receivers get the same packet, encoded once. It has no acks and no receipt. */
  readonly isPublished: boolean;
  readonly acks?: Acks | undefined;
  /** Id of the next expected reliable message. All earlier ones have arrived. */
  readonly receipt?: number | undefined;
  /** Kind of the only message, which then has no head: see {@link onlyKind}. */
  readonly only?: MessageKind | undefined;
}

/** A decoded header and the messages after it (a view into the packet). */
export interface Packet extends PacketHeader {
  readonly messages: Uint8Array;
}

/** Returns the kind if the header can hold it for a packet's only message, else undefined. */
export function onlyKind(kind: MessageKind): MessageKind | undefined {
  return kind <= LAST_ONLY ? kind : undefined;
}

/** Returns true if the sequence has one byte: duplicate states do no harm, so a short number is enough. */
export function isShortSequence({ isPublished, only }: Pick<PacketHeader, "isPublished" | "only">): boolean {
  return isPublished && only === MessageKind.state;
}

/**
 * Returns the tick nearest to `expected` with these low 16 bits, or undefined if it is too far away to be
 * certain.
 */
export function tickNear(stamp: number, expected: number): number | undefined {
  const ahead = ((stamp - expected + TICKS / 2) & (TICKS - 1)) - TICKS / 2;
  return Math.abs(ahead) > MAX_STAMP_DISTANCE ? undefined : (expected + ahead) >>> 0;
}

export function writePacketHeader(writer: ByteWriter, header: PacketHeader): void {
  const { sequence, tick, isPublished, acks, receipt, only = 0 } = header;
  const flags =
    (acks ? PacketFlag.acks : 0) |
    (receipt === undefined ? 0 : PacketFlag.receipt) |
    (isPublished ? PacketFlag.published : 0) |
    (tick === undefined ? 0 : PacketFlag.timed);
  writer.u8((only << ONLY_SHIFT) | flags);
  if (isShortSequence(header)) writer.u8(sequence & 0xff);
  else writer.u16(sequence);
  if (tick !== undefined) writer.u16(tick & (TICKS - 1));
  if (acks) writeAcks(writer, acks);
  if (receipt !== undefined) writer.u16(receipt);
}

/** Writes the acks. Omits bytes of the bitmap that are all ones, because most packets arrive. */
function writeAcks(writer: ByteWriter, { ack, ackBits, bulkReceipt }: Acks): void {
  let flags = bulkReceipt === undefined ? 0 : BULK_RECEIPT;
  for (let at = 0; at < 4; at++) if (((ackBits >>> (8 * at)) & 0xff) !== ALL_ARRIVED) flags |= 1 << at;
  writer.u16(ack).u8(flags);
  for (let at = 0; at < 4; at++) if ((flags >> at) & 1) writer.u8((ackBits >>> (8 * at)) & 0xff);
  if (bulkReceipt !== undefined) writer.u16(bulkReceipt);
}

/**
 * Reads the acks. Returns undefined if a byte is present that should be omitted, or an unknown flag is set.
 */
function readAcks(): Acks | undefined {
  const ack = reader.u16();
  const flags = reader.u8();
  let ackBits = 0;
  let isCanonical = flags < 2 * BULK_RECEIPT;
  for (let at = 0; at < 4; at++) {
    const byte = (flags >> at) & 1 ? reader.u8() : ALL_ARRIVED;
    if ((flags >> at) & 1 && byte === ALL_ARRIVED) isCanonical = false;
    ackBits |= byte << (8 * at);
  }
  const acks = { ack, ackBits: ackBits >>> 0 };
  if (!isCanonical) return undefined;
  return flags < BULK_RECEIPT ? acks : { ...acks, bulkReceipt: reader.u16() };
}

/** Reads a packet that is not routed, or returns the reason to drop it. */
export function readPacket(bytes: Uint8Array): Packet | DropReason {
  if (bytes.length > limits.reliablePacketBytes) return "too-long";
  reader.restart(bytes);
  const first = reader.u8();
  if (!reader.ok) return "too-short";
  const isPublished = (first & PacketFlag.published) !== 0;
  const isAnswering = (first & (PacketFlag.acks | PacketFlag.receipt)) !== 0;
  if ((first & PacketFlag.routed) !== 0 || (isPublished && isAnswering)) return "flags";
  const only = (first >> ONLY_SHIFT || undefined) as MessageKind | undefined;
  const sequence = isShortSequence({ isPublished, only }) ? reader.u8() : reader.u16();
  const tick = first & PacketFlag.timed ? reader.u16() : undefined;
  const acks = first & PacketFlag.acks ? readAcks() : undefined;
  const receipt = first & PacketFlag.receipt ? reader.u16() : undefined;
  if (!reader.ok) return "too-short";
  if (first & PacketFlag.acks && !acks) return "length";
  return { sequence, tick, isPublished, acks, receipt, only, messages: reader.rest() };
}

/** Returns true if the bytes begin like a routed packet (an envelope). */
export function isRouted(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & PacketFlag.routed) !== 0;
}
