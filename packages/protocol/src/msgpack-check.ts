import { limits } from "./codes.js";

/**
 * Whether the bytes are exactly one msgpack value without extensions, whose lengths fit into what is there. Checked
 * before decoding, since a decoder reserves memory for the lengths it reads: five bytes may claim 30 million items.
 */
export function isWellFormed(bytes: Uint8Array): boolean {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Values still expected at each level of nesting; a map of n entries expects 2n. */
  const expected = [1];
  let at = 0;
  while (expected.length > 0) {
    const level = expected.length - 1;
    if (expected[level] === 0) {
      expected.pop();
      continue;
    }
    expected[level]! -= 1;
    if (at >= bytes.length) return false;
    const head = headAt(data, at);
    if (head === undefined) return false;
    at += head.bytes;
    // Each item takes a byte at least.
    if (head.items > bytes.length - at) return false;
    if (head.items > 0) expected.push(head.items);
    if (expected.length > limits.nestingDepth + 2 || at > bytes.length) return false;
  }
  return at === bytes.length;
}

interface Head {
  /** Bytes of the value itself, without items of a container. */
  readonly bytes: number;
  /** Values inside a container. */
  readonly items: number;
}

/** What the byte at `at` begins (msgpack specification, formats); undefined: an extension, or cut off. */
function headAt(data: DataView, at: number): Head | undefined {
  const format = data.getUint8(at);
  if (format <= 0x7f || format >= 0xe0) return { bytes: 1, items: 0 };
  if (format <= 0x8f) return { bytes: 1, items: (format & 0x0f) * 2 };
  if (format <= 0x9f) return { bytes: 1, items: format & 0x0f };
  if (format <= 0xbf) return { bytes: 1 + (format & 0x1f), items: 0 };
  const fixed = fixedBytes[format];
  if (fixed !== undefined) return { bytes: fixed, items: 0 };
  return sizedHead(data, at, format);
}

/** Formats of a fixed size: nil, booleans, floats and integers. */
const fixedBytes: Readonly<Record<number, number>> = {
  0xc0: 1, 0xc2: 1, 0xc3: 1, 0xca: 5, 0xcb: 9,
  0xcc: 2, 0xcd: 3, 0xce: 5, 0xcf: 9, 0xd0: 2, 0xd1: 3, 0xd2: 5, 0xd3: 9,
}; // prettier-ignore

/** Formats whose length follows: width of the length in bytes, and what it counts. */
const sized: Readonly<Record<number, readonly [width: 1 | 2 | 4, counts: "bytes" | "items" | "pairs"]>> = {
  0xc4: [1, "bytes"],
  0xc5: [2, "bytes"],
  0xc6: [4, "bytes"],
  0xd9: [1, "bytes"],
  0xda: [2, "bytes"],
  0xdb: [4, "bytes"],
  0xdc: [2, "items"],
  0xdd: [4, "items"],
  0xde: [2, "pairs"],
  0xdf: [4, "pairs"],
};

function sizedHead(data: DataView, at: number, format: number): Head | undefined {
  const entry = sized[format];
  if (entry === undefined) return undefined;
  const [width, counts] = entry;
  if (at + 1 + width > data.byteLength) return undefined;
  const length =
    width === 1 ? data.getUint8(at + 1) : width === 2 ? data.getUint16(at + 1) : data.getUint32(at + 1);
  if (counts === "bytes") return { bytes: 1 + width + length, items: 0 };
  return { bytes: 1 + width, items: counts === "items" ? length : length * 2 };
}
