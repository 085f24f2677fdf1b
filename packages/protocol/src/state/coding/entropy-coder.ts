import { Views } from "../plan/views.js";

/** Frequencies add up to 2^14. */
export const FREQUENCY_BITS = 14;
export const FREQUENCY_TOTAL = 1 << FREQUENCY_BITS;

/** 31 bits: what engines keep as a plain integer. */
const WORD = 0x8000_0000;
const WORD_MASK = 0x7fff_ffff;
const TOP_SHIFT = 23;
const RENORMALISE_BELOW = 1 << TOP_SHIFT;
const REST_MASK = RENORMALISE_BELOW - 1;
/** A decoder reads this far past the end, where the encoder left trailing zeros out. */
const READ_AHEAD_BYTES = 4;
const NOTHING = new Uint8Array(0);

/**
 * A range coder over a reused buffer (G. N. N. Martin, 1979), integers only, so that every engine agrees on every
 * bit. The same calls encode and decode: encoding takes the value and returns it, decoding ignores the value and
 * returns what was encoded. Whoever describes the order of the symbols once has described both directions.
 */
export class EntropyCoder {
  readonly #own: Uint8Array;
  readonly #views: Views;
  #bytes: Uint8Array;
  #at = 0;
  #low = 0;
  #range = 0;
  #code = 0;
  /** 31 bits are no whole number of bytes: the last bit of the last byte read. */
  #spare = 0;
  #isDecoding = false;

  constructor(capacityBytes: number) {
    this.#own = new Uint8Array(capacityBytes);
    this.#views = new Views(this.#own);
    this.#bytes = this.#own;
  }

  get isDecoding(): boolean {
    return this.#isDecoding;
  }

  /** Bytes written so far; what is inside the coder comes on top. */
  get length(): number {
    return this.#at;
  }

  startEncoding(): void {
    this.#bytes = this.#own;
    this.#isDecoding = false;
    this.#at = 0;
    this.#low = 0;
    this.#range = WORD - 1;
  }

  startDecoding(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#isDecoding = true;
    this.#at = 0;
    this.#range = WORD - 1;
    this.#code = 0;
    this.#spare = 0;
    for (let count = 0; count < READ_AHEAD_BYTES; count++) this.#code = this.#shiftedIn(this.#code);
  }

  /** Ends encoding with the fewest bytes that leave no doubt, zeros at the end left out. A view, until the next start. */
  finish(): Uint8Array {
    const end = this.#low + this.#range;
    for (let count = 0; count <= 4; count++) {
      const step = 2 ** Math.max(0, 31 - 8 * count);
      const value = Math.ceil(this.#low / step) * step;
      if (value >= end) continue;
      if (value >= WORD) this.#carry();
      this.#low = value % WORD;
      for (let written = 0; written < count; written++) this.#shiftOut();
      break;
    }
    return this.#views.of(this.#at);
  }

  /** After decoding: whether the bytes held what was read from them, no less and no more. */
  get isComplete(): boolean {
    const unread = this.#bytes.length - this.#at;
    return unread <= 0 && unread >= -READ_AHEAD_BYTES;
  }

  /** More was read than there is: what comes now is made of zeros. */
  get isExhausted(): boolean {
    return this.#bytes.length - this.#at < -READ_AHEAD_BYTES;
  }

  /** A number of `count` bits (1 to 16), all values equally likely. */
  bits(value: number, count: number): number {
    const part = this.#range >>> count;
    if (!this.#isDecoding) {
      this.#take(Math.imul(part, value), part);
      return value;
    }
    const quotient = (this.#code / part) | 0;
    const most = (1 << count) - 1;
    const decoded = quotient < most ? quotient : most;
    this.#drop(Math.imul(part, decoded), part);
    return decoded;
  }

  /** One of two; `chance` is that of true, in 1 / FREQUENCY_TOTAL, above 0 and below the total. */
  flag(value: boolean, chance: number): boolean {
    const split = Math.imul(this.#range >>> FREQUENCY_BITS, chance);
    const isTrue = this.#isDecoding ? this.#code < split : value;
    if (this.#isDecoding) {
      if (isTrue) this.#drop(0, split);
      else this.#drop(split, this.#range - split);
    } else if (isTrue) this.#take(0, split);
    else this.#take(split, this.#range - split);
    return isTrue;
  }

  /** The interval [from, to) of FREQUENCY_TOTAL, encoding only. */
  encodeInterval(from: number, to: number): void {
    const part = this.#range >>> FREQUENCY_BITS;
    this.#take(Math.imul(part, from), Math.imul(part, to - from));
  }

  /** Decoding only: where in FREQUENCY_TOTAL the next symbol lies; tell its interval with {@link decodedInterval}. */
  peekFrequency(): number {
    const value = (this.#code / (this.#range >>> FREQUENCY_BITS)) | 0;
    return value < FREQUENCY_TOTAL ? value : FREQUENCY_TOTAL - 1;
  }

  decodedInterval(from: number, to: number): void {
    const part = this.#range >>> FREQUENCY_BITS;
    this.#drop(Math.imul(part, from), Math.imul(part, to - from));
  }

  #take(offset: number, range: number): void {
    // Both are below 2^31: where the sum is not, it turns up negative.
    let low = (this.#low + offset) | 0;
    if (low < 0) {
      this.#carry();
      low &= WORD_MASK;
    }
    let left = range;
    if (left < RENORMALISE_BELOW) {
      const bytes = this.#bytes;
      let at = this.#at;
      do {
        bytes[at++] = low >>> TOP_SHIFT;
        low = (low & REST_MASK) << 8;
        left <<= 8;
      } while (left < RENORMALISE_BELOW);
      this.#at = at;
    }
    this.#low = low;
    this.#range = left;
  }

  #drop(offset: number, range: number): void {
    let code = (this.#code - offset) | 0;
    let left = range;
    if (left < RENORMALISE_BELOW) {
      const bytes = this.#bytes;
      let at = this.#at;
      let spare = this.#spare;
      do {
        const byte = at < bytes.length ? bytes[at]! : 0;
        at += 1;
        code = ((code & REST_MASK) << 8) | (spare << 7) | (byte >>> 1);
        spare = byte & 1;
        left <<= 8;
      } while (left < RENORMALISE_BELOW);
      this.#at = at;
      this.#spare = spare;
    }
    this.#code = code;
    this.#range = left;
  }

  #carry(): void {
    let at = this.#at - 1;
    while (at >= 0 && this.#bytes[at] === 0xff) this.#bytes[at--] = 0;
    if (at >= 0) this.#bytes[at]!++;
  }

  #shiftOut(): void {
    this.#bytes[this.#at++] = this.#low >>> TOP_SHIFT;
    this.#low = (this.#low & REST_MASK) << 8;
  }

  #shiftedIn(code: number): number {
    const at = this.#at++;
    const byte = at < this.#bytes.length ? this.#bytes[at]! : 0;
    const shifted = ((code & REST_MASK) << 8) | (this.#spare << 7) | (byte >>> 1);
    this.#spare = byte & 1;
    return shifted;
  }

  /** Lets go of the bytes that were decoded. */
  release(): void {
    this.#bytes = NOTHING;
  }
}
