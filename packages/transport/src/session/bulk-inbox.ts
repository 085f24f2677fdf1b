import { ByteReader, type DropReason } from "@paceline/protocol";
import { LAST_CHUNK } from "./outbox/payload-limits.js";
import { ReliableInbox } from "./reliable-inbox.js";

/** Limits the chunks that wait for an earlier one: twice what an honest sender has on its way. */
const MAX_EARLY_BYTES = 131_072;
const NOTHING = new Uint8Array(0);

/** Puts chunks into their order and together again. */
export class BulkInbox {
  readonly #inbox = new ReliableInbox(MAX_EARLY_BYTES);
  /** The message that is not complete yet: however small its chunks are, it takes at most twice its bytes. */
  #whole = NOTHING;
  #bytes = 0;
  #unanswered = 0;

  /** Estimated memory of the kept chunks, bytes. */
  get heldBytes(): number {
    return this.#whole.length + this.#inbox.heldBytes;
  }

  /** Id of the chunk that is expected next: what a receipt says. */
  get expected(): number {
    return this.#inbox.expected;
  }

  /** Whether it is time for a receipt: after every second chunk, the last one of a message, and whatever is odd. */
  takeAnswerDue(isOdd: boolean): boolean {
    this.#unanswered += 1;
    if (this.#unanswered < 2 && this.#bytes > 0 && !isOdd) return false;
    this.#unanswered = 0;
    return true;
  }

  /** Takes a chunk; hands over each message that is complete. A reason where the chunk, or a message, was dropped. */
  receive(
    body: Uint8Array,
    maxBytes: number,
    deliver: (message: Uint8Array) => void,
  ): DropReason | undefined {
    const reader = new ByteReader(body);
    const id = reader.u16();
    const flags = reader.u8();
    if (!reader.ok || flags > LAST_CHUNK) return "bad-message";
    let dropped: DropReason | undefined;
    const reason = this.#inbox.receive(id, body.subarray(2), (chunk) => {
      if (!this.#append(chunk.subarray(1), maxBytes)) dropped = "too-long";
      if (chunk[0] !== LAST_CHUNK) return;
      const [whole, bytes] = [this.#whole, this.#bytes];
      this.#whole = NOTHING;
      this.#bytes = 0;
      if (bytes <= maxBytes) deliver(whole.slice(0, bytes));
    });
    return reason ?? dropped;
  }

  /**
   * False for the part that makes a message too long: it may never end. Nothing of it is kept; those after it are read all
   * the same.
   */
  #append(part: Uint8Array, maxBytes: number): boolean {
    const at = this.#bytes;
    this.#bytes += part.length;
    if (this.#bytes > maxBytes) {
      this.#whole = NOTHING;
      return at > maxBytes;
    }
    if (this.#bytes > this.#whole.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(2 * this.#whole.length, this.#bytes)));
      larger.set(this.#whole.subarray(0, at));
      this.#whole = larger;
    }
    this.#whole.set(part, at);
    return true;
  }
}
