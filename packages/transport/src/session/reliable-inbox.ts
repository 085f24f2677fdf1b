import { limits, nextSequence, sequenceDistance, type DropReason } from "@paceline/protocol";
import { HELD_OVERHEAD_BYTES, reliableCost } from "./outbox/reliable-queue.js";

/** Puts reliable messages into their order and drops those that came before. */
export class ReliableInbox {
  readonly #early = new Map<number, Uint8Array>();
  readonly #maxBytes: number;
  #expected = 0;
  #earlyBytes = 0;

  /** @param maxBytes of messages that wait for an earlier one; an honest sender has no more without receipt */
  constructor(maxBytes: number = limits.sessionQueueBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Id of the message that is expected next: what a receipt says. */
  get expected(): number {
    return this.#expected;
  }

  /** Estimated memory of messages that wait for an earlier one, bytes. */
  get heldBytes(): number {
    return this.#earlyBytes + this.#early.size * HELD_OVERHEAD_BYTES;
  }

  /**
   * Takes a message; hands over, in order, all that can be delivered now. A reason where it was dropped. `payload` may be
   * a view: what has to wait is copied.
   */
  receive(id: number, payload: Uint8Array, deliver: (payload: Uint8Array) => void): DropReason | undefined {
    const ahead = sequenceDistance(id, this.#expected);
    if (ahead < 0 || this.#early.has(id)) return "duplicate";
    if (ahead >= limits.outOfOrderMessages) return "gap-too-large";
    const bytes = reliableCost(payload);
    if (ahead > 0 && this.#earlyBytes + bytes > this.#maxBytes) return "queue-full";
    this.#early.set(id, payload.slice());
    this.#earlyBytes += bytes;
    for (let next = this.#early.get(this.#expected); next; next = this.#early.get(this.#expected)) {
      this.#early.delete(this.#expected);
      this.#earlyBytes -= reliableCost(next);
      this.#expected = nextSequence(this.#expected);
      deliver(next);
    }
    return undefined;
  }
}
