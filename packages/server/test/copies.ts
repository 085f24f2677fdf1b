import { vi } from "vitest";

/**
 * Counts the copies of runs of bytes since the last {@link Copies.clear}. Does not count copies byte by byte.
 */
export class Copies {
  readonly #sources: Uint8Array[] = [];
  #isWatching = false;

  /** Notes the source of each call that copies many bytes at once, until the test restores its spies. */
  constructor() {
    const Plain = Uint8Array;
    const bytes = Object.getPrototypeOf(Plain.prototype) as Uint8Array;
    const { set, slice, copyWithin } = bytes;
    const note = (source: unknown): void => this.#note(source);
    vi.spyOn(bytes, "set").mockImplementation(function (this: Uint8Array, source, at) {
      note(source);
      set.call(this, source, at);
    });
    vi.spyOn(bytes, "slice").mockImplementation(function (this: Uint8Array, from, to) {
      const copy = slice.call(this, from, to);
      note(copy);
      return copy;
    });
    vi.spyOn(bytes, "copyWithin").mockImplementation(function (this: Uint8Array, to, from, end) {
      note(this);
      return copyWithin.call(this, to, from, end);
    });
    const construct = (target: typeof Uint8Array, args: unknown[], made: typeof Uint8Array): Uint8Array => {
      if (ArrayBuffer.isView(args[0]) || Array.isArray(args[0])) note(args[0]);
      return Reflect.construct(target, args, made) as Uint8Array;
    };
    vi.stubGlobal("Uint8Array", new Proxy(Plain, { construct: construct as never }));
  }

  clear(): void {
    this.#sources.length = 0;
    this.#isWatching = true;
  }

  /** Returns the number of copies that held these bytes. */
  of(body: Uint8Array): number {
    return this.quietly(() => {
      const wanted = Buffer.from(body);
      return this.#sources.filter((source) => Buffer.from(source).includes(wanted)).length;
    });
  }

  /** Runs `fn` without counting its copies, such as those of the network. */
  quietly<Value>(fn: () => Value): Value {
    const before = this.#isWatching;
    this.#isWatching = false;
    try {
      return fn();
    } finally {
      this.#isWatching = before;
    }
  }

  #note(source: unknown): void {
    if (!this.#isWatching || !(source instanceof Uint8Array)) return;
    this.quietly(() => this.#sources.push(Buffer.from(source)));
  }
}
