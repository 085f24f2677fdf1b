import { limits } from "../errors/codes.js";
import { decodeUtf8 } from "./utf8.js";

/** A container during the check. A map of n entries counts 2n values: keys and values alternate. */
interface Level {
  left: number;
  readonly isMap: boolean;
}

/**
 * Returns true if the bytes are exactly one msgpack value that `encodeValue` can write: no extensions, finite
 * numbers, UTF-8 text, text keys, items and nesting up to the limits, and lengths that fit the bytes. It runs
 * before the decoder. A decoder allocates memory for the lengths that it reads (five bytes may claim 30 million
 * items), and may continue at a wrong offset after broken UTF-8.
 * @param onItems called with the items of each container before they are read
 */
export function isWellFormed(bytes: Uint8Array, onItems?: (items: number) => void): boolean {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const levels: Level[] = [{ left: 1, isMap: false }];
  let [at, items] = [0, 0];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if (level.left === 0) {
      levels.pop();
      continue;
    }
    const isKey = level.isMap && level.left % 2 === 0;
    level.left -= 1;
    const head = at < bytes.length ? headAt(data, at) : undefined;
    if (head === undefined || !isGood(head, bytes.subarray(at, at + head.bytes), isKey)) return false;
    // If `at` passes the end, the next item has no head, or the final comparison fails.
    at += head.bytes;
    if (head.items === 0) continue;
    items += head.items;
    levels.push({ left: head.items, isMap: head.holds === "map" });
    if (items > limits.valueItems || levels.length > limits.nestingDepth + 1) return false;
    onItems?.(head.items);
  }
  return at === bytes.length;
}

interface Head {
  readonly holds: "text" | "float" | "map" | "other";
  /** Bytes of the value itself, without the items of a container. */
  readonly bytes: number;
  /** Values inside a container. */
  readonly items: number;
  /** Bytes before a text: its format byte and its length. */
  readonly prefix?: number;
}

function isGood({ holds, prefix }: Head, encoded: Uint8Array, isKey: boolean): boolean {
  if (holds === "float") return isFiniteFloat(encoded);
  if (holds !== "text") return !isKey;
  const text = decodeUtf8(encoded.subarray(prefix));
  // The key `__proto__` would replace the object's prototype instead of naming a property.
  return text !== undefined && !(isKey && text === "__proto__");
}

/** In Infinity and NaN all bits of the exponent are ones. */
function isFiniteFloat(encoded: Uint8Array): boolean {
  const exponent = (((encoded[1] ?? 0) & 0x7f) << 8) | (encoded[2] ?? 0);
  const allOnes = encoded.length === 5 ? 0x7f80 : 0x7ff0;
  return (exponent & allOnes) !== allOnes;
}

/** Reads the format byte at `at` (msgpack specification, "Formats"). Undefined: an extension, or cut off. */
function headAt(data: DataView, at: number): Head | undefined {
  const format = data.getUint8(at);
  if (format <= 0x7f || format >= 0xe0) return { holds: "other", bytes: 1, items: 0 };
  if (format <= 0x8f) return { holds: "map", bytes: 1, items: (format & 0x0f) * 2 };
  if (format <= 0x9f) return { holds: "other", bytes: 1, items: format & 0x0f };
  if (format <= 0xbf) return { holds: "text", bytes: 1 + (format & 0x1f), items: 0, prefix: 1 };
  const bytes = fixedBytes.get(format);
  if (bytes === undefined) return sizedHead(data, at, format);
  const isFloat = format === 0xca || format === 0xcb;
  return { holds: isFloat ? "float" : "other", bytes, items: 0 };
}

/** Formats of a fixed size, in bytes: nil, booleans, floats and integers. */
const fixedBytes: ReadonlyMap<number, number> = new Map([
  ...[0xc0, 0xc2, 0xc3].map((format) => [format, 1] as const),
  ...[0xcc, 0xd0].map((format) => [format, 2] as const),
  ...[0xcd, 0xd1].map((format) => [format, 3] as const),
  ...[0xca, 0xce, 0xd2].map((format) => [format, 5] as const),
  ...[0xcb, 0xcf, 0xd3].map((format) => [format, 9] as const),
]);

/** Formats followed by a length: the width of the length in bytes, and what the length counts. */
const sized: Readonly<
  Record<number, readonly [width: 1 | 2 | 4, counts: "text" | "bytes" | "items" | "pairs"]>
> = {
  0xc4: [1, "bytes"],
  0xc5: [2, "bytes"],
  0xc6: [4, "bytes"],
  0xd9: [1, "text"],
  0xda: [2, "text"],
  0xdb: [4, "text"],
  0xdc: [2, "items"],
  0xdd: [4, "items"],
  0xde: [2, "pairs"],
  0xdf: [4, "pairs"],
};

function sizedHead(data: DataView, at: number, format: number): Head | undefined {
  const entry = sized[format];
  if (entry === undefined) return undefined;
  const [width, counts] = entry;
  const prefix = 1 + width;
  if (at + prefix > data.byteLength) return undefined;
  const length =
    width === 1 ? data.getUint8(at + 1) : width === 2 ? data.getUint16(at + 1) : data.getUint32(at + 1);
  switch (counts) {
    case "text":
      return { holds: "text", bytes: prefix + length, items: 0, prefix };
    case "bytes":
      return { holds: "other", bytes: prefix + length, items: 0 };
    case "items":
      return { holds: "other", bytes: prefix, items: length };
    case "pairs":
      return { holds: "map", bytes: prefix, items: length * 2 };
  }
}
