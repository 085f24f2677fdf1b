import { Views } from "../plan/views.js";
import { codeWide } from "../coding/varuint.js";
import { ESCAPE, LONGEST, TOKENS, type PrefixTables } from "./prefix-tables.js";

/** The smallest size that no token holds. */
const LARGE = 4096;
const NOTHING = new Uint8Array(0);

/**
 * Bits over a reused buffer, the highest of each byte first. The same calls encode and decode: encoding takes the value
 * and returns it, decoding ignores the value and returns what was encoded. A decoder that reads past the end gets zeros.
 */
export class BitCoder {
  readonly #own: Uint8Array;
  readonly #views: Views;
  readonly #tables: PrefixTables;
  #bytes: Uint8Array;
  /** Bytes written. */
  #at = 0;
  /** An encoder's bits that are not in the buffer yet: the lowest `filled` ones. */
  #word = 0;
  #filled = 0;
  /** Bits read. */
  #position = 0;
  #isDecoding = false;

  constructor(capacityBytes: number, tables: PrefixTables) {
    this.#own = new Uint8Array(capacityBytes);
    this.#views = new Views(this.#own);
    this.#bytes = this.#own;
    this.#tables = tables;
  }

  get isDecoding(): boolean {
    return this.#isDecoding;
  }

  startEncoding(): void {
    this.#bytes = this.#own;
    this.#isDecoding = false;
    this.#at = 0;
    this.#filled = 0;
  }

  startDecoding(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#isDecoding = true;
    this.#position = 0;
  }

  /** Ends encoding; what is left of the last byte is zeros. A view, until the next start. */
  finish(): Uint8Array {
    this.#put(0, -this.#filled & 7);
    while (this.#filled > 0) this.#flush();
    return this.#views.of(this.#at);
  }

  /** After decoding: whether every byte was read, and what is left of the last one is zeros. */
  get isComplete(): boolean {
    const left = this.#bytes.length * 8 - this.#position;
    return left >= 0 && left < 8 && this.#peek() === 0;
  }

  /** More was read than there is. */
  get isExhausted(): boolean {
    return this.#position > this.#bytes.length * 8;
  }

  /** A number of `count` bits, 0 to 16. */
  bits(value: number, count: number): number {
    if (!this.#isDecoding) {
      this.#put(value, count);
      return value;
    }
    const bits = (this.#peek() >>> 1) >>> (31 - count);
    this.#position += count;
    return bits;
  }

  /** One of two: a bit. */
  flag(value: boolean): boolean {
    return this.bits(value ? 1 : 0, 1) === 1;
  }

  /** A symbol by one of the tables. */
  symbol(table: number, symbol: number): number {
    const { lengths, codes, slots } = this.#tables;
    if (!this.#isDecoding) {
      const at = table * TOKENS + symbol;
      this.#put(codes[at]!, lengths[at]!);
      return symbol;
    }
    const entry = slots[(table << LONGEST) + (this.#peek() >>> (32 - LONGEST))]!;
    this.#position += entry & 15;
    return entry >>> 4;
  }

  /**
   * A number with its sign: the token of its size, which a table codes, which of the token's sizes it is, and the sign
   * where it may have one. The lowest `shift` bits of a size are no part of the token.
   */
  residual(table: number, shift: number, residual: number): number {
    const size = residual < 0 ? -residual : residual;
    const isDecoding = this.#isDecoding;
    const token = this.symbol(table, isDecoding ? 0 : tokenOf(size >> shift));
    if (token === 0 && shift === 0) return 0;
    if (token === ESCAPE) return this.#large(residual, size);
    const extra = token < 4 ? 0 : (token - 2) >> 1;
    const start = (token < 4 ? token : (2 + (token & 1)) << extra) << shift;
    const count = extra + shift + 1;
    if (!isDecoding) {
      this.#put(((size - start) << 1) | (residual < 0 ? 1 : 0), count);
      return residual;
    }
    const rest = this.#peek() >>> (32 - count);
    this.#position += count;
    return (rest & 1) === 1 ? -(start + (rest >>> 1)) : start + (rest >>> 1);
  }

  /** Lets go of the bytes that were decoded. */
  release(): void {
    this.#bytes = NOTHING;
  }

  /** As many bits as its length says, without the highest. */
  #large(residual: number, size: number): number {
    const over = size - LARGE;
    const length = this.bits(32 - Math.clz32(over), 5);
    const rest = length < 2 ? 0 : codeWide(this, over & (2 ** (length - 1) - 1), length - 1);
    const coded = LARGE + (length < 2 ? length : 2 ** (length - 1) + rest);
    return this.bits(residual < 0 ? 1 : 0, 1) === 1 ? -coded : coded;
  }

  /** Up to 24 bits. */
  #put(value: number, count: number): void {
    this.#word = (this.#word << count) | value;
    this.#filled += count;
    while (this.#filled >= 8) this.#flush();
  }

  #flush(): void {
    this.#filled -= 8;
    this.#bytes[this.#at++] = this.#word >>> this.#filled;
  }

  /** The next 32 bits, at least 25 of which have not been read: those that are not there are zeros. */
  #peek(): number {
    const bytes = this.#bytes;
    const at = this.#position >>> 3;
    const word =
      at + 3 < bytes.length
        ? (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
        : ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8);
    return word << (this.#position & 7);
  }
}

/** Sizes below 4 are tokens; from there on each octave has two. */
function tokenOf(size: number): number {
  return size < LARGE ? halfOctave(size) : ESCAPE;
}

export function halfOctave(size: number): number {
  if (size < 4) return size;
  const top = 31 - Math.clz32(size);
  return 2 * top + ((size >> (top - 1)) & 1);
}
