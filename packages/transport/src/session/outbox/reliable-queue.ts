import { NetError, limits, messageBytes, nextSequence, sequenceDistance } from "@paceline/protocol";
import { MAX_PAYLOAD_BYTES, PACKET_OVERHEAD_BYTES, assertBytes } from "./payload-limits.js";

/** A reliable message that was not acknowledged yet, or a chunk of one. */
export interface PendingMessage {
  readonly id: number;
  readonly payload: Uint8Array;
  /** False for a chunk that another one of the same message follows. */
  readonly isLast: boolean;
  readonly addedAtMs: number;
  sentAtMs: number;
  /** Sequence of the packet that carried it last. */
  sequence: number;
  /** Sent more than once: its receipt does not say how long the path takes. */
  isRepeated: boolean;
}

/** Estimated memory of an object and an array, besides the bytes in it. */
export const HELD_OVERHEAD_BYTES = 160;

const BULK_ADVICE = ', or more with { class: "bulk" }';
/** After a repetition about so many bytes go before a receipt says that they arrive. */
const FIRST_BYTES = 16_384;
/** Without news in a receipt, no more repetitions are asked for by acks: a receiver that lies about them gets no more. */
const MAX_FAST_REPEATS = 4;
/** Without a receipt, what goes again does so after twice the time, up to so many times. */
const MAX_DOUBLINGS = 3;

/** Decides how many bytes may be on their way without a receipt. */
export interface SendWindow {
  /** For what goes again. */
  readonly firstBytes: number;
  /** The window after a receipt. `tookMs`: from sending to receipt, unless it was sent more than once. */
  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number;
}

/** Bytes that a reliable message takes of the limits of queues. */
export function reliableCost(payload: Uint8Array): number {
  return payload.length + limits.reliableOverheadBytes;
}

/**
 * Numbers reliable messages and keeps them until the other side has said that it has them. Those in front have been sent
 * over the present link, the others wait until fewer bytes than the window are on their way. Pure: time comes in.
 */
export class ReliableQueue {
  readonly #window: SendWindow | undefined;
  readonly #pending: PendingMessage[] = [];
  /** Packets that carried what waits for a receipt; made when one leaves. */
  #carriers: Set<number> | undefined;
  #nextId = 0;
  #bytes = 0;
  /** The number of sent messages at the front, and their bytes. */
  #sent = 0;
  #sentBytes = 0;
  #windowBytes: number;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedBytes = 0;
  /** Since a receipt brought something new. */
  #fastRepeats = 0;
  #repeats = 0;

  /** @param window default: everything may be on its way, but what goes again does so a little at first */
  constructor(window?: SendWindow) {
    this.#window = window;
    this.#windowBytes = window?.firstBytes ?? Number.POSITIVE_INFINITY;
  }

  get length(): number {
    return this.#pending.length;
  }

  /** Cost of messages without a receipt, by {@link reliableCost}. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Estimated memory, bytes. */
  get heldBytes(): number {
    return this.#bytes + this.#pending.length * HELD_OVERHEAD_BYTES;
  }

  /** All that is unacknowledged, oldest first. */
  get pending(): readonly PendingMessage[] {
    return this.#pending;
  }

  /** Whether something has not been sent yet. */
  get hasUnsent(): boolean {
    return this.#sent < this.#pending.length;
  }

  /** Bytes of the first that has not been sent yet; 0 where there is none. */
  get nextUnsentBytes(): number {
    return this.#pending[this.#sent]?.payload.length ?? 0;
  }

  /** Whether the window takes one more packet. */
  get isWindowOpen(): boolean {
    return this.#sentBytes < this.#windowBytes;
  }

  /** Whether all of them may be added while no more than `maxBytes` wait. */
  hasRoom(payloads: readonly Uint8Array[], maxBytes: number): boolean {
    if (this.#pending.length + payloads.length > limits.unacknowledgedMessages) return false;
    let bytes = this.#bytes;
    for (const payload of payloads) bytes += reliableCost(payload);
    return bytes <= maxBytes;
  }

  /** Throws {@link NetError} `limit/queue` where too much waits: then none of them was taken. Returns the last one's id. */
  add(payloads: readonly Uint8Array[], nowMs: number): number {
    for (const { length } of payloads) assertBytes("message", length, MAX_PAYLOAD_BYTES, BULK_ADVICE);
    if (!this.hasRoom(payloads, limits.sessionQueueBytes)) {
      const message = `${this.#bytes} bytes in ${this.#pending.length} reliable messages wait for a receipt`;
      throw new NetError("limit/queue", message, { retryable: true });
    }
    for (const payload of payloads) this.push(payload, true, nowMs);
    return this.#pending.at(-1)?.id ?? -1;
  }

  /**
   * Takes one that leaves at once in a packet that is not this session's own: its place among those is behind `sequence`.
   * All before it must have been sent. Throws as {@link add} does. Returns its id.
   */
  addSent(payload: Uint8Array, sequence: number, nowMs: number): number {
    const id = this.add([payload], nowMs);
    const message = this.#pending.at(-1)!;
    message.sentAtMs = nowMs;
    message.sequence = sequence;
    this.#sent += 1;
    this.#sentBytes += reliableCost(payload);
    return id;
  }

  /** Takes one more, whatever waits. */
  push(payload: Uint8Array, isLast: boolean, nowMs: number): void {
    const entry = { id: this.#nextId, payload, isLast, addedAtMs: nowMs };
    this.#pending.push({ ...entry, sentAtMs: 0, sequence: 0, isRepeated: false });
    this.#bytes += reliableCost(payload);
    this.#nextId = nextSequence(this.#nextId);
  }

  /** Whether a message that was added has been acknowledged. */
  isAcknowledged(id: number): boolean {
    return sequenceDistance(id, this.#pending[0]?.id ?? this.#nextId) < 0;
  }

  /** The other side has everything before `receipt`: those. Undefined for a receipt of what was never sent. */
  acknowledge(receipt: number, nowMs: number): readonly PendingMessage[] | undefined {
    const oldest = this.#pending[0]?.id ?? this.#nextId;
    const count = sequenceDistance(receipt, oldest);
    // An older receipt than the last one arrives when packets overtake each other: nothing new in it.
    if (count <= 0) return NONE;
    if (count > this.#pending.length) return undefined;
    const arrived = this.#pending.splice(0, count);
    let [bytes, sentBytes] = [0, 0];
    for (const [index, { payload }] of arrived.entries()) {
      bytes += reliableCost(payload);
      if (index < this.#sent) sentBytes += reliableCost(payload);
    }
    this.#bytes -= bytes;
    this.#acknowledgedBytes += bytes;
    this.#sentBytes -= sentBytes;
    this.#sent = Math.max(0, this.#sent - count);
    const newest = arrived[count - 1]!;
    const tookMs = newest.isRepeated ? undefined : nowMs - newest.sentAtMs;
    // A message to repeat may have arrived the first time.
    const receiptBytes = 2 * bytes - sentBytes;
    const window = this.#windowBytes;
    this.#windowBytes = this.#window?.after(window, receiptBytes, tookMs, nowMs) ?? window + receiptBytes;
    this.#progressAtMs = nowMs;
    this.#fastRepeats = 0;
    this.#repeats = 0;
    if (this.#pending.length === 0) this.#carriers = undefined;
    return arrived;
  }

  /** The next ones to be sent, as many as fit a packet; undefined where there are none, or receipts must come first. */
  takeBatch(maxMessages = Number.POSITIVE_INFINITY): readonly PendingMessage[] | undefined {
    if (!this.hasUnsent || !this.isWindowOpen) return undefined;
    const batch = firstBatch(this.#pending, this.#sent, maxMessages);
    this.#sent += batch.length;
    for (const { payload } of batch) this.#sentBytes += reliableCost(payload);
    this.#openWindow();
    return batch;
  }

  /** A packet carries them. */
  carried(batch: readonly PendingMessage[], sequence: number, nowMs: number): void {
    (this.#carriers ??= new Set()).add(sequence);
    for (const message of batch) {
      message.sequence = sequence;
      message.sentAtMs = nowMs;
    }
  }

  /** Messages that left the queue with a receipt, since the start. */
  get acknowledgedBytes(): number {
    return this.#acknowledgedBytes;
  }

  /** Time since the last new receipt while a message waits for one. */
  stuckMs(nowMs: number): number {
    const [oldest] = this.#pending;
    return oldest ? nowMs - Math.max(this.#progressAtMs, oldest.addedAtMs) : 0;
  }

  /**
   * All go again, over another link perhaps. A few at first, and twice as many as receipts say to have arrived: one who
   * takes nothing, or says so, costs no more.
   */
  rewind(): void {
    for (let index = 0; index < this.#sent; index++) this.#pending[index]!.isRepeated = true;
    this.#sent = 0;
    this.#sentBytes = 0;
    this.#windowBytes = this.#window?.firstBytes ?? FIRST_BYTES;
    this.#openWindow();
    this.#carriers = undefined;
  }

  /**
   * A packet has arrived. Reliable messages take one path that keeps their order: those of older packets for which no
   * receipt came are lost. True, and all go again. If they are lost once more, a packet behind their repetition says so.
   */
  rewindIfLost(sequence: number): boolean {
    if (this.#carriers?.delete(sequence) !== true || this.#sent === 0) return false;
    const oldest = this.#pending[0];
    if (!oldest || sequenceDistance(oldest.sequence, sequence) >= 0) return false;
    if (this.#fastRepeats >= MAX_FAST_REPEATS) return false;
    this.#fastRepeats += 1;
    this.rewind();
    return true;
  }

  /** Begins again where the oldest one was sent long ago and receipts bring nothing new; later each time. */
  rewindIfOverdue(patienceMs: number, nowMs: number): void {
    const [oldest] = this.#pending;
    if (!oldest || this.#sent === 0) return;
    const sinceMs = Math.max(oldest.sentAtMs, this.#progressAtMs);
    if (nowMs - sinceMs <= patienceMs * 2 ** Math.min(this.#repeats, MAX_DOUBLINGS)) return;
    this.#repeats += 1;
    this.rewind();
  }

  /** A repeated message has left: the next one need not wait for a receipt. */
  #openWindow(): void {
    if (!this.#window && !this.hasUnsent) this.#windowBytes = Number.POSITIVE_INFINITY;
  }
}

const NONE: readonly PendingMessage[] = [];

/** As many messages as fit one packet, from that one on: at least one. */
function firstBatch(messages: readonly PendingMessage[], first: number, most: number): PendingMessage[] {
  const last = Math.min(messages.length, first + most);
  let bytes = PACKET_OVERHEAD_BYTES;
  let end = first;
  for (; end < last; end++) {
    bytes += messageBytes(messages[end]!.payload.length + 2);
    if (end > first && bytes > limits.unreliablePacketBytes) break;
  }
  return messages.slice(first, end);
}
