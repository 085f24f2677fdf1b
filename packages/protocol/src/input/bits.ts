/** Writes numbers of any number of bits, the lowest first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #count = 0;

  write(value: number, bits: number): void {
    for (let bit = 0; bit < bits; bit++) {
      this.#held |= ((value >>> bit) & 1) << this.#count;
      this.#count += 1;
      if (this.#count === 8) this.#flush();
    }
  }

  /** All bytes, the last one filled up with zeros. */
  take(): Uint8Array {
    if (this.#count > 0) this.#flush();
    return Uint8Array.from(this.#bytes.splice(0));
  }

  #flush(): void {
    this.#bytes.push(this.#held);
    this.#held = 0;
    this.#count = 0;
  }
}

/** Reads what {@link BitWriter} wrote; beyond the end come zeros, and `ok` is false. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get ok(): boolean {
    return this.#at <= this.#bytes.length * 8;
  }

  /** Whether all was read, but for zeros that fill up the last byte. */
  get isComplete(): boolean {
    if (!this.ok || this.#bytes.length * 8 - this.#at >= 8) return false;
    const rest = this.#at % 8;
    return rest === 0 || (this.#bytes[this.#bytes.length - 1] ?? 0) >>> rest === 0;
  }

  read(bits: number): number {
    let value = 0;
    for (let read = 0; read < bits;) {
      const rest = this.#at & 7;
      const taken = Math.min(8 - rest, bits - read);
      const byte = this.#bytes[this.#at >>> 3] ?? 0;
      value |= ((byte >>> rest) & ((1 << taken) - 1)) << read;
      read += taken;
      this.#at += taken;
    }
    return value >>> 0;
  }
}
