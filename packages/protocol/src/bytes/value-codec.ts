import { Packr, Unpackr } from "msgpackr";
import { isWellFormed } from "./msgpack-check.js";
import { plainDataProblem } from "./plain-data.js";

/** A constant of its own, since msgpackr's types lack `skipValues`. */
const packing = {
  useRecords: false,
  variableMapSize: true,
  encodeUndefinedAsNil: true,
  skipValues: [undefined],
};

/**
 * Msgpack for rare messages (control, commands, requests), never per tick. It carries plain data only: null,
 * booleans, finite numbers, text, bytes, arrays and plain objects. Records and extensions are off, so that
 * any msgpack reader can read the bytes, and no code is generated from them.
 */
const packer = new Packr(packing);
const unpacker = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "number" });

/**
 * Encodes plain data. Throws `ConfigError` with the path (`message.cars[2].owner`) of any other value.
 * As JSON does, leaves out members that are undefined, and writes undefined items as null and -0 as 0.
 */
export function encodeValue(value: unknown, name = "message"): Uint8Array {
  return new Uint8Array(packedOf(value, name));
}

/** Encodes a value as {@link encodeValue} does, after one byte that names its kind. */
export function encodeAfter(kind: number, value: unknown): Uint8Array {
  return after(kind, packedOf(value, "message"));
}

/**
 * Encodes an array that ends with a game's message. Paths in errors begin with that message. The items before
 * it must be plain data.
 */
export function encodeItems(
  items: readonly [...head: (string | number | boolean)[], message: unknown],
): Uint8Array {
  return new Uint8Array(packedItems(items));
}

/** Encodes items as {@link encodeItems} does, after one byte that names their kind. */
export function encodeItemsAfter(kind: number, items: Parameters<typeof encodeItems>[0]): Uint8Array {
  return after(kind, packedItems(items));
}

function after(kind: number, packed: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + packed.length);
  bytes[0] = kind;
  bytes.set(packed, 1);
  return bytes;
}

/** Returns bytes that the next call overwrites, as {@link packedOf} does. */
function packedItems(items: readonly unknown[]): Uint8Array {
  const problem = plainDataProblem(items.at(-1), "message", 1, { items: items.length });
  if (problem) throw problem;
  return packer.pack(items);
}

/** Returns bytes that the next call overwrites: the packer reuses its buffer. */
function packedOf(value: unknown, name: string): Uint8Array {
  const problem = plainDataProblem(value, name);
  if (problem) throw problem;
  return packer.pack(value);
}

/**
 * Decodes untrusted bytes. Returns undefined if they are not exactly one well-formed plain value. Never
 * throws.
 * @param onItems called with numbers of items as they are read, so that their sender can be charged for them
 */
export function decodeValue(
  bytes: Uint8Array,
  onItems?: (items: number) => void,
): { readonly value: unknown } | undefined {
  if (!isWellFormed(bytes, onItems)) return undefined;
  try {
    return { value: unpacker.unpack(bytes) as unknown };
  } catch {
    return undefined;
  }
}
