import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { PROTOCOL_VERSION, limits, type DropReason } from "../errors/codes.js";

/** Flags: the low four bits of a packet's first byte. */
export const PacketFlag = { routed: 1, acks: 2, receipt: 4, published: 8 } as const;

/** Acknowledgements: the newest received sequence and the 32 before it. */
export interface Acks {
  readonly ack: number;
  /** Bit n set: sequence `ack - 1 - n` was received. */
  readonly ackBits: number;
}

/** The head of every packet that is not routed. Wire layout: docs/WIRE-FORMAT.md, rules WF3 to WF8. */
export interface PacketHeader {
  /** 16 bits, circular; counts the session's packets, or the sender's publications if `isPublished`. */
  readonly sequence: number;
  /** 32 bits: the sender's simulation tick. */
  readonly tick: number;
  /** True: the same packet goes to every receiver, so that it is encoded once. It carries no acks and no receipt. */
  readonly isPublished: boolean;
  readonly acks?: Acks | undefined;
  /** Id of the reliable message that is expected next: all before it have arrived. */
  readonly receipt?: number | undefined;
}

/** A decoded header and the messages behind it (a view into the packet). */
export interface Packet extends PacketHeader {
  readonly messages: Uint8Array;
}

export function writePacketHeader(writer: ByteWriter, header: PacketHeader): void {
  const flags =
    (header.acks ? PacketFlag.acks : 0) |
    (header.receipt === undefined ? 0 : PacketFlag.receipt) |
    (header.isPublished ? PacketFlag.published : 0);
  writer.u8((PROTOCOL_VERSION << 4) | flags);
  writer.u16(header.sequence).u32(header.tick);
  if (header.acks) writer.u16(header.acks.ack).u32(header.acks.ackBits);
  if (header.receipt !== undefined) writer.u16(header.receipt);
}

/** Reads a packet that is not routed; a reason instead where it must be dropped. */
export function readPacket(bytes: Uint8Array): Packet | DropReason {
  if (bytes.length > limits.reliablePacketBytes) return "too-long";
  const reader = new ByteReader(bytes);
  const first = reader.u8();
  if (!reader.ok) return "too-short";
  if (first >> 4 !== PROTOCOL_VERSION) return "version";
  const isPublished = (first & PacketFlag.published) !== 0;
  const isAnswering = (first & (PacketFlag.acks | PacketFlag.receipt)) !== 0;
  if ((first & PacketFlag.routed) !== 0 || (isPublished && isAnswering)) return "flags";
  const sequence = reader.u16();
  const tick = reader.u32();
  const acks = first & PacketFlag.acks ? { ack: reader.u16(), ackBits: reader.u32() } : undefined;
  const receipt = first & PacketFlag.receipt ? reader.u16() : undefined;
  if (!reader.ok) return "too-short";
  return { sequence, tick, isPublished, acks, receipt, messages: reader.rest() };
}

/** Whether the bytes begin like a routed packet (an envelope), of whatever version. */
export function isRouted(bytes: Uint8Array): boolean {
  return ((bytes[0] ?? 0) & PacketFlag.routed) !== 0;
}
