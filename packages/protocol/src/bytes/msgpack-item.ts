import { decodeUtf8 } from "./utf8.js";

/** A value that holds no others, or the head of an array or of a map. */
export interface Item {
  readonly holds: "value" | "array" | "map";
  /** Bytes of the item, without the items in a container. */
  readonly bytes: number;
  /** Items in a container. An entry of a map counts as two: its key and its value alternate. */
  readonly items: number;
  /** Undefined for a container. Bytes are a view of those that are read, not a copy. */
  readonly value?: null | boolean | number | string | Uint8Array;
}

/**
 * Reads the item at `at` (msgpack specification, "Formats"). Returns undefined for an extension, a number that
 * is not finite, text that is not UTF-8, and an item that is cut off. Allocates no memory for the items in a
 * container.
 */
export function itemAt(bytes: Uint8Array, at: number): Item | undefined {
  const format = bytes[at];
  if (format === undefined) return undefined;
  if (format <= 0x7f) return valueItem(1, format);
  if (format >= 0xe0) return valueItem(1, format - 0x100);
  if (format <= 0x8f) return { holds: "map", bytes: 1, items: (format & 0x0f) * 2 };
  if (format <= 0x9f) return { holds: "array", bytes: 1, items: format & 0x0f };
  if (format <= 0xbf) return textItem(bytes, at + 1, format & 0x1f, 1);
  return fixedItem(bytes, at, format) ?? sizedItem(bytes, at, format);
}

/** Returns true for a value that may be the key of a map. `__proto__` would replace the object's prototype. */
export function isKey(value: Item["value"]): value is string {
  return typeof value === "string" && value !== "__proto__";
}

function valueItem(bytes: number, value: Item["value"]): Item | undefined {
  return value === undefined ? undefined : { holds: "value", bytes, items: 0, value };
}

function fixedItem(bytes: Uint8Array, at: number, format: number): Item | undefined {
  const fixed = fixedFormats[format];
  if (!fixed) return undefined;
  const [size, read] = fixed;
  if (at + 1 + size > bytes.length) return undefined;
  const value = read(new DataView(bytes.buffer, bytes.byteOffset + at + 1, size));
  return typeof value === "number" && !Number.isFinite(value) ? undefined : valueItem(1 + size, value);
}

function sizedItem(bytes: Uint8Array, at: number, format: number): Item | undefined {
  const sized = sizedFormats[format];
  if (!sized) return undefined;
  const [width, counts] = sized;
  const head = 1 + width;
  const from = at + head;
  if (from > bytes.length) return undefined;
  let length = 0;
  for (const byte of bytes.subarray(at + 1, from)) length = length * 256 + byte;
  switch (counts) {
    case "text":
      return textItem(bytes, from, length, head);
    case "bytes":
      return from + length > bytes.length
        ? undefined
        : valueItem(head + length, bytes.subarray(from, from + length));
    case "items":
      return { holds: "array", bytes: head, items: length };
    case "pairs":
      return { holds: "map", bytes: head, items: length * 2 };
  }
}

/** @param head bytes of the format and the length, before the text */
function textItem(bytes: Uint8Array, from: number, length: number, head: number): Item | undefined {
  if (from + length > bytes.length) return undefined;
  return valueItem(head + length, decodeUtf8(bytes.subarray(from, from + length)));
}

/** Formats of a fixed size: bytes after the format, and the value in them. */
const fixedFormats: Readonly<
  Record<number, readonly [size: number, read: (data: DataView) => null | boolean | number]>
> = {
  0xc0: [0, () => null],
  0xc2: [0, () => false],
  0xc3: [0, () => true],
  0xca: [4, (data) => data.getFloat32(0)],
  0xcb: [8, (data) => data.getFloat64(0)],
  0xcc: [1, (data) => data.getUint8(0)],
  0xcd: [2, (data) => data.getUint16(0)],
  0xce: [4, (data) => data.getUint32(0)],
  0xcf: [8, (data) => data.getUint32(0) * 2 ** 32 + data.getUint32(4)],
  0xd0: [1, (data) => data.getInt8(0)],
  0xd1: [2, (data) => data.getInt16(0)],
  0xd2: [4, (data) => data.getInt32(0)],
  0xd3: [8, (data) => data.getInt32(0) * 2 ** 32 + data.getUint32(4)],
};

/** Formats with a length: bytes of the length, and what it counts. */
const sizedFormats: Readonly<
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
