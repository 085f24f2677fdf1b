import { NetError } from "@paceline/protocol";
import { BULK_HEAD_BYTES, MAX_EVENT_BYTES } from "./payload-limits.js";
import {
  HELD_OVERHEAD_BYTES,
  ReliableQueue,
  type PendingMessage,
  type SendWindow,
} from "./reliable-queue.js";

const CHUNK_BYTES = MAX_EVENT_BYTES - BULK_HEAD_BYTES;
/** Bytes of messages that may wait: two of the longest. */
const MAX_WAITING_BYTES = 2 ** 25;
const MAX_WAITING_MESSAGES = 4096;
/** Bytes on their way: doubled with every round trip that shows no queue, smaller where one does. */
const FIRST_WINDOW_BYTES = 4 * CHUNK_BYTES;
const MAX_WINDOW_BYTES = 65_536;
/** A receipt that takes so much longer than the quickest one did says that a queue stands somewhere. */
const QUEUE_MS = 60;
const SHRINK_SHARE = 0.6;
/** Share of the excess by which the quickest one is forgotten with every receipt: a route may become longer for good. */
const FORGOTTEN_SHARE = 0.002;

/**
 * Long messages, which are cut into chunks as they leave: a reliable queue that never has more on its way than the path
 * takes without a queue, so that whatever else is sent waits for a chunk or two and no longer. Pure: time comes in.
 */
export class BulkQueue {
  readonly #window = new DelayWindow();
  readonly #chunks = new ReliableQueue(this.#window);
  readonly #messages: Uint8Array[] = [];
  /** Bytes of the first message that are in chunks already. */
  #cut = 0;
  #waitingBytes = 0;

  /** Bytes that the other side has not said to have. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Estimated memory of waiting chunks, bytes: a chunk shares the bytes of its message. */
  get heldBytes(): number {
    return this.#waitingBytes + (this.#messages.length + this.#chunks.length) * HELD_OVERHEAD_BYTES;
  }

  /** All messages, the first of them in part, that have no receipt. */
  get unacknowledged(): number {
    return this.#messages.length + this.#chunks.pending.filter(({ isLast }) => isLast).length;
  }

  /** Throws {@link NetError} `limit/queue` where too much waits to take one more message. */
  check(payload: Uint8Array): void {
    const bytes = this.#waitingBytes + payload.length;
    if (bytes > MAX_WAITING_BYTES || this.unacknowledged >= MAX_WAITING_MESSAGES) {
      throw new NetError("limit/queue", "too much bulk waits to be sent", { retryable: true });
    }
  }

  add(payload: Uint8Array): void {
    this.#messages.push(payload);
    this.#waitingBytes += payload.length;
  }

  /** The other side has all chunks before `receipt`. False for a receipt of what was never sent. */
  acknowledge(receipt: number, nowMs: number): boolean {
    const arrived = this.#chunks.acknowledge(receipt, nowMs);
    for (const { payload } of arrived ?? []) this.#waitingBytes -= payload.length;
    return arrived !== undefined;
  }

  /** Bytes of the next chunk that may go now; undefined where none may. */
  nextBytes(nowMs: number): number | undefined {
    if (!this.#chunks.isWindowOpen) return undefined;
    if (!this.#chunks.hasUnsent) this.#cutNext(nowMs);
    return this.#chunks.hasUnsent ? this.#chunks.nextUnsentBytes + BULK_HEAD_BYTES : undefined;
  }

  /** The chunk that {@link nextBytes} spoke of: it leaves now. */
  take(sequence: number, nowMs: number): PendingMessage | undefined {
    const batch = this.#chunks.takeBatch(1);
    if (batch) this.#chunks.carried(batch, sequence, nowMs);
    return batch?.[0];
  }

  /** Sent chunks go again after this time without a receipt. */
  rewindIfOverdue(patienceMs: number, nowMs: number): void {
    this.#chunks.rewindIfOverdue(patienceMs, nowMs);
  }

  /** All that has no receipt goes again, over another path perhaps. */
  rewind(): void {
    this.#window.forget();
    this.#chunks.rewind();
  }

  #cutNext(nowMs: number): void {
    const [message] = this.#messages;
    if (!message) return;
    const part = message.subarray(this.#cut, this.#cut + CHUNK_BYTES);
    this.#cut += part.length;
    const isLast = this.#cut >= message.length;
    this.#chunks.push(part, isLast, nowMs);
    if (!isLast) return;
    this.#messages.shift();
    this.#cut = 0;
  }
}

/** Grows while receipts are quick, shrinks when they take longer than the path needs: then a queue stands somewhere. */
class DelayWindow implements SendWindow {
  readonly firstBytes = FIRST_WINDOW_BYTES;
  #baseMs: number | undefined;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;

  after(windowBytes: number, receiptBytes: number, tookMs: number | undefined, nowMs: number): number {
    if (tookMs === undefined) return windowBytes;
    const baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    this.#baseMs = baseMs + (tookMs - baseMs) * FORGOTTEN_SHARE;
    if (tookMs <= baseMs + QUEUE_MS) return Math.min(MAX_WINDOW_BYTES, windowBytes + receiptBytes);
    if (nowMs - this.#shrunkAtMs <= tookMs) return windowBytes;
    // Once in a round trip: its receipts all speak of the same queue.
    this.#shrunkAtMs = nowMs;
    return Math.max(CHUNK_BYTES, windowBytes * SHRINK_SHARE);
  }

  /** Another path may take another time. */
  forget(): void {
    this.#baseMs = undefined;
  }
}
