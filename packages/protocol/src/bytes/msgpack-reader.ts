import { limits } from "../limits.js";
import { isKey, itemAt, type Item } from "./msgpack-item.js";

/**
 * Decodes untrusted bytes. Returns undefined unless they are exactly one msgpack value that `encodeValue` can
 * write: no extensions, finite numbers, UTF-8 text, text keys, items and nesting up to the limits, and lengths
 * that fit the bytes. Never throws. Bytes in the value are views of `bytes`, not copies.
 * @param onItems called with the items of each container before they are read
 */
export function readMsgpack(
  bytes: Uint8Array,
  onItems?: (items: number) => void,
): { readonly value: unknown } | undefined {
  const reader = new MsgpackReader(bytes, onItems);
  const value = reader.next(0);
  return value !== undefined && reader.at === bytes.length ? { value } : undefined;
}

/** Each method returns undefined for what is malformed: msgpack has no undefined. */
class MsgpackReader {
  readonly #bytes: Uint8Array;
  readonly #onItems: ((items: number) => void) | undefined;
  at = 0;
  #items = 0;

  constructor(bytes: Uint8Array, onItems: ((items: number) => void) | undefined) {
    this.#bytes = bytes;
    this.#onItems = onItems;
  }

  /** @param depth arrays and maps around the value */
  next(depth: number): unknown {
    const item = this.#item();
    if (!item || item.holds === "value") return item?.value;
    if (item.items > 0 && !this.#enter(item.items, depth)) return undefined;
    return item.holds === "map" ? this.#map(item.items / 2, depth + 1) : this.#array(item.items, depth + 1);
  }

  #item(): Item | undefined {
    const item = itemAt(this.#bytes, this.at);
    this.at += item?.bytes ?? 0;
    return item;
  }

  #enter(items: number, depth: number): boolean {
    this.#items += items;
    if (this.#items > limits.valueItems || depth >= limits.nestingDepth) return false;
    this.#onItems?.(items);
    return true;
  }

  /** Grows the array with its items, because the length may be false. */
  #array(length: number, depth: number): unknown[] | undefined {
    const array: unknown[] = [];
    for (let index = 0; index < length; index++) {
      const value = this.next(depth);
      if (value === undefined) return undefined;
      array.push(value);
    }
    return array;
  }

  #map(length: number, depth: number): Record<string, unknown> | undefined {
    const map: Record<string, unknown> = {};
    for (let index = 0; index < length; index++) {
      const key = this.#item()?.value;
      if (!isKey(key)) return undefined;
      const value = this.next(depth);
      if (value === undefined) return undefined;
      map[key] = value;
    }
    return map;
  }
}
