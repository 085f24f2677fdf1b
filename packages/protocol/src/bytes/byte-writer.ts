import { encodeUtf8 } from "./utf8.js";

/**
 * Writes little-endian values into a buffer that grows. One writer is kept and reused (`reset`), so that writing
 * allocates nothing in steady state. `take` copies; `view` does not and is valid until the next write or reset.
 */
export class ByteWriter {
  #bytes: Uint8Array;
  #data: DataView;
  #length = 0;

  constructor(capacityBytes = 256) {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#data = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  reset(): this {
    this.#length = 0;
    return this;
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  u8(value: number): this {
    const at = this.#claim(1);
    this.#bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    const at = this.#claim(2);
    this.#data.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.#claim(4);
    this.#data.setUint32(at, value, true);
    return this;
  }

  f32(value: number): this {
    const at = this.#claim(4);
    this.#data.setFloat32(at, value, true);
    return this;
  }

  /** LEB128, 1 to 3 bytes; values from 0 to 2^21 - 1. The encoding is the shortest one. */
  varint(value: number): this {
    let rest = value;
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return this.u8(rest);
  }

  bytes(value: Uint8Array): this {
    const at = this.#claim(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** UTF-8 with its length in bytes before it. */
  text(value: string): this {
    const encoded = encodeUtf8(value);
    return this.varint(encoded.length).bytes(encoded);
  }

  #claim(count: number): number {
    const at = this.#length;
    this.#length = at + count;
    if (this.#length > this.#bytes.length) this.#grow();
    return at;
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#data = new DataView(larger.buffer);
  }
}
