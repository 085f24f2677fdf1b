import { NetError, limits, messageBytes, nextSequence, sequenceDistance } from "@paceline/protocol";
import { AnswerTimes } from "../answer-times.js";
import type { SendWindow } from "./delay-window.js";
import { BULK_FRAGMENT_BYTES, MAX_PAYLOAD_BYTES, PACKET_OVERHEAD_BYTES } from "./payload-limits.js";

/** A reliable message, or a part of one. */
export interface Fragment {
  readonly id: number;
  readonly payload: Uint8Array;
  /** False if another fragment of the same message follows. */
  readonly isLast: boolean;
}

/** A fragment without a receipt. */
export interface Pending extends Fragment {
  readonly addedAtMs: number;
  sentAtMs: number;
  /** Sequence of the packet that carried it last. For a broadcast: of the session's packet before that. */
  sequence: number;
  isBroadcast: boolean;
  /** Sent more than once: its receipt does not show the time of the path. */
  isRepeated: boolean;
  /** Sent because the other side caused it. */
  readonly isAnswer: boolean;
}

/** The messages of a queue without a receipt, for a session that goes on in another process. */
export interface SavedQueue {
  /** Id of the first fragment, or of the next one if there is none. */
  readonly firstId: number;
  /** Fragments without a receipt, oldest first. */
  readonly fragments: readonly Uint8Array[];
  /** Places in {@link fragments} of those that another fragment of the same message follows. */
  readonly unfinished: readonly number[];
  /** Messages that are not cut yet; of the first one perhaps only the rest. */
  readonly uncut: readonly Uint8Array[];
}

/** Classes whose messages stay queued until the receipt arrives. */
export type ReliableClass = "command" | "bulk";

interface QueueTerms {
  /** Limit of messages without a receipt. */
  readonly maxMessages: number;
  /** Limit of bytes without a receipt, by {@link reliableCost}. */
  readonly maxBytes: number;
  /** Bytes of the fragments of a longer message. */
  readonly fragmentBytes: number;
  /** Bytes before the fragment in its message. */
  readonly headBytes: number;
}

/** Limits of commands. Each fits one packet. */
export const COMMANDS: QueueTerms = {
  maxMessages: limits.unacknowledgedMessages,
  maxBytes: limits.sessionQueueBytes,
  fragmentBytes: MAX_PAYLOAD_BYTES,
  headBytes: 2,
};

/** Limits of bulk. Two of the longest messages may wait. */
export const BULK: QueueTerms = {
  maxMessages: 4096,
  maxBytes: 2 * (limits.bulkBytes + limits.reliableOverheadBytes),
  fragmentBytes: BULK_FRAGMENT_BYTES,
  headBytes: 3,
};

/** Estimated memory of an object and an array, besides the bytes in it. */
export const HELD_OVERHEAD_BYTES = 160;

/** Approximate bytes that leave after the start of a repetition, before a receipt shows that they arrive. */
const FIRST_BYTES = 16_384;
/** Limit of repetitions because of acks without a new receipt. It limits a receiver that sends false acks. */
const MAX_FAST_REPEATS = 4;
/** Number of fragments with receipts that leave the list together. */
const REMOVED_TOGETHER = 64;
/** Repeated bytes that a byte of a receipt earns: the window of a repetition doubles, see `rewind`. */
const EARNED_PER_BYTE = 2;
/** Limit of doublings of the time to a repetition without a receipt. */
const MAX_DOUBLINGS = 3;

/** Returns the bytes that a reliable message takes of the limits of queues. */
export function reliableCost(payload: Uint8Array): number {
  return payload.length + limits.reliableOverheadBytes;
}

/** Returns the cost of a fragment. The last fragment pays the overhead of its message. */
function costOf({ payload, isLast }: Fragment): number {
  return isLast ? reliableCost(payload) : payload.length;
}

/** A queue as the owner of a session sees it: only the session changes it. */
export type ReliableQueueView = Pick<
  ReliableQueue,
  "length" | "bytes" | "acknowledgedBytes" | "hasRoom" | "isAcknowledged"
>;

/**
 * Numbers reliable messages and keeps them until their receipts. Cuts long ones into fragments as they leave.
 * The fragments in front have been sent over the present link. The others wait until fewer bytes than the
 * window are on their way. A session has one queue for commands and one for bulk. Has no clock of its own.
 */
export class ReliableQueue {
  /** Times from messages to their receipts, without repeated messages. */
  readonly answers = new AnswerTimes();
  readonly #terms: QueueTerms;
  readonly #window: SendWindow | undefined;
  readonly #pending: Pending[] = [];
  /** Place of the oldest one in {@link #pending}. Those before it have receipts, and are removed together. */
  #first = 0;
  /** Messages that are not cut completely, and the bytes of the first one that are in fragments already. */
  readonly #uncut: Uint8Array[] = [];
  #cutBytes = 0;
  #nextId = 0;
  #length = 0;
  #bytes = 0;
  /** Place after the last sent fragment, and the bytes of the sent ones. */
  #sent = 0;
  #sentBytes = 0;
  #windowBytes: number;
  #progressAtMs = -Infinity;
  #acknowledgedBytes = 0;
  /** Repetitions because of acks since the last new receipt. */
  #fastRepeats = 0;
  #repeats = 0;
  /** Bytes that may be repeated because receipts since the last repetition show that the other side takes them. */
  #earnedBytes = 0;

  /**
   * @param window limit of bytes on their way; by default only repeated messages have one, which begins small
   */
  constructor(terms: QueueTerms, window?: SendWindow) {
    this.#terms = terms;
    this.#window = window;
    this.#windowBytes = window?.firstBytes ?? Infinity;
  }

  get length(): number {
    return this.#length;
  }

  /** Cost of messages without a receipt, by {@link reliableCost}. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Estimated memory, bytes. A fragment shares the bytes of its message. */
  get heldBytes(): number {
    return this.#bytes + (this.#pending.length - this.#first + this.#uncut.length) * HELD_OVERHEAD_BYTES;
  }

  /** Fragments without a receipt, oldest first. */
  get pending(): readonly Pending[] {
    return this.#pending.slice(this.#first);
  }

  get hasUnsent(): boolean {
    return this.#sent < this.#pending.length;
  }

  /** Bytes of the next fragment. Undefined if there is none, or if receipts must come first. */
  get nextBytes(): number | undefined {
    return this.isWindowOpen ? this.#pending[this.#sent]?.payload.length : undefined;
  }

  /** True if the window allows one more packet. */
  get isWindowOpen(): boolean {
    return this.#sentBytes < this.#windowBytes;
  }

  /** Returns true if all messages can be added with at most `maxBytes` waiting. */
  hasRoom(payloads: readonly Uint8Array[], maxBytes = this.#terms.maxBytes): boolean {
    if (this.#length + payloads.length > this.#terms.maxMessages) return false;
    let bytes = this.#bytes;
    for (const payload of payloads) bytes += reliableCost(payload);
    return bytes <= maxBytes;
  }

  /** Throws {@link NetError} `limit/queue` if there is no room for all messages. */
  check(payloads: readonly Uint8Array[]): void {
    if (this.hasRoom(payloads)) return;
    const message = `${this.#bytes} bytes in ${this.#length} reliable messages wait for a receipt`;
    throw new NetError("limit/queue", message, { retryable: true });
  }

  /**
   * Adds messages. Throws as {@link check} does, and takes none of them then. Returns the id of the last
   * fragment.
   * @param isAnswer true for messages that the other side caused; each must fit a fragment
   */
  add(payloads: readonly Uint8Array[], nowMs: number, isAnswer = false): number {
    this.check(payloads);
    for (const payload of payloads) {
      this.#uncut.push(payload);
      this.#bytes += reliableCost(payload);
    }
    this.#length += payloads.length;
    this.#cut(nowMs, isAnswer);
    return this.#pending.at(-1)?.id ?? -1;
  }

  /**
   * Adds a message that leaves at once in a packet of another session, after this session's packet
   * `sequence`. All earlier messages must have been sent. Throws as {@link add} does. Returns its id.
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

  /** Cuts messages into fragments: short ones at once, long ones fragment by fragment as they leave. */
  #cut(nowMs: number, isAnswer = false): void {
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
        isAnswer,
      });
      this.#nextId = nextSequence(this.#nextId);
      if (!isLast) continue;
      this.#uncut.shift();
      this.#cutBytes = 0;
    }
  }

  /** Returns what a later queue needs to go on. Its bytes are those of the messages, not copies. */
  save(): SavedQueue {
    const pending = this.#pending.slice(this.#first);
    const unfinished = pending.flatMap(({ isLast }, place) => (isLast ? [] : [place]));
    const uncut = this.#uncut.map((message, index) =>
      index > 0 ? message : message.subarray(this.#cutBytes),
    );
    const fragments = pending.map(({ payload }) => payload);
    return { firstId: pending[0]?.id ?? this.#nextId, fragments, unfinished, uncut };
  }

  /** Goes on where another queue was saved. Call it before anything else. */
  restore({ firstId, fragments, unfinished, uncut }: SavedQueue, nowMs: number): void {
    const open = new Set(unfinished);
    this.#nextId = firstId;
    for (const [place, payload] of fragments.entries()) {
      const fragment = { id: this.#nextId, payload, isLast: !open.has(place) };
      const unsent = { addedAtMs: nowMs, sentAtMs: 0, sequence: 0, isBroadcast: false };
      this.#pending.push({ ...fragment, ...unsent, isRepeated: false, isAnswer: false });
      this.#nextId = nextSequence(this.#nextId);
      this.#bytes += costOf(fragment);
      if (fragment.isLast) this.#length += 1;
    }
    this.#uncut.push(...uncut);
    this.#length += uncut.length;
    for (const message of uncut) this.#bytes += reliableCost(message);
    this.#cut(nowMs);
  }

  /** Returns true if the other side has the fragment with this id, of the last 32 000 or so. */
  isAcknowledged(id: number): boolean {
    return sequenceDistance(id, this.#oldest?.id ?? this.#nextId) < 0;
  }

  /**
   * Takes a receipt: the other side has all fragments before it. Returns false if it names one that was never
   * sent.
   */
  acknowledge(receipt: number, nowMs: number): boolean {
    const oldest = this.#oldest?.id ?? this.#nextId;
    const count = sequenceDistance(receipt, oldest);
    // Older receipts than the last one arrive if packets overtake each other. They contain nothing new.
    if (count <= 0) return true;
    const end = this.#first + count;
    if (end > this.#pending.length) return false;
    let [bytes, sentBytes] = [0, 0];
    for (let index = this.#first; index < end; index++) {
      const fragment = this.#pending[index]!;
      bytes += costOf(fragment);
      if (index < this.#sent) sentBytes += costOf(fragment);
      if (fragment.isLast) this.#length -= 1;
    }
    const { isRepeated, sentAtMs } = this.#pending[end - 1]!;
    this.#remove(end);
    this.#bytes -= bytes;
    this.#acknowledgedBytes += bytes;
    this.#earnedBytes += EARNED_PER_BYTE * bytes;
    this.#sentBytes -= sentBytes;
    const tookMs = isRepeated ? undefined : nowMs - sentAtMs;
    if (tookMs !== undefined) this.answers.take(tookMs, nowMs);
    // A message that is to be repeated may have arrived the first time.
    const receiptBytes = 2 * bytes - sentBytes;
    const window = this.#windowBytes;
    this.#windowBytes = this.#window?.after(window, receiptBytes, tookMs, nowMs) ?? window + receiptBytes;
    this.#progressAtMs = nowMs;
    this.#fastRepeats = 0;
    this.#repeats = 0;
    this.#cut(nowMs);
    return true;
  }

  get #oldest(): Pending | undefined {
    return this.#pending[this.#first];
  }

  /** Removes the fragments before `end`. Moving the others of a long queue at every receipt would take too long. */
  #remove(end: number): void {
    this.#first = end;
    this.#sent = Math.max(this.#sent, end);
    if (end < REMOVED_TOGETHER && end < this.#pending.length) return;
    this.#pending.splice(0, end);
    this.#sent -= end;
    this.#first = 0;
  }

  /** Returns the fragments to send next, as many as fit a packet. Empty if receipts must come first. */
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

  /**
   * Returns the bytes of a {@link nextBatch} that the other side causes: repeated messages, and answers.
   * `isEarned`: without those that its receipts since the repetition began have earned.
   */
  answerBytes(batch: readonly Pending[], isEarned: boolean): number {
    let bytes = 0;
    for (const fragment of batch) if (fragment.isRepeated || fragment.isAnswer) bytes += costOf(fragment);
    return isEarned ? Math.max(0, bytes - this.#earnedBytes) : bytes;
  }

  /** Takes note that the packet with this sequence carries a {@link nextBatch}. */
  sent(batch: readonly Pending[], sequence: number, nowMs: number): void {
    for (const fragment of batch) {
      fragment.sequence = sequence;
      fragment.isBroadcast = false;
      fragment.sentAtMs = nowMs;
      this.#sentBytes += costOf(fragment);
      if (fragment.isRepeated) this.#earnedBytes = Math.max(0, this.#earnedBytes - costOf(fragment));
    }
    this.#sent += batch.length;
    this.#cut(nowMs);
    this.#openWindow();
  }

  /** Cost of all messages with a receipt, since the start. */
  get acknowledgedBytes(): number {
    return this.#acknowledgedBytes;
  }

  /** Returns the time since the last new receipt while a message waits for one, ms. Otherwise 0. */
  stuckMs(nowMs: number): number {
    const oldest = this.#oldest;
    return oldest ? nowMs - Math.max(this.#progressAtMs, oldest.addedAtMs) : 0;
  }

  /**
   * Sends all fragments again, perhaps over another link. Begins with a few, and sends twice as many bytes as
   * receipts confirm: a receiver that takes nothing, or confirms nothing, costs no more.
   */
  rewind(): void {
    this.#window?.forget();
    this.answers.clear();
    this.#restart();
  }

  #restart(): void {
    for (let index = this.#first; index < this.#sent; index++) this.#pending[index]!.isRepeated = true;
    this.#sent = this.#first;
    this.#sentBytes = 0;
    this.#earnedBytes = 0;
    this.#windowBytes = this.#window?.firstBytes ?? FIRST_BYTES;
    this.#openWindow();
  }

  /**
   * Takes note of an arrived packet. Reliable messages keep their order on a path, so that older packets
   * without a receipt are lost. If there are any, sends all again and returns true. If they are lost again,
   * an ack of a packet after the repetition shows it.
   */
  rewindIfLost(sequence: number): boolean {
    if (this.#fastRepeats >= MAX_FAST_REPEATS) return false;
    let [older, end] = [this.#first, this.#sent];
    while (older < end) {
      const middle = (older + end) >> 1;
      if (sequenceDistance(this.#pending[middle]!.sequence, sequence) < 0) older = middle + 1;
      else end = middle;
    }
    if (older === this.#first || older === this.#sent) return false;
    const arrived = this.#pending[older]!;
    if (arrived.sequence !== sequence || arrived.isBroadcast) return false;
    this.#fastRepeats += 1;
    this.#restart();
    return true;
  }

  /**
   * Sends all again if the oldest fragment was sent long ago and no new receipts arrive. Waits longer each
   * time.
   */
  rewindIfOverdue(patienceMs: number, nowMs: number): void {
    const oldest = this.#oldest;
    if (!oldest || this.#sent === this.#first) return;
    const sinceMs = Math.max(oldest.sentAtMs, this.#progressAtMs);
    if (nowMs - sinceMs <= patienceMs * 2 ** Math.min(this.#repeats, MAX_DOUBLINGS)) return;
    this.#repeats += 1;
    this.#restart();
  }

  /** Opens the window once all repeated messages have left: later ones need not wait for a receipt. */
  #openWindow(): void {
    if (!this.#window && !this.hasUnsent) this.#windowBytes = Infinity;
  }
}
