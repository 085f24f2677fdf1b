import { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { TrafficClass, type TrafficClassName } from "./message-kinds.js";
import { limits } from "../limits.js";
import type { DropReason } from "../drop-reasons.js";
import { PacketFlag } from "./packet.js";

/**
 * The part of a packet that a relay reads: its receivers (upward) or its sender (downward). The relay does
 * not read the packet inside.
 */
export interface Envelope {
  readonly trafficClass: TrafficClassName;
  /** Unsent packets of class state with the same sender and key replace each other; 0 is never replaced. */
  readonly key: number;
  /**
   * The update that the packet carries, if it is a single one. A relay can then drop a state that it has
   * already forwarded.
   */
  readonly subject?: Subject | undefined;
  /** Epoch of the pair's session, 0 to 7; absent for 0. A published packet has none. */
  readonly epoch?: number | undefined;
  /** Upward only: asks the relay to forward the packet without waiting for others. */
  readonly isPrompt?: boolean | undefined;
  /** Upward the numbers of the receivers, downward the number of the sender alone. */
  readonly peers: readonly number[];
  /**
   * For a broadcast, by receiver: the id of its first message between the sender and that receiver. Then
   * `peers` are ascending and not 0, the class is command, and `packet` is written by {@link writePayloads}.
   */
  readonly firstIds?: readonly number[] | undefined;
  readonly packet: Uint8Array;
}

/** One update of one entity. */
export interface Subject {
  /** Entity id of 32 bits: the owner's number times 65536, plus its local id. */
  readonly entity: number;
  /** Sequence of the owner's published packet, 16 bits, circular. */
  readonly sequence: number;
}

/** The first byte has {@link PacketFlag.routed}, the class, and these flags. */
const CLASS_SHIFT = 1;
const CLASS_BITS = 0x07;
const EnvelopeFlag = {
  /** Each receiver has its own id of the first message, after its number. */
  broadcast: 16,
  /** A count precedes the numbers. Without the flag, there is one number. */
  several: 32,
  /** The relay must not delay the packet. */
  prompt: 64,
  /** A second byte follows. */
  more: 128,
} as const;
/**
 * The second byte: the epoch, and flags for a key, a subject, and the cells of `CellEnvelope`. It is written only if it is
 * not 0.
 */
export const MoreFlag = { keyed: 8, subject: 16, cell: 32, left: 64 } as const;
const KNOWN_MORE_BITS = limits.lastEpoch | MoreFlag.keyed | MoreFlag.subject;

const classNames = Object.keys(TrafficClass) as TrafficClassName[];

export function writeEnvelope(writer: ByteWriter, envelope: Envelope): void {
  writeEnvelopeHead(writer, envelope);
  writer.bytes(envelope.packet);
}

/** Writes an envelope without its packet. The caller may write the packet after it. */
export function writeEnvelopeHead(writer: ByteWriter, envelope: Omit<Envelope, "packet">): void {
  const { peers, firstIds } = envelope;
  writeEnvelopeFlags(writer, envelope);
  if (peers.length !== 1) writer.u8(peers.length);
  if (firstIds) writeNumbered(writer, peers, firstIds);
  else for (const peer of peers) writer.varint(peer);
}

/**
 * Writes the part of an envelope before the numbers.
 * @param further flags of the second byte for what the caller writes after it
 */
export function writeEnvelopeFlags(
  writer: ByteWriter,
  { trafficClass, key, subject, epoch = 0, isPrompt, peers, firstIds }: Omit<Envelope, "packet">,
  further = 0,
): void {
  const more = epoch | (key === 0 ? 0 : MoreFlag.keyed) | (subject ? MoreFlag.subject : 0) | further;
  const flags =
    (firstIds ? EnvelopeFlag.broadcast : 0) |
    (peers.length === 1 ? 0 : EnvelopeFlag.several) |
    (isPrompt ? EnvelopeFlag.prompt : 0) |
    (more === 0 ? 0 : EnvelopeFlag.more);
  writer.u8(PacketFlag.routed | (TrafficClass[trafficClass] << CLASS_SHIFT) | flags);
  if (more !== 0) writer.u8(more);
  if (key !== 0) writer.u16(key);
  if (subject) writer.u32(subject.entity).u16(subject.sequence);
}

/** Writes ascending numbers, each as the difference from the one before: mostly one byte. */
function writeNumbered(writer: ByteWriter, peers: readonly number[], firstIds: readonly number[]): void {
  let before = 0;
  for (const [index, peer] of peers.entries()) {
    writer.varint(peer - before).u16(firstIds[index]!);
    before = peer;
  }
}

/** Returns the class of a routed packet, by its first byte; undefined if it is unknown. */
export function routedClassOf(bytes: Uint8Array): TrafficClassName | undefined {
  return classNames[((bytes[0] ?? 0) >> CLASS_SHIFT) & CLASS_BITS];
}

/** Returns the envelope for forwarding. It omits key, subject and `isPrompt`, which only the relay needs. */
export function downwardOf({ trafficClass, epoch, firstIds, packet }: Envelope, sender: number): Envelope {
  return { trafficClass, epoch, firstIds, packet, key: 0, peers: [sender] };
}

/** Reads an envelope, or returns the reason to drop it. The packet is a view into `bytes`. */
export function readEnvelope(bytes: Uint8Array): Envelope | DropReason {
  return readBody(bytes, 0);
}

/**
 * Reads an envelope whose second byte may have `further` flags. `readFurther` reads what they stand for, and returns false
 * if that is malformed.
 */
export function readBody(
  bytes: Uint8Array,
  further: number,
  readFurther?: (reader: ByteReader, more: number) => boolean,
): Envelope | DropReason {
  const reader = new ByteReader(bytes);
  const first = reader.u8();
  if (!reader.ok) return "too-short";
  if ((first & PacketFlag.routed) === 0) return "flags";
  const hasMore = (first & EnvelopeFlag.more) !== 0;
  const more = hasMore ? reader.u8() : 0;
  const trafficClass = classOf(first, more);
  const key = more & MoreFlag.keyed ? reader.u16() : undefined;
  const subject = readSubject(reader, more);
  if (trafficClass === undefined) return "unknown-kind";
  const isSound = readFurther?.(reader, more) !== false;
  if (!reader.ok) return "too-short";
  const list = readList(reader, first);
  // Only one encoding is valid: the second byte and the key must not be 0.
  const isCanonical = key !== 0 && hasMore === more > 0 && (more & ~(KNOWN_MORE_BITS | further)) === 0;
  if (!isSound || !list || !isCanonical) return "length";
  const reason = refusalOfPacket(reader);
  if (reason) return reason;
  return { trafficClass, key: key ?? 0, subject, ...termsOf(first, more), ...list, packet: reader.rest() };
}

function refusalOfPacket(reader: ByteReader): DropReason | undefined {
  if (!reader.ok || reader.remaining === 0) return "too-short";
  return reader.remaining > limits.reliablePacketBytes ? "too-long" : undefined;
}

function termsOf(first: number, more: number): Pick<Envelope, "epoch" | "isPrompt"> {
  const epoch = more & limits.lastEpoch || undefined;
  return { epoch, isPrompt: (first & EnvelopeFlag.prompt) !== 0 || undefined };
}

function readSubject(reader: ByteReader, more: number): Subject | undefined {
  return more & MoreFlag.subject ? { entity: reader.u32(), sequence: reader.u16() } : undefined;
}

/**
 * Reads the list of peers. Returns undefined if a number or the count is malformed. A single number has no
 * count.
 */
function readList(reader: ByteReader, first: number): Pick<Envelope, "peers" | "firstIds"> | undefined {
  const count = first & EnvelopeFlag.several ? reader.u8() : 1;
  const isCount = count === 1 ? (first & EnvelopeFlag.several) === 0 : count > 1;
  if (reader.ok && (!isCount || count > limits.envelopeTargets)) return undefined;
  return first & EnvelopeFlag.broadcast ? readNumbered(reader, count) : readPeers(reader, count);
}

/**
 * Returns the class, or undefined if it is unknown, or a broadcast has a subject or is not of class command.
 */
function classOf(first: number, more: number): TrafficClassName | undefined {
  const trafficClass = classNames[(first >> CLASS_SHIFT) & CLASS_BITS];
  const isBroadcast = (first & EnvelopeFlag.broadcast) !== 0;
  const isOther = trafficClass !== "command" || (more & MoreFlag.subject) !== 0;
  return isBroadcast && isOther ? undefined : trafficClass;
}

/** Reads the peers. Returns undefined if a number is malformed or exceeds 16 bits. */
function readPeers(reader: ByteReader, count: number): { readonly peers: number[] } | undefined {
  const peers: number[] = [];
  for (let index = 0; index < count; index++) {
    const peer = reader.varint();
    if (!reader.ok || peer > 0xffff) return undefined;
    peers.push(peer);
  }
  return { peers };
}

/**
 * Reads the peers with their ids. Returns undefined if a number is malformed, not above the one before, or
 * exceeds 16 bits.
 */
function readNumbered(
  reader: ByteReader,
  count: number,
): { readonly peers: number[]; readonly firstIds: number[] } | undefined {
  const [peers, firstIds]: [number[], number[]] = [[], []];
  let peer = 0;
  for (let index = 0; index < count; index++) {
    const ahead = reader.varint();
    peer += ahead;
    if (ahead === 0 || peer > 0xffff) return undefined;
    peers.push(peer);
    firstIds.push(reader.u16());
  }
  return { peers, firstIds };
}

/**
 * Writes the payloads of reliable messages that go to several receivers in one envelope, each after its
 * length.
 */
export function writePayloads(writer: ByteWriter, payloads: readonly Uint8Array[]): void {
  for (const payload of payloads) writer.varint(payload.length).bytes(payload);
}

/** Reads the bytes of {@link writePayloads} as views. Returns undefined if they are malformed or empty. */
export function readPayloads(bytes: Uint8Array): Uint8Array[] | undefined {
  const reader = new ByteReader(bytes);
  const payloads: Uint8Array[] = [];
  while (reader.remaining > 0) {
    payloads.push(reader.bytes(reader.varint()));
    if (!reader.ok) return undefined;
  }
  return payloads.length > 0 ? payloads : undefined;
}
