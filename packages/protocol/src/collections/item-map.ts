import type { ByteReader } from "../bytes/byte-reader.js";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.js";
import { ConfigError } from "../errors/errors.js";
import { MAX_KEY_BYTES } from "../schema/entity-composites.js";
import {
  Collection,
  type CollectionHost,
  type ItemChange,
  type PutOperation,
  type ReadChanges,
} from "./collection.js";
import { isSameItem, isText } from "./item-codec.js";

/** A map of an entity as those see it who do not own it. */
export type ReadonlyItemMap<Value = unknown> = ReadonlyMap<string, Value>;

/** First byte of an operation: the length of its key, with this bit if the key is removed. 0: the map begins anew. */
const REMOVED = 0x80;
const WHOLE = 0;

interface Read {
  readonly key: string;
  /** Undefined: the key is removed. */
  readonly value: unknown;
}

/** A map of an entity, with texts as keys: see `map`. Only the owner of the entity may write it. */
export class ItemMap<Value = unknown> extends Collection implements ReadonlyItemMap<Value> {
  #entries = new Map<string, Value>();
  readonly #changed = new Set<string>();
  #isWholeDue = false;

  get size(): number {
    return this.#entries.size;
  }

  protected get count(): number {
    return this.#entries.size;
  }

  get isDirty(): boolean {
    return this.#isWholeDue || this.#changed.size > 0;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  values(): MapIterator<Value> {
    return this.#entries.values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#entries.entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.#entries.entries();
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.#entries) callback(value, key, this);
  }

  /**
   * Sets the value of a key of 1 to 64 bytes of UTF-8. Throws {@link ConfigError} for a value that the field cannot
   * hold, for another key, for one more than the limit, and if this side does not own the entity.
   */
  set(key: string, value: Value): this {
    if (!this.admits(value)) return this;
    if (!isText(key, MAX_KEY_BYTES) || key === "")
      throw new ConfigError(`${this.path} key`, key, `text of 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
    const checked = this.codec.checked(`${this.path}.${key}`, value) as Value;
    const previous = this.#entries.get(key);
    if (previous === undefined) this.assertCount(this.size + 1);
    else if (isSameItem(previous, checked)) return this;
    const growth = this.#costOf(key, checked) - this.#costOf(key, previous);
    this.assertGrowth(growth);
    this.#entries.set(key, checked);
    this.#changed.add(key);
    this.wrote(growth, [[key, checked, previous]]);
    return this;
  }

  /** Removes a key. Returns false if the map does not have it. */
  delete(key: string): boolean {
    const previous = this.#entries.get(key);
    if (!this.admits(key) || previous === undefined) return false;
    this.#entries.delete(key);
    this.#changed.add(key);
    this.wrote(-this.#costOf(key, previous), [[key, undefined, previous]]);
    return true;
  }

  /** Removes all keys. */
  clear(): void {
    if (!this.admits(undefined) || this.size === 0) return;
    const changes = Array.from(this.#entries, ([key, value]): ItemChange => [key, undefined, value]);
    this.#entries.clear();
    this.#changed.clear();
    this.#isWholeDue = true;
    this.wrote(-this.bytes, changes);
  }

  contents(): Iterable<[string, Value]> {
    return this.#entries;
  }

  fill(values: unknown): void {
    const isIterable = typeof values === "object" && values !== null && Symbol.iterator in values;
    if (!isIterable && (typeof values !== "object" || values === null))
      throw new ConfigError(this.path, values, "a Map, an object, or pairs of key and value");
    const entries = new Map(isIterable ? (values as Iterable<[string, Value]>) : Object.entries(values));
    for (const key of [...this.keys()]) if (!entries.has(key)) this.delete(key);
    for (const [key, value] of entries) this.set(key, value);
  }

  copy(host: CollectionHost): ItemMap<Value> {
    const copy = new ItemMap<Value>(this.site, host);
    copy.#entries = new Map(this.#entries);
    copy.grew(this.bytes);
    return copy;
  }

  read(reader: ByteReader): ReadChanges | undefined {
    const reads: Read[] = [];
    const keys = new Set<string>();
    let isWhole = false;
    while (reader.ok && reader.remaining > 0) {
      const first = reader.u8();
      if (first === WHOLE && keys.size === 0 && !isWhole) {
        isWhole = true;
        continue;
      }
      const length = first & ~REMOVED;
      const key =
        reader.ok && length > 0 && length <= MAX_KEY_BYTES ? decodeUtf8(reader.bytes(length)) : undefined;
      // Each key once: then the number of keys is known before anything changes.
      if (key === undefined || keys.has(key)) return undefined;
      keys.add(key);
      reads.push({ key, value: first & REMOVED ? undefined : this.codec.read(reader) });
    }
    if (!reader.ok || (keys.size === 0 && !isWhole)) return undefined;
    return this.#checked(reads, isWhole, keys);
  }

  #checked(reads: readonly Read[], isWhole: boolean, keys: ReadonlySet<string>): ReadChanges | undefined {
    let [size, growth] = isWhole ? [0, -this.bytes] : [this.size, 0];
    for (const { key, value } of reads) {
      const previous = isWhole ? undefined : this.#entries.get(key);
      growth += this.#costOf(key, value) - this.#costOf(key, previous);
      size += Number(value !== undefined) - Number(previous !== undefined);
    }
    if (size > this.max) return undefined;
    const make = (): ItemChange[] => {
      const changes: ItemChange[] = [];
      if (isWhole)
        for (const key of [...this.#entries.keys()]) if (!keys.has(key)) this.#take(key, undefined, changes);
      for (const { key, value } of reads) this.#take(key, value as Value | undefined, changes);
      this.grew(growth);
      return changes;
    };
    return { growth, count: reads.length + 1, make };
  }

  #take(key: string, value: Value | undefined, changes: ItemChange[]): void {
    const previous = this.#entries.get(key);
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, value);
    if (!isSameItem(previous, value)) changes.push([key, value, previous]);
  }

  writeAll(put: PutOperation): void {
    put((writer) => writer.u8(WHOLE));
    for (const key of this.#entries.keys()) this.#write(key, put);
  }

  protected writeChanged(put: PutOperation): void {
    if (this.#isWholeDue) return this.writeAll(put);
    for (const key of this.#changed) this.#write(key, put);
  }

  #write(key: string, put: PutOperation): void {
    const encoded = encodeUtf8(key);
    const value = this.#entries.get(key);
    put((writer) => {
      writer.u8(encoded.length | (value === undefined ? REMOVED : 0)).bytes(encoded);
      if (value !== undefined) this.codec.write(writer, value);
    });
  }

  protected forgetChanges(): void {
    this.#changed.clear();
    this.#isWholeDue = false;
  }

  /** Returns the bytes of an entry; 0 without a value. */
  #costOf(key: string, value: unknown): number {
    return value === undefined ? 0 : 1 + encodeUtf8(key).length + this.bytesOf(value);
  }
}
