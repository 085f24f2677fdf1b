/** The first byte of a frame with a whole binary message (RFC 6455, section 5.2). */
const BINARY_AND_FINAL = 0x82;
const IS_MASKED = 0x80;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;
const MASK_BYTES = 4;
/** First opcode of the frames that are never fragmented: close, ping, pong. */
const FIRST_CONTROL = 8;

/**
 * Reads a client's frames without `ws` if each contains one whole binary message and all have arrived whole.
 * On a path without loss a game sends only such frames. `ws` needs the reads and writes of two streams for
 * each. All other bytes are for `ws`: this class only follows them, to know where the next frame begins.
 */
export class FrameParser {
  readonly #maxBytes: number;
  /** Bytes still to come of the frame that `ws` reads: its mask and payload. */
  #left = 0;
  /** Received bytes of that frame's head. */
  readonly #head: number[] = [];
  #isFragmented = false;

  /** @param maxBytes of a message; `ws` gets a longer one and refuses it */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Calls `deliver` with each message, valid during the call. Returns false if the bytes are for `ws`: then
   * {@link follow} takes them. Unmasks in place.
   */
  read(bytes: Buffer, deliver: (message: Uint8Array) => void): boolean {
    const isBetweenMessages = this.#left === 0 && this.#head.length === 0 && !this.#isFragmented;
    if (!isBetweenMessages || !this.#areWhole(bytes)) return false;
    for (let at = 0; at < bytes.length;) {
      const short = bytes[at + 1]! - IS_MASKED;
      const length = short === TWO_BYTES ? bytes.readUInt16BE(at + 2) : short;
      const from = at + (short === TWO_BYTES ? 4 : 2) + MASK_BYTES;
      let mask = bytes.readInt32LE(from - MASK_BYTES);
      at = from + length;
      for (let index = from; index < at; index++) {
        bytes[index]! ^= mask;
        mask = (mask >>> 8) | (mask << 24);
      }
      // A plain view, because a Buffer's `slice` does not copy.
      deliver(new Uint8Array(bytes.buffer, bytes.byteOffset + from, length));
    }
    return true;
  }

  #areWhole(bytes: Buffer): boolean {
    let at = 0;
    while (at + 2 <= bytes.length && bytes[at] === BINARY_AND_FINAL) {
      let length = bytes[at + 1]! - IS_MASKED;
      if (length < 0 || length === EIGHT_BYTES) return false;
      at += 2 + MASK_BYTES;
      if (length === TWO_BYTES) {
        if (at > bytes.length) return false;
        length = bytes.readUInt16BE(at - MASK_BYTES);
        at += 2;
      }
      at += length;
      if (length > this.#maxBytes) return false;
    }
    return at === bytes.length;
  }

  /** Takes the bytes that `ws` reads. */
  follow(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const passed = Math.min(this.#left, bytes.length - at);
      this.#left -= passed;
      at += passed;
      if (at === bytes.length) return;
      this.#head.push(bytes[at++]!);
      const left = bytesAfter(this.#head);
      if (left === undefined) continue;
      const [first = 0] = this.#head;
      if ((first & 0x0f) < FIRST_CONTROL) this.#isFragmented = first < 0x80;
      this.#left = left;
      this.#head.length = 0;
    }
  }
}

/** Returns the bytes of mask and payload after a frame's head, or undefined if the head is incomplete. */
function bytesAfter(head: readonly number[]): number | undefined {
  const [, second] = head;
  if (second === undefined) return undefined;
  const short = second & 0x7f;
  const longBytes = short === TWO_BYTES ? 2 : short === EIGHT_BYTES ? 8 : 0;
  if (head.length < 2 + longBytes) return undefined;
  const length = longBytes === 0 ? short : head.slice(2).reduce((sum, byte) => sum * 256 + byte, 0);
  return length + (second >= IS_MASKED ? MASK_BYTES : 0);
}
