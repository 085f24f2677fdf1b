import { limits } from "../limits.js";
import { isKey, itemAt } from "./msgpack-item.js";

/** A container during the check. */
interface Level {
  left: number;
  readonly isMap: boolean;
}

/**
 * Returns true if {@link readMsgpack} reads the bytes, without making the value. It runs before a decoder that
 * allocates memory for the lengths that it reads (five bytes may claim 30 million items), and that may continue
 * at a wrong offset after broken UTF-8.
 * @param onItems called with the items of each container before they are read
 */
export function isWellFormed(bytes: Uint8Array, onItems?: (items: number) => void): boolean {
  const levels: Level[] = [{ left: 1, isMap: false }];
  let [at, items] = [0, 0];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if (level.left === 0) {
      levels.pop();
      continue;
    }
    const item = itemAt(bytes, at);
    const mustBeKey = level.isMap && level.left % 2 === 0;
    if (!item || (mustBeKey && !isKey(item.value))) return false;
    level.left -= 1;
    at += item.bytes;
    if (item.items === 0) continue;
    items += item.items;
    levels.push({ left: item.items, isMap: item.holds === "map" });
    if (items > limits.valueItems || levels.length > limits.nestingDepth + 1) return false;
    onItems?.(item.items);
  }
  return at === bytes.length;
}
