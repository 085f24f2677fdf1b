/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A hash of a game's state, for comparison between peers. Add everything that the simulation reads, in a
 * fixed order.
 */
export class StateHash {
  readonly #float = new Float64Array(1);
  readonly #bytes = new Uint8Array(this.#float.buffer);
  #hash = OFFSET_BASIS;

  /** Adds all 64 bits of a number; 0 and -0 count as equal, and so do all NaN. */
  number(value: number): this {
    this.#float[0] = value === 0 ? 0 : Number.isNaN(value) ? NaN : value;
    return this.bytes(this.#bytes);
  }

  numbers(values: ArrayLike<number>): this {
    for (let index = 0; index < values.length; index++) this.number(values[index]!);
    return this;
  }

  text(value: string): this {
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index);
      this.#byte(unit & 0xff);
      this.#byte(unit >> 8);
    }
    return this;
  }

  bytes(bytes: Uint8Array): this {
    for (let index = 0; index < bytes.length; index++) this.#byte(bytes[index]!);
    return this;
  }

  /** Returns the hash, 32 bits. More values may follow. */
  digest(): number {
    return this.#hash >>> 0;
  }

  #byte(byte: number): void {
    this.#hash = Math.imul(this.#hash ^ byte, PRIME);
  }
}
