import { ByteWriter, NetError, nextSequence, sequenceDistance } from "@paceline/protocol";
import { MAX_EVENT_BYTES } from "./payload-limits.js";
import { HELD_OVERHEAD_BYTES, reliableCost } from "./reliable-outbox.js";

/** What all sessions of a room may send together as bulk where a relay counts their bytes. */
export interface BulkRate {
  /** Whether so many bytes may go now; they are counted then. */
  take(bytes: number, nowMs: number): boolean;
}

interface Chunk {
  readonly id: number;
  readonly body: Uint8Array;
  sentAtMs: number;
  isRepeated: boolean;
}

/** Id and flags stand before a chunk. */
const HEAD_BYTES = 3;
const CHUNK_BYTES = MAX_EVENT_BYTES - HEAD_BYTES;
export const LAST_CHUNK = 1;
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
 * Cuts long messages into chunks and lets them go one by one: never more on their way than the path takes without a
 * queue, so that whatever else is sent waits for a chunk or two and no longer. Pure: time comes in.
 */
export class BulkOutbox {
  readonly #send: (body: Uint8Array) => void;
  readonly #messages: Uint8Array[] = [];
  /** Bytes of the first message that are in chunks already. */
  #cut = 0;
  #waitingBytes = 0;
  #chunks: Chunk[] = [];
  /** How many of the chunks are on their way. */
  #sent = 0;
  #flyingBytes = 0;
  #nextId = 0;
  #windowBytes = FIRST_WINDOW_BYTES;
  #baseMs: number | undefined;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;

  constructor(send: (body: Uint8Array) => void) {
    this.#send = send;
  }

  /** Bytes that the other side has not said to have. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** What waits takes in memory, about: a chunk is a copy. */
  get heldBytes(): number {
    const overhead = (this.#messages.length + this.#chunks.length) * HELD_OVERHEAD_BYTES;
    return this.#waitingBytes + this.#flyingBytes + overhead;
  }

  /** All messages, the first of them in part, that have no receipt. */
  get unacknowledged(): number {
    return this.#messages.length + this.#chunks.filter(({ body }) => body[2] === LAST_CHUNK).length;
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
    const count = sequenceDistance(receipt, this.#chunks[0]?.id ?? this.#nextId);
    if (count <= 0) return true;
    // What is to be sent again may have arrived the first time.
    if (count > this.#chunks.length) return false;
    const arrived = this.#chunks.splice(0, count);
    const bytes = bytesOf(arrived);
    this.#waitingBytes -= bytes;
    for (const { body } of arrived.slice(0, this.#sent)) this.#flyingBytes -= reliableCost(body);
    this.#sent = Math.max(0, this.#sent - count);
    const newest = arrived.at(-1)!;
    if (!newest.isRepeated) this.#adapt(nowMs - newest.sentAtMs, bytes, nowMs);
    return true;
  }

  /** Sends what may go; `mayGo` is asked before every chunk. */
  pump(nowMs: number, mayGo: (bytes: number) => boolean): void {
    for (let chunk = this.#next(); chunk; chunk = this.#next()) {
      const { body } = chunk;
      const isFull = this.#flyingBytes > 0 && this.#flyingBytes + body.length > this.#windowBytes;
      if (isFull || !mayGo(body.length)) return;
      chunk.sentAtMs = nowMs;
      this.#sent += 1;
      this.#flyingBytes += reliableCost(body);
      this.#send(body);
    }
  }

  /** What was on its way goes again where no receipt came for so long. */
  repeatAfter(patienceMs: number, nowMs: number): void {
    const [oldest] = this.#chunks;
    if (this.#sent > 0 && oldest && nowMs - oldest.sentAtMs > patienceMs) this.repeat();
  }

  /** All that has no receipt goes again, over another path perhaps. */
  repeat(): void {
    for (const chunk of this.#chunks.slice(0, this.#sent)) chunk.isRepeated = true;
    this.#sent = 0;
    this.#flyingBytes = 0;
    this.#windowBytes = FIRST_WINDOW_BYTES;
    this.#baseMs = undefined;
  }

  #next(): Chunk | undefined {
    const known = this.#chunks[this.#sent];
    if (known) return known;
    const [message] = this.#messages;
    if (!message) return undefined;
    const part = message.subarray(this.#cut, this.#cut + CHUNK_BYTES);
    this.#cut += part.length;
    const isLast = this.#cut >= message.length;
    const id = this.#nextId;
    const body = new ByteWriter(part.length + HEAD_BYTES)
      .u16(id)
      .u8(isLast ? LAST_CHUNK : 0)
      .bytes(part);
    const chunk = { id, body: body.take(), sentAtMs: 0, isRepeated: false };
    this.#nextId = nextSequence(id);
    this.#chunks.push(chunk);
    if (isLast) {
      this.#messages.shift();
      this.#cut = 0;
    }
    return chunk;
  }

  #adapt(tookMs: number, bytes: number, nowMs: number): void {
    const baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    this.#baseMs = baseMs + (tookMs - baseMs) * FORGOTTEN_SHARE;
    if (tookMs <= baseMs + QUEUE_MS) {
      this.#windowBytes = Math.min(MAX_WINDOW_BYTES, this.#windowBytes + bytes);
    } else if (nowMs - this.#shrunkAtMs > tookMs) {
      // Once in a round trip: its receipts all speak of the same queue.
      this.#shrunkAtMs = nowMs;
      this.#windowBytes = Math.max(CHUNK_BYTES, this.#windowBytes * SHRINK_SHARE);
    }
  }
}

function bytesOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((bytes, { body }) => bytes + body.length - HEAD_BYTES, 0);
}
