import { encodeUtf8 } from "./utf8.js";

/** If fewer bytes than this are free after `release()`, the writer allocates a new buffer. */
const MIN_ROOM_BYTES = 1536;

/**
 * Writes little-endian values into a buffer that grows. Keep one writer and call `reset` before each use:
 * then writing allocates nothing in steady state. `take` copies the bytes. `view` does not copy: it is valid
 * until the next write or reset. `release` hands the bytes over to the caller and continues after them.
 */
export class ByteWriter {
  readonly #capacityBytes: number;
  #bytes!: Uint8Array;
  #data!: DataView;
  /** The last view: the next one often has the same place. */
  #view: Uint8Array | undefined;
  /** Range of the bytes written since the last reset or release. */
  #start = 0;
  #end = 0;

  constructor(capacityBytes = 256) {
    this.#capacityBytes = capacityBytes;
    this.#replace(capacityBytes);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  reset(): this {
    this.#end = this.#start;
    return this;
  }

  view(): Uint8Array {
    const view = this.#view;
    if (view?.byteOffset === this.#start && view.length === this.length) return view;
    // `subarray` takes twice as long, because it asks for the kind of array to make.
    return (this.#view = new Uint8Array(this.#data.buffer, this.#start, this.length));
  }

  take(): Uint8Array {
    return this.#bytes.slice(this.#start, this.#end);
  }

  /**
   * Returns the written bytes for the caller to keep: not a copy, but memory that the writer never writes to
   * again.
   */
  release(): Uint8Array {
    const bytes = this.view();
    this.#view = undefined;
    this.#start = this.#end;
    if (this.#bytes.length - this.#end < MIN_ROOM_BYTES) this.#replace(this.#capacityBytes);
    return bytes;
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

  /** Writes a number from 0 to 2^21 - 1 as LEB128 in 1 to 3 bytes, in the shortest encoding. */
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

  /** Writes the length in bytes, then the text as UTF-8. */
  text(value: string): this {
    const encoded = encodeUtf8(value);
    return this.varint(encoded.length).bytes(encoded);
  }

  #claim(count: number): number {
    if (this.#end + count > this.#bytes.length) this.#grow(count);
    const at = this.#end;
    this.#end = at + count;
    return at;
  }

  #grow(count: number): void {
    const written = this.view();
    this.#replace(Math.max(this.#capacityBytes, 2 * (written.length + count)));
    this.#bytes.set(written);
    this.#end = written.length;
  }

  #replace(capacityBytes: number): void {
    this.#bytes = new Uint8Array(capacityBytes);
    this.#data = new DataView(this.#bytes.buffer);
    this.#view = undefined;
    this.#start = 0;
    this.#end = 0;
  }
}
