import { limits, nextSequence, sequenceDistance, type DropReason } from "@paceline/protocol";
import { HELD_OVERHEAD_BYTES, reliableCost, type Fragment } from "./outbox/reliable-queue.js";

/** Puts fragments into their order and together again, and drops those that came before. */
export class ReliableInbox {
  readonly #early = new Map<number, Fragment>();
  readonly #maxEarlyBytes: number;
  #expected = 0;
  #earlyBytes = 0;
  /** Fragments of the message that is not complete yet: however small they are, they take at most twice their bytes. */
  #parts: Uint8Array | undefined;
  #partsBytes = 0;

  /** @param maxEarlyBytes of fragments that wait for an earlier one; an honest sender has no more without receipt */
  constructor(maxEarlyBytes: number = limits.sessionQueueBytes) {
    this.#maxEarlyBytes = maxEarlyBytes;
  }

  /** Id of the fragment that is expected next: what a receipt says. */
  get expected(): number {
    return this.#expected;
  }

  /** Estimated memory of fragments of messages that are not complete, bytes. */
  get heldBytes(): number {
    return (this.#parts?.length ?? 0) + this.#earlyBytes + this.#early.size * HELD_OVERHEAD_BYTES;
  }

  /**
   * Takes a fragment, whose payload may be a view; hands over copies of all messages that are complete now, in order. A
   * reason where it was dropped, or made a message longer than `maxBytes`.
   */
  receive(
    fragment: Fragment,
    deliver: (message: Uint8Array) => void,
    maxBytes = Number.POSITIVE_INFINITY,
  ): DropReason | undefined {
    const { id, payload } = fragment;
    const ahead = sequenceDistance(id, this.#expected);
    if (ahead < 0 || this.#early.has(id)) return "duplicate";
    if (ahead >= limits.outOfOrderMessages) return "gap-too-large";
    if (ahead > 0) {
      const bytes = reliableCost(payload);
      if (this.#earlyBytes + bytes > this.#maxEarlyBytes) return "queue-full";
      this.#early.set(id, { ...fragment, payload: payload.slice() });
      this.#earlyBytes += bytes;
      return undefined;
    }
    let isTooLong = this.#takeNext(fragment, deliver, maxBytes);
    for (let next = this.#early.get(this.#expected); next; next = this.#early.get(this.#expected)) {
      this.#early.delete(this.#expected);
      this.#earlyBytes -= reliableCost(next.payload);
      if (this.#takeNext(next, deliver, maxBytes)) isTooLong = true;
    }
    return isTooLong ? "too-long" : undefined;
  }

  /**
   * True for the fragment that makes its message too long: it may never end. Nothing of it is kept; those after it are read
   * all the same.
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
