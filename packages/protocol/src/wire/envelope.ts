import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import {
  PROTOCOL_VERSION,
  TrafficClass,
  limits,
  type DropReason,
  type TrafficClassName,
} from "../errors/codes.js";
import { PacketFlag } from "./packet.js";

/**
 * What a relay reads, and all that it reads: who a packet is for (upward) or from (downward). The packet inside
 * stays opaque to it.
 */
export interface Envelope {
  readonly trafficClass: TrafficClassName;
  /** Packets of class state with the same sender and key replace each other while unsent; 0 is never replaced. */
  readonly key: number;
  /** What the packet is about, where it is about one entity: lets a relay drop what it has passed on already. */
  readonly subject?: Subject | undefined;
  /** Of the pair's session that the packet belongs to, 0 to 7; absent for 0. Says nothing of a published packet. */
  readonly epoch?: number | undefined;
  /** Upward: the sender asks the relay not to let the packet wait for others. */
  readonly isPrompt?: boolean | undefined;
  /** Upward the numbers of the receivers, downward the number of the sender alone. */
  readonly peers: readonly number[];
  readonly packet: Uint8Array;
}

/** One update of one entity. */
export interface Subject {
  /** 32 bits: the owner's number times 65536, plus its local id. */
  readonly entity: number;
  /** 16 bits, circular: that of the owner's publication. */
  readonly sequence: number;
}

/** Set in the byte of the class where a subject follows the key. */
const HAS_SUBJECT = 0x80;
/** Between it and the class stands the epoch. */
const EPOCH_SHIFT = 4;
/** Set in the byte of the count where the packet must not wait for others. */
const IS_PROMPT = 0x80;

const classNames = Object.keys(TrafficClass) as TrafficClassName[];

export function writeEnvelope(writer: ByteWriter, envelope: Envelope): void {
  writer.u8((PROTOCOL_VERSION << 4) | PacketFlag.routed);
  const { subject, epoch = 0 } = envelope;
  const kind = TrafficClass[envelope.trafficClass] | (epoch << EPOCH_SHIFT) | (subject ? HAS_SUBJECT : 0);
  writer.u8(kind).u16(envelope.key);
  if (subject) writer.u32(subject.entity).u16(subject.sequence);
  writer.u8(envelope.peers.length | (envelope.isPrompt ? IS_PROMPT : 0));
  for (const peer of envelope.peers) writer.u16(peer);
  writer.bytes(envelope.packet);
}

/** Reads an envelope; a reason instead where it must be dropped. The packet is a view into `bytes`. */
export function readEnvelope(bytes: Uint8Array): Envelope | DropReason {
  const reader = new ByteReader(bytes);
  const first = reader.u8();
  if (!reader.ok) return "too-short";
  if (first >> 4 !== PROTOCOL_VERSION) return "version";
  if ((first & 0x0f) !== PacketFlag.routed) return "flags";
  const kind = reader.u8();
  const trafficClass = classNames[kind & ((1 << EPOCH_SHIFT) - 1)];
  const epoch = (kind >> EPOCH_SHIFT) & limits.lastEpoch;
  const key = reader.u16();
  const subject = kind & HAS_SUBJECT ? { entity: reader.u32(), sequence: reader.u16() } : undefined;
  const counted = reader.u8();
  const count = counted & ~IS_PROMPT;
  if (trafficClass === undefined) return "unknown-kind";
  if (reader.ok && (count === 0 || count > limits.envelopeTargets)) return "length";
  const peers = readPeers(reader, count);
  if (!reader.ok || reader.remaining === 0) return "too-short";
  if (reader.remaining > limits.reliablePacketBytes) return "too-long";
  const isPrompt = counted > count || undefined;
  return { trafficClass, key, subject, epoch: epoch || undefined, isPrompt, peers, packet: reader.rest() };
}

function readPeers(reader: ByteReader, count: number): number[] {
  const peers: number[] = [];
  for (let index = 0; index < count; index++) peers.push(reader.u16());
  return peers;
}
