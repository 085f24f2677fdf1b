import { NetError, limits, messageBytes, nextSequence, sequenceDistance } from "@paceline/protocol";
import type { SendWindow } from "./delay-window.js";
import { BULK_FRAGMENT_BYTES, MAX_PAYLOAD_BYTES, PACKET_OVERHEAD_BYTES } from "./payload-limits.js";

/** A reliable message, or a part of one. */
export interface Fragment {
  readonly id: number;
  readonly payload: Uint8Array;
  /** False where another fragment of the same message follows. */
  readonly isLast: boolean;
}

/** One that has no receipt yet. */
interface Pending extends Fragment {
  readonly addedAtMs: number;
  sentAtMs: number;
  /** Sequence of the packet that carried it last, or of the one before it where that was a broadcast. */
  sequence: number;
  isBroadcast: boolean;
  /** Sent more than once: its receipt does not say how long the path takes. */
  isRepeated: boolean;
}

/** Classes whose messages stay queued until the receipt comes. */
export type ReliableClass = "command" | "bulk";

/** Limits and heads of one class. */
interface QueueTerms {
  /** Messages without a receipt, */
  readonly maxMessages: number;
  /** their cost by {@link reliableCost}, */
  readonly maxBytes: number;
  /** and bytes of the fragments of longer ones. */
  readonly fragmentBytes: number;
  /** Bytes before a fragment in its message. */
  readonly headBytes: number;
}

/** Each fits one packet. */
export const COMMANDS: QueueTerms = {
  maxMessages: limits.unacknowledgedMessages,
  maxBytes: limits.sessionQueueBytes,
  fragmentBytes: MAX_PAYLOAD_BYTES,
  headBytes: 2,
};

/** Two of the longest may wait. */
export const BULK: QueueTerms = {
  maxMessages: 4096,
  maxBytes: 2 * (limits.bulkBytes + limits.reliableOverheadBytes),
  fragmentBytes: BULK_FRAGMENT_BYTES,
  headBytes: 3,
};

/** Estimated memory of an object and an array, besides the bytes in it. */
export const HELD_OVERHEAD_BYTES = 160;

/** After a repetition about so many bytes go before a receipt says that they arrive. */
const FIRST_BYTES = 16_384;
/** Without news in a receipt, no more repetitions are asked for by acks: a receiver that lies about them gets no more. */
const MAX_FAST_REPEATS = 4;
/** Without a receipt, what goes again does so after twice the time, up to so many times. */
const MAX_DOUBLINGS = 3;

/** Bytes that a reliable message takes of the limits of queues. */
export function reliableCost(payload: Uint8Array): number {
  return payload.length + limits.reliableOverheadBytes;
}

/** The last fragment of a message pays for it. */
function costOf({ payload, isLast }: Fragment): number {
  return isLast ? reliableCost(payload) : payload.length;
}

/**
 * Numbers reliable messages and keeps them until the other side has said that it has them. Long ones are cut into fragments
 * as they leave. Fragments in front have been sent over the present link, the others wait until fewer bytes than the window
 * are on their way. A session has one queue for commands and one for bulk. Pure: time comes in.
 */
export class ReliableQueue {
  readonly #terms: QueueTerms;
  readonly #window: SendWindow | undefined;
  readonly #pending: Pending[] = [];
  /** Messages that are still to be cut, and the bytes of the first one that are in fragments already. */
  readonly #uncut: Uint8Array[] = [];
  #cutBytes = 0;
  #nextId = 0;
  #length = 0;
  #bytes = 0;
  /** The number of sent fragments at the front, and their bytes. */
  #sent = 0;
  #sentBytes = 0;
  #windowBytes: number;
  #progressAtMs = Number.NEGATIVE_INFINITY;
  #acknowledgedBytes = 0;
  /** Since a receipt brought something new. */
  #fastRepeats = 0;
  #repeats = 0;

  /** @param window default: everything may be on its way, but what goes again does so a little at first */
  constructor(terms: QueueTerms, window?: SendWindow) {
    this.#terms = terms;
    this.#window = window;
    this.#windowBytes = window?.firstBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Messages without a receipt. */
  get length(): number {
    return this.#length;
  }

  /** Cost of messages without a receipt, by {@link reliableCost}. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Estimated memory, bytes: a fragment shares the bytes of its message. */
  get heldBytes(): number {
    return this.#bytes + (this.#pending.length + this.#uncut.length) * HELD_OVERHEAD_BYTES;
  }

  /** Fragments without a receipt, oldest first. */
  get pending(): readonly Pending[] {
    return this.#pending;
  }

  /** Whether something has not been sent yet. */
  get hasUnsent(): boolean {
    return this.#sent < this.#pending.length;
  }

  /** Bytes of the fragment that may leave next; undefined where there is none, or receipts must come first. */
  get nextBytes(): number | undefined {
    return this.isWindowOpen ? this.#pending[this.#sent]?.payload.length : undefined;
  }

  /** Whether the window takes one more packet. */
  get isWindowOpen(): boolean {
    return this.#sentBytes < this.#windowBytes;
  }

  /** Whether all of them may be added while no more than `maxBytes` wait. */
  hasRoom(payloads: readonly Uint8Array[], maxBytes = this.#terms.maxBytes): boolean {
    if (this.#length + payloads.length > this.#terms.maxMessages) return false;
    let bytes = this.#bytes;
    for (const payload of payloads) bytes += reliableCost(payload);
    return bytes <= maxBytes;
  }

  /** Throws {@link NetError} `limit/queue` where too much waits to take them all. */
  check(payloads: readonly Uint8Array[]): void {
    if (this.hasRoom(payloads)) return;
    const message = `${this.#bytes} bytes in ${this.#length} reliable messages wait for a receipt`;
    throw new NetError("limit/queue", message, { retryable: true });
  }

  /** Throws as {@link check} does: then none of them was taken. Returns the id of the last fragment. */
  add(payloads: readonly Uint8Array[], nowMs: number): number {
    this.check(payloads);
    for (const payload of payloads) {
      this.#uncut.push(payload);
      this.#bytes += reliableCost(payload);
    }
    this.#length += payloads.length;
    this.#cut(nowMs);
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
    message.isBroadcast = true;
    this.#sent += 1;
    this.#sentBytes += reliableCost(payload);
    return id;
  }

  /** Cuts what fits one fragment at once, and of longer messages the fragment that leaves next. */
  #cut(nowMs: number): void {
    const { fragmentBytes } = this.#terms;
    while (this.#uncut.length > 0) {
      const message = this.#uncut[0]!;
      const isWhole = message.length <= fragmentBytes;
      if (!isWhole && this.hasUnsent) return;
      const payload = isWhole ? message : message.subarray(this.#cutBytes, this.#cutBytes + fragmentBytes);
      this.#cutBytes += payload.length;
      const isLast = this.#cutBytes === message.length;
      this.#pending.push({
        id: this.#nextId,
        payload,
        isLast,
        addedAtMs: nowMs,
        sentAtMs: 0,
        sequence: 0,
        isBroadcast: false,
        isRepeated: false,
      });
      this.#nextId = nextSequence(this.#nextId);
      if (!isLast) continue;
      this.#uncut.shift();
      this.#cutBytes = 0;
    }
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
    let [bytes, sentBytes] = [0, 0];
    for (let index = 0; index < count; index++) {
      const fragment = this.#pending[index]!;
      bytes += costOf(fragment);
      if (index < this.#sent) sentBytes += costOf(fragment);
      if (fragment.isLast) this.#length -= 1;
    }
    const { isRepeated, sentAtMs } = this.#pending[count - 1]!;
    this.#pending.splice(0, count);
    this.#bytes -= bytes;
    this.#acknowledgedBytes += bytes;
    this.#sentBytes -= sentBytes;
    this.#sent = Math.max(0, this.#sent - count);
    const tookMs = isRepeated ? undefined : nowMs - sentAtMs;
    // A message to repeat may have arrived the first time.
    const receiptBytes = 2 * bytes - sentBytes;
    const window = this.#windowBytes;
    this.#windowBytes = this.#window?.after(window, receiptBytes, tookMs, nowMs) ?? window + receiptBytes;
    this.#progressAtMs = nowMs;
    this.#fastRepeats = 0;
    this.#repeats = 0;
    this.#cut(nowMs);
    return true;
  }

  /** The fragments to be sent next, as many as fit a packet; none where receipts must come first. */
  nextBatch(): readonly Pending[] {
    if (!this.isWindowOpen) return [];
    let bytes = PACKET_OVERHEAD_BYTES;
    let end = this.#sent;
    for (; end < this.#pending.length; end++) {
      bytes += messageBytes(this.#pending[end]!.payload.length + this.#terms.headBytes);
      if (end > this.#sent && bytes > limits.unreliablePacketBytes) break;
    }
    return this.#pending.slice(this.#sent, end);
  }

  /** The packet with that sequence carries a {@link nextBatch}. */
  sent(batch: readonly Pending[], sequence: number, nowMs: number): void {
    for (const fragment of batch) {
      fragment.sequence = sequence;
      fragment.isBroadcast = false;
      fragment.sentAtMs = nowMs;
      this.#sentBytes += costOf(fragment);
    }
    this.#sent += batch.length;
    this.#cut(nowMs);
    this.#openWindow();
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
    this.#window?.forget();
    this.#beginAgain();
  }

  #beginAgain(): void {
    for (let index = 0; index < this.#sent; index++) this.#pending[index]!.isRepeated = true;
    this.#sent = 0;
    this.#sentBytes = 0;
    this.#windowBytes = this.#window?.firstBytes ?? FIRST_BYTES;
    this.#openWindow();
  }

  /**
   * A packet has arrived. Reliable messages take one path that keeps their order: those of older packets for which no
   * receipt came are lost. True, and all go again. If they are lost once more, a packet behind their repetition says so.
   */
  rewindIfLost(sequence: number): boolean {
    if (this.#fastRepeats >= MAX_FAST_REPEATS) return false;
    let [older, end] = [0, this.#sent];
    while (older < end) {
      const middle = (older + end) >> 1;
      if (sequenceDistance(this.#pending[middle]!.sequence, sequence) < 0) older = middle + 1;
      else end = middle;
    }
    if (older === 0 || older === this.#sent) return false;
    const arrived = this.#pending[older]!;
    if (arrived.sequence !== sequence || arrived.isBroadcast) return false;
    this.#fastRepeats += 1;
    this.#beginAgain();
    return true;
  }

  /** Begins again where the oldest one was sent long ago and receipts bring nothing new; later each time. */
  rewindIfOverdue(patienceMs: number, nowMs: number): void {
    const [oldest] = this.#pending;
    if (!oldest || this.#sent === 0) return;
    const sinceMs = Math.max(oldest.sentAtMs, this.#progressAtMs);
    if (nowMs - sinceMs <= patienceMs * 2 ** Math.min(this.#repeats, MAX_DOUBLINGS)) return;
    this.#repeats += 1;
    this.#beginAgain();
  }

  /** A repeated message has left: the next one need not wait for a receipt. */
  #openWindow(): void {
    if (!this.#window && !this.hasUnsent) this.#windowBytes = Number.POSITIVE_INFINITY;
  }
}
