import { ByteReader, type DropReason } from "@paceline/protocol";
import { LAST_CHUNK } from "./bulk-outbox.js";
import { ReliableInbox } from "./reliable-inbox.js";

/** Puts chunks into their order and together again. */
export class BulkInbox {
  readonly #inbox = new ReliableInbox();
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #unanswered = 0;

  /** Id of the chunk that is expected next: what a receipt says. */
  get expected(): number {
    return this.#inbox.expected;
  }

  /** Whether it is time for a receipt: after every second chunk, the last one of a message, and whatever is odd. */
  takeAnswerDue(isOdd: boolean): boolean {
    this.#unanswered += 1;
    if (this.#unanswered < 2 && this.#parts.length > 0 && !isOdd) return false;
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
    const reason = this.#inbox.receive(id, body.slice(2), (chunk) => {
      this.#bytes += chunk.length - 1;
      // Of one that is too long nothing is kept; those after it are read all the same.
      if (this.#bytes <= maxBytes) this.#parts.push(chunk.subarray(1));
      else this.#parts = [];
      if (chunk[0] !== LAST_CHUNK) return;
      const message = this.#bytes <= maxBytes ? joined(this.#parts, this.#bytes) : undefined;
      this.#parts = [];
      this.#bytes = 0;
      if (message) deliver(message);
      else dropped = "too-long";
    });
    return reason ?? dropped;
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
