import { NetError, limits, messageBytes, nextSequence, sequenceDistance } from "@paceline/protocol";
import { PACKET_OVERHEAD_BYTES, assertBytes, MAX_PAYLOAD_BYTES } from "./payload-limits.js";

/** A reliable message that was not acknowledged yet. */
export interface PendingMessage {
  readonly id: number;
  readonly payload: Uint8Array;
  readonly addedAtMs: number;
  sentAtMs: number;
  /** Of the packet that carried it last. */
  sequence: number;
}

/** What an object and an array take in memory, besides the bytes in it. */
export const HELD_OVERHEAD_BYTES = 160;

/** At most about so many bytes go again before a receipt says that they arrive. */
const FIRST_BYTES = 16_384;
/** Without one, what goes again does so after twice the time, up to so many times. */
const MAX_DOUBLINGS = 3;

/** Bytes that a reliable message takes of the limits of queues. */
export function reliableCost(payload: Uint8Array): number {
  return payload.length + limits.reliableOverheadBytes;
}

/**
 * Numbers reliable messages and keeps them until the other side has said that it has them. Those in front have been sent
 * over the present link, the others wait until it has room.
 */
export class ReliableOutbox {
  readonly #pending: PendingMessage[] = [];
  readonly #carriers = new Set<number>();
  #nextId = 0;
  #bytes = 0;
  /** How many in front have been sent. */
  #sent = 0;
  /** Bytes that may be sent before another receipt. */
  #allowance = Number.POSITIVE_INFINITY;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedBytes = 0;
  #hasProgressed = true;
  #repeats = 0;

  get length(): number {
    return this.#pending.length;
  }

  /** What waits for a receipt, by {@link reliableCost}. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What it takes in memory, about. */
  get heldBytes(): number {
    return this.#bytes + this.#pending.length * HELD_OVERHEAD_BYTES;
  }

  /** All that is unacknowledged, oldest first. */
  get pending(): readonly PendingMessage[] {
    return this.#pending;
  }

  /** Whether all of them may be added while no more than `maxBytes` wait. */
  hasRoom(payloads: readonly Uint8Array[], maxBytes: number): boolean {
    if (this.#pending.length + payloads.length > limits.unacknowledgedMessages) return false;
    return payloads.reduce((bytes, payload) => bytes + reliableCost(payload), this.#bytes) <= maxBytes;
  }

  /** Throws {@link NetError} `limit/queue` where too much waits: then none of them was taken. Returns the last one's id. */
  add(payloads: readonly Uint8Array[], nowMs: number): number {
    for (const { length } of payloads) assertBytes("message", length, MAX_PAYLOAD_BYTES);
    if (!this.hasRoom(payloads, limits.sessionQueueBytes)) {
      const message = `${this.#bytes} bytes in ${this.#pending.length} reliable messages wait for a receipt`;
      throw new NetError("limit/queue", message, { retryable: true });
    }
    for (const payload of payloads) {
      this.#pending.push({ id: this.#nextId, payload, addedAtMs: nowMs, sentAtMs: 0, sequence: 0 });
      this.#bytes += reliableCost(payload);
      this.#nextId = nextSequence(this.#nextId);
    }
    return this.#pending.at(-1)?.id ?? -1;
  }

  /** Whether a message that was added has been acknowledged. */
  isAcknowledged(id: number): boolean {
    return sequenceDistance(id, this.#pending[0]?.id ?? this.#nextId) < 0;
  }

  /** The other side has everything before `receipt`. False for a receipt of what was never sent. */
  acknowledge(receipt: number, nowMs: number): boolean {
    const oldest = this.#pending[0]?.id ?? this.#nextId;
    const count = sequenceDistance(receipt, oldest);
    // An older receipt than the last one arrives when packets overtake each other: nothing new in it.
    if (count <= 0) return true;
    if (count > this.#pending.length) return false;
    for (const { payload } of this.#pending.splice(0, count)) {
      const bytes = reliableCost(payload);
      this.#bytes -= bytes;
      this.#acknowledgedBytes += bytes;
      this.#allowance += 2 * bytes;
    }
    this.#sent = Math.max(0, this.#sent - count);
    this.#progressAtMs = nowMs;
    this.#hasProgressed = true;
    this.#repeats = 0;
    if (this.#pending.length === 0) this.#carriers.clear();
    return true;
  }

  /** The next ones to be sent, as many as fit a packet; undefined where there are none, or receipts must come first. */
  takeBatch(): readonly PendingMessage[] | undefined {
    if (this.#sent >= this.#pending.length) {
      this.#allowance = Number.POSITIVE_INFINITY;
      return undefined;
    }
    if (this.#allowance <= 0) return undefined;
    const batch = firstBatch(this.#pending, this.#sent);
    this.#sent += batch.length;
    for (const { payload } of batch) this.#allowance -= reliableCost(payload);
    return batch;
  }

  /** A packet carries them. */
  carried(batch: readonly PendingMessage[], sequence: number, nowMs: number): void {
    this.#carriers.add(sequence);
    for (const message of batch) {
      message.sequence = sequence;
      message.sentAtMs = nowMs;
    }
  }

  /** What has left the queue with a receipt, since the beginning. */
  get acknowledgedBytes(): number {
    return this.#acknowledgedBytes;
  }

  /** How long something has waited for a receipt, with none that brought anything new. */
  stuckMs(nowMs: number): number {
    const [oldest] = this.#pending;
    return oldest ? nowMs - Math.max(this.#progressAtMs, oldest.addedAtMs) : 0;
  }

  /**
   * All go again, over another link perhaps. A few at first, and twice as many as receipts say to have arrived: one who
   * takes nothing, or says so, costs no more.
   */
  rewind(): void {
    this.#sent = 0;
    this.#allowance = FIRST_BYTES;
    this.#carriers.clear();
  }

  /**
   * A packet has arrived. Reliable messages take one path that keeps their order: those of older packets for which no
   * receipt came are lost. True, and all go again, at most once for each receipt that brought something new.
   */
  rewindIfLost(sequence: number): boolean {
    if (!this.#carriers.delete(sequence) || !this.#hasProgressed || this.#sent === 0) return false;
    const oldest = this.#pending[0];
    if (!oldest || sequenceDistance(oldest.sequence, sequence) >= 0) return false;
    this.#hasProgressed = false;
    this.rewind();
    return true;
  }

  /** The same where the oldest one was sent long ago and receipts bring nothing new; later each time. */
  rewindIfOverdue(patienceMs: number, nowMs: number): void {
    const [oldest] = this.#pending;
    if (!oldest || this.#sent === 0) return;
    const sinceMs = Math.max(oldest.sentAtMs, this.#progressAtMs);
    if (nowMs - sinceMs <= patienceMs * 2 ** Math.min(this.#repeats, MAX_DOUBLINGS)) return;
    this.#repeats += 1;
    this.rewind();
  }
}

/** As many messages as fit one packet, from that one on: at least one. */
function firstBatch(messages: readonly PendingMessage[], first: number): PendingMessage[] {
  let bytes = PACKET_OVERHEAD_BYTES;
  let end = first;
  for (; end < messages.length; end++) {
    bytes += messageBytes(messages[end]!.payload.length + 2);
    if (end > first && bytes > limits.unreliablePacketBytes) break;
  }
  return messages.slice(first, end);
}
