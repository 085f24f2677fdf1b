import { NetError, limits, messageBytes, nextSequence, sequenceDistance } from "@paceline/protocol";
import { PACKET_OVERHEAD_BYTES } from "./payload-limits.js";

/** A reliable message that was not acknowledged yet. */
export interface PendingMessage {
  readonly id: number;
  readonly payload: Uint8Array;
  sentAtMs: number;
}

/** Numbers reliable messages and keeps them until the other side has said that it has them. */
export class ReliableOutbox {
  readonly #pending: PendingMessage[] = [];
  #nextId = 0;

  get length(): number {
    return this.#pending.length;
  }

  /** All that is unacknowledged, oldest first. */
  get pending(): readonly PendingMessage[] {
    return this.#pending;
  }

  /** Throws {@link NetError} `limit/queue` where too many wait; the message was then not taken. */
  add(payload: Uint8Array, nowMs: number): PendingMessage {
    if (this.#pending.length >= limits.unacknowledgedMessages) {
      throw new NetError(
        "limit/queue",
        `${limits.unacknowledgedMessages} reliable messages wait for an acknowledgement`,
        { retryable: true },
      );
    }
    const message = { id: this.#nextId, payload, sentAtMs: nowMs };
    this.#nextId = nextSequence(this.#nextId);
    this.#pending.push(message);
    return message;
  }

  /** Whether a message that was added has been acknowledged. */
  isAcknowledged(id: number): boolean {
    return sequenceDistance(id, this.#pending[0]?.id ?? this.#nextId) < 0;
  }

  /** The other side has everything before `receipt`. False for a receipt of what was never sent. */
  acknowledge(receipt: number): boolean {
    const oldest = this.#pending[0]?.id ?? this.#nextId;
    const count = sequenceDistance(receipt, oldest);
    // An older receipt than the last one arrives when packets overtake each other: nothing new in it.
    if (count <= 0) return true;
    if (count > this.#pending.length) return false;
    this.#pending.splice(0, count);
    return true;
  }
}

/** Pending messages in as few packets as fit. */
export function batchesOf(pending: readonly PendingMessage[]): PendingMessage[][] {
  const batches: PendingMessage[][] = [];
  let batchBytes = 0;
  for (const message of pending) {
    const bytes = messageBytes(message.payload.length + 2);
    const batch = batches.at(-1);
    if (batch && batchBytes + bytes <= limits.unreliablePacketBytes) {
      batch.push(message);
      batchBytes += bytes;
    } else {
      batches.push([message]);
      batchBytes = PACKET_OVERHEAD_BYTES + bytes;
    }
  }
  return batches;
}
