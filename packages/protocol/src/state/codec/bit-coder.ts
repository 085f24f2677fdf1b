import { ESCAPE, LARGE, LONGEST, TOKEN_OF, TOKENS, type PrefixTables } from "./prefix-tables.js";

/** A coder of numbers of `count` bits, 1 to 16. */
export interface SmallCoder {
  bits(value: number, count: number): number;
}

/** Codes a number of `count` bits, 0 to 31, all values equally likely. */
export function codeWide(coder: SmallCoder, value: number, count: number): number {
  if (count <= 16) return count === 0 ? 0 : coder.bits(value, count);
  const high = coder.bits(value >>> 16, count - 16);
  return high * 0x10000 + coder.bits(value & 0xffff, 16);
}

/**
 * Codes a number from 0 to 2^16 - 2 that is probably small: n costs 2 * log2(n + 1) + 1 bits (Elias gamma).
 */
export function codeSmall(coder: SmallCoder, value: number): number {
  let length = 0;
  const wanted = 31 - Math.clz32(value + 1);
  while (length < 16 && coder.bits(length < wanted ? 1 : 0, 1) === 1) length += 1;
  const least = 1 << length;
  return least + codeWide(coder, value + 1 - least, length) - 1;
}

const WORD_BITS = 32;
/** First size of the buffer. It is small because a room has three encoders, and most packets are short. */
const FIRST_BYTES = 512;

/**
 * Codes bits in a reused buffer, the highest bit of each byte first. The same calls encode and decode: an
 * encoder takes the value and returns it; a decoder ignores the value and returns the decoded one. A decoder
 * reads zeros past the end.
 */
export class BitCoder {
  readonly #capacityBytes: number;
  readonly #views: Views;
  readonly #codes: Int32Array;
  readonly #slots: Int32Array;
  #bytes: Uint8Array;
  #at = 0;
  /** An encoder's pending bits: the lowest `filled` ones, at most 31. */
  #word = 0;
  #filled = 0;
  /** The bytes that a decoder reads, as words with the first bit highest. Two words of zeros follow. */
  #words = new Int32Array(64);
  #lastWord = 0;
  #length = 0;
  /** Bits that a decoder has read. */
  #position = 0;
  isDecoding = false;

  /** @param capacityBytes size limit of an encoded packet; further bytes are lost */
  constructor(capacityBytes: number, { codes, slots }: PrefixTables) {
    this.#capacityBytes = capacityBytes;
    this.#views = new Views(new Uint8Array(Math.min(capacityBytes, FIRST_BYTES)));
    this.#bytes = this.#views.buffer;
    this.#codes = codes;
    this.#slots = slots;
  }

  startEncoding(): void {
    this.isDecoding = false;
    this.#at = 0;
    this.#filled = 0;
  }

  /** Copies the bytes from `at` on. */
  startDecoding(bytes: Uint8Array, at = 0): void {
    const end = bytes.length;
    const length = end - at;
    const last = length >> 2;
    if (last + 2 > this.#words.length) this.#words = new Int32Array(2 * last + 2);
    const words = this.#words;
    for (let word = 0; word < last; word++, at += 4)
      words[word] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    let rest = 0;
    for (let shift = 24; at < end; at++, shift -= 8) rest |= bytes[at]! << shift;
    words[last] = rest;
    words[last + 1] = 0;
    this.#lastWord = last;
    this.#length = length * 8;
    this.isDecoding = true;
    this.#position = 0;
  }

  /**
   * Ends encoding and fills the last byte with zero bits. Returns a view that is valid until the next start.
   */
  finish(): Uint8Array {
    const length = this.#at + ((this.#filled + 7) >> 3);
    this.#putWord(this.#word << (WORD_BITS - this.#filled));
    return this.#views.of(length);
  }

  /** True if a decoder has read every byte, and the rest of the last one is zeros. */
  get isComplete(): boolean {
    const left = this.#length - this.#position;
    return left >= 0 && left < 8 && this.#peek() === 0;
  }

  /** True if a decoder has read past the end. */
  get isExhausted(): boolean {
    return this.#position > this.#length;
  }

  /** Codes a number of `count` bits, 0 to 16. */
  bits(value: number, count: number): number {
    if (!this.isDecoding) {
      this.#put(value, count);
      return value;
    }
    const bits = (this.#peek() >>> 1) >>> (31 - count);
    this.#position += count;
    return bits;
  }

  /** Codes a boolean as one bit. */
  flag(value: boolean): boolean {
    return this.bits(value ? 1 : 0, 1) === 1;
  }

  /** Codes a mask by the prefix codes of a mask table. Other tables would decode to a size, not a symbol. */
  symbol(table: number, symbol: number): number {
    if (!this.isDecoding) {
      const code = this.codeOf(table, symbol);
      this.#put(code >> 8, code & 15);
      return symbol;
    }
    const slot = this.#slots[(table << LONGEST) + (this.#peek() >>> (WORD_BITS - LONGEST))]!;
    this.#position += slot & 15;
    return slot >> 8;
  }

  /** Appends the bits of another encoder. */
  append(other: BitCoder): void {
    const bytes = other.#bytes;
    for (let at = 0; at < other.#at; at += 2) this.#put((bytes[at]! << 8) | bytes[at + 1]!, 16);
    const unused = WORD_BITS - other.#filled;
    if (unused < WORD_BITS) this.#put((other.#word << unused) >>> unused, other.#filled);
  }

  /**
   * Encodes a signed number: the token of its size from a table, the place within the token's sizes, and the
   * sign unless the number is 0. `how`: from bit 8 the table, in bits 2 to 7 how many of the lowest bits of
   * the size the token leaves out.
   */
  putResidual(how: number, residual: number): void {
    const shift = (how >> 2) & 63;
    // Without branches on the sign, which is unpredictable.
    const size = (residual ^ (residual >> 31)) - (residual >> 31);
    const short = size >> shift;
    const code = this.codeOf(how >> 8, short < LARGE ? TOKEN_OF[short]! : ESCAPE);
    const count = (code >> 4) & 15;
    if (shift === 0 && short < LARGE) {
      const rest = ((size & ((1 << (count - 1)) - 1)) << 1) | (residual >>> 31);
      this.#put(((code >> 8) << count) | rest, (code & 15) + count);
      return;
    }
    this.#put(code >> 8, code & 15);
    if (short >= LARGE) this.#large(residual, size);
    else {
      // With a shift, even token 0 has a sign, because the lower bits may not be zero.
      const below = (count > 0 ? count - 1 : 0) + shift;
      this.#put(((size & ((1 << below) - 1)) << 1) | (residual >>> 31), below + 1);
    }
  }

  /** Decodes the number that {@link putResidual} encodes. */
  takeResidual(how: number): number {
    const word = this.#peek();
    const slot = this.#slots[((how >> 8) << LONGEST) + (word >>> (WORD_BITS - LONGEST))]!;
    const least = slot >> 8;
    const length = slot & 15;
    const shift = (how >> 2) & 63;
    let count = (slot >> 4) & 15;
    this.#position += length;
    if (least === LARGE) return this.#large(0, 0);
    if (shift > 0) count = (least === 0 ? 1 : count) + shift;
    // `word` has 32 bits: the code takes up to 9, the rest without a shift up to 11.
    const rest = ((shift === 0 ? word << length : this.#peek()) >>> 1) >>> (WORD_BITS - 1 - count);
    this.#position += count;
    const sign = -(rest & 1);
    return (((least << shift) + (rest >>> 1)) ^ sign) - sign;
  }

  protected codeOf(table: number, symbol: number): number {
    return this.#codes[table * TOKENS + symbol]!;
  }

  /**
   * Codes a size of {@link LARGE} or more: the bit length of the excess, then the excess without its highest
   * bit.
   */
  #large(residual: number, size: number): number {
    const over = size - LARGE;
    const length = this.bits(32 - Math.clz32(over), 5);
    const top = length < 2 ? length : 1 << (length - 1);
    const coded = LARGE + top + (length < 2 ? 0 : codeWide(this, over & (top - 1), length - 1));
    return this.bits(residual < 0 ? 1 : 0, 1) === 1 ? -coded : coded;
  }

  /** Appends up to 31 bits. */
  #put(value: number, count: number): void {
    const filled = this.#filled + count;
    if (filled < WORD_BITS) {
      this.#word = (this.#word << count) | value;
      this.#filled = filled;
      return;
    }
    const left = filled - WORD_BITS;
    this.#putWord((this.#word << (count - left)) | (value >>> left));
    this.#word = value;
    this.#filled = left;
  }

  #putWord(word: number): void {
    const at = this.#at;
    if (at + 4 > this.#bytes.length) this.#grow();
    const bytes = this.#bytes;
    bytes[at] = word >>> 24;
    bytes[at + 1] = word >>> 16;
    bytes[at + 2] = word >>> 8;
    bytes[at + 3] = word;
    this.#at = at + 4;
  }

  #grow(): void {
    const { length } = this.#bytes;
    if (length >= this.#capacityBytes) return;
    const larger = new Uint8Array(Math.min(this.#capacityBytes, 2 * length));
    larger.set(this.#bytes);
    this.#views.replace(larger);
    this.#bytes = larger;
  }

  /** Returns the next 32 bits. Bits past the end are zeros. */
  #peek(): number {
    const at = this.#position >>> 5;
    if (at > this.#lastWord) return 0;
    const words = this.#words;
    const shift = this.#position & 31;
    return (words[at]! << shift) | ((words[at + 1]! >>> 1) >>> (31 - shift));
  }
}

/** Cache of views of the first bytes of a buffer. Packets come every tick, and creating a view allocates. */
export class Views {
  buffer: Uint8Array;
  #byLength: (Uint8Array | undefined)[] = [];

  constructor(buffer: Uint8Array) {
    this.buffer = buffer;
  }

  replace(buffer: Uint8Array): void {
    this.buffer = buffer;
    this.#byLength = [];
  }

  of(length: number): Uint8Array {
    return (this.#byLength[length] ??= this.buffer.subarray(0, length));
  }
}
