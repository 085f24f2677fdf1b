import { decodeUtf8 } from "./utf8.js";

const NO_BYTES = new Uint8Array(0);
/**
 * Reads little-endian values from bytes of the network. Never throws: a read past the end, an overlong varint
 * or broken UTF-8 returns zero (or nothing) and sets `ok` to false for good. Check `ok` before using the
 * values.
 */
export class ByteReader {
  #bytes: Uint8Array;
  #at = 0;
  /** False after the first failed read. */
  ok = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Begins to read other bytes. */
  restart(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#at = 0;
    this.ok = true;
  }

  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    const at = this.#claim(1);
    return at < 0 ? 0 : (this.#bytes[at] ?? 0);
  }

  u16(): number {
    const at = this.#claim(2);
    return at < 0 ? 0 : this.#bytes[at]! | (this.#bytes[at + 1]! << 8);
  }

  u32(): number {
    const at = this.#claim(4);
    const bytes = this.#bytes;
    if (at < 0) return 0;
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  }

  /**
   * Reads a LEB128 number of 1 to 3 bytes. Longer or non-minimal encodings fail, so that each value has one
   * encoding.
   */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) this.ok = false;
        return this.ok ? value : 0;
      }
    }
    this.ok = false;
    return 0;
  }

  /** Returns a view of the next `count` bytes, not a copy. */
  bytes(count: number): Uint8Array {
    const at = this.#claim(count);
    return at < 0 ? NO_BYTES : this.#bytes.subarray(at, at + count);
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  text(maxBytes: number): string {
    const length = this.varint();
    if (length > maxBytes) this.ok = false;
    const encoded = this.bytes(length);
    const decoded = this.ok ? decodeUtf8(encoded) : undefined;
    if (decoded === undefined) this.ok = false;
    return decoded ?? "";
  }

  #claim(count: number): number {
    if (!this.ok || count < 0 || this.#at + count > this.#bytes.length) {
      this.ok = false;
      return -1;
    }
    const at = this.#at;
    this.#at += count;
    return at;
  }
}
