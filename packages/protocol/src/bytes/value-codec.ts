import { readMsgpack } from "./msgpack-reader.js";
import { writeMsgpack } from "./msgpack-writer.js";
import { plainDataProblem } from "./plain-data.js";

/**
 * Writes and reads plain data as msgpack (WF18): null, booleans, finite numbers, text, bytes, arrays and plain
 * objects. Two codecs write the same bytes and read the same values.
 */
export interface ValueCodec {
  /** Encodes plain data, which the caller has checked. Returns bytes that the next call may overwrite. */
  readonly write: (value: unknown) => Uint8Array;
  /** Decodes untrusted bytes, as {@link decodeValue} does. */
  readonly read: typeof decodeValue;
}

/** The codec until {@link useValueCodec}: a tenth of msgpackr's code, so that a first state is there sooner. */
export const smallCodec: ValueCodec = { write: writeMsgpack, read: readMsgpack };
let codec = smallCodec;

/** Encodes and decodes all later values with this codec. */
export function useValueCodec(next: ValueCodec): void {
  codec = next;
}

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
  return codec.write(items);
}

/** Returns bytes that the next call overwrites: the codec reuses its buffer. */
function packedOf(value: unknown, name: string): Uint8Array {
  const problem = plainDataProblem(value, name);
  if (problem) throw problem;
  return codec.write(value);
}

/**
 * Decodes untrusted bytes. Returns undefined if they are not exactly one well-formed plain value. Never
 * throws. Bytes in the value are views of the given ones.
 * @param onItems called with numbers of items as they are read, so that their sender can be charged for them
 */
export function decodeValue(
  bytes: Uint8Array,
  onItems?: (items: number) => void,
): { readonly value: unknown } | undefined {
  return codec.read(bytes, onItems);
}
