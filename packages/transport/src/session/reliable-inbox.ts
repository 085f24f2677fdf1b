import { limits, nextSequence, sequenceDistance, type DropReason } from "@paceline/protocol";
import { HELD_OVERHEAD_BYTES, reliableCost, type Fragment } from "./outbox/reliable-queue.js";

const NO_BYTES = new Uint8Array(0);

/** The fragments that an inbox has taken, for a session that goes on in another process. */
export interface SavedInbox {
  /** Id of the next fragment. */
  readonly expected: number;
  /** Bytes of the incomplete message. */
  readonly parts: Uint8Array;
}

/** Puts fragments into order, joins them into messages, and drops repeated ones. */
export class ReliableInbox {
  /** Fragments that wait for an earlier one. Created late, because mostly none does. */
  #early: Map<number, Fragment> | undefined;
  readonly #maxEarlyBytes: number;
  #expected = 0;
  #earlyBytes = 0;
  /** Bytes of the incomplete message, in a buffer of at most twice their number, however small the fragments. */
  #parts: Uint8Array | undefined;
  #partsBytes = 0;

  /**
   * @param maxEarlyBytes of fragments that wait for an earlier one; an honest sender has no more without
   * receipt
   */
  constructor(maxEarlyBytes: number = limits.sessionQueueBytes) {
    this.#maxEarlyBytes = maxEarlyBytes;
  }

  /** Id of the next expected fragment, which a receipt contains. */
  get expected(): number {
    return this.#expected;
  }

  /** Returns what has a receipt. Fragments that wait for an earlier one have none, and are sent again. */
  save(): SavedInbox {
    const parts = this.#parts?.slice(0, this.#partsBytes) ?? NO_BYTES;
    return { expected: this.#expected, parts };
  }

  /** Goes on where another inbox was saved. Call it before anything else. */
  restore({ expected, parts }: SavedInbox): void {
    this.#expected = expected;
    if (parts.length > 0) this.#append(parts, parts.length, parts.length);
    this.#partsBytes = parts.length;
  }

  /** Estimated memory of fragments of messages that are not complete, bytes. */
  get heldBytes(): number {
    return (this.#parts?.length ?? 0) + this.#earlyBytes + (this.#early?.size ?? 0) * HELD_OVERHEAD_BYTES;
  }

  /**
   * Takes a fragment, whose payload may be a view. Calls `deliver` with copies of all messages that are
   * complete, in order. Returns a reason if it dropped the fragment, or if a message became longer than
   * `maxBytes`.
   */
  receive(
    fragment: Fragment,
    deliver: (message: Uint8Array) => void,
    maxBytes = Infinity,
  ): DropReason | undefined {
    const { id, payload } = fragment;
    const ahead = sequenceDistance(id, this.#expected);
    if (ahead < 0 || this.#early?.has(id)) return "duplicate";
    if (ahead >= limits.outOfOrderMessages) return "gap-too-large";
    if (ahead > 0) {
      const bytes = reliableCost(payload);
      if (this.#earlyBytes + bytes > this.#maxEarlyBytes) return "queue-full";
      (this.#early ??= new Map()).set(id, { ...fragment, payload: payload.slice() });
      this.#earlyBytes += bytes;
      return undefined;
    }
    let isTooLong = this.#takeNext(fragment, deliver, maxBytes);
    for (let next = this.#early?.get(this.#expected); next; next = this.#early?.get(this.#expected)) {
      this.#early!.delete(this.#expected);
      this.#earlyBytes -= reliableCost(next.payload);
      if (this.#takeNext(next, deliver, maxBytes)) isTooLong = true;
    }
    return isTooLong ? "too-long" : undefined;
  }

  /**
   * Returns true for the fragment that makes its message too long. Nothing of that message is kept, because
   * it may never end. Later messages are read all the same.
   */
  #takeNext(
    { payload, isLast }: Fragment,
    deliver: (message: Uint8Array) => void,
    maxBytes: number,
  ): boolean {
    this.#expected = nextSequence(this.#expected);
    const at = this.#partsBytes;
    const bytes = at + payload.length;
    const isWhole = isLast && at === 0;
    if (bytes > maxBytes) this.#parts = undefined;
    else if (!isWhole) this.#append(payload, bytes, maxBytes);
    const message = isWhole ? payload : this.#parts;
    this.#partsBytes = isLast ? 0 : bytes;
    if (isLast) this.#parts = undefined;
    if (isLast && bytes <= maxBytes) deliver(message!.slice(0, bytes));
    return bytes > maxBytes && at <= maxBytes;
  }

  #append(payload: Uint8Array, bytes: number, maxBytes: number): void {
    const before = this.#parts;
    if (!before || bytes > before.length) {
      this.#parts = new Uint8Array(Math.min(maxBytes, Math.max(2 * (before?.length ?? 0), bytes)));
      if (before) this.#parts.set(before);
    }
    this.#parts!.set(payload, bytes - payload.length);
  }
}
