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
