import { Packr, Unpackr } from "msgpackr";
import { ConfigError } from "../errors/errors.js";
import { limits } from "../errors/codes.js";
import { isWellFormed } from "./msgpack-check.js";

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
 * Encodes plain data. Throws {@link ConfigError} with the path (`message.cars[2].owner`) of any other value.
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
  const problem = plainDataProblem(items.at(-1), "message", 1);
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
 */
export function decodeValue(bytes: Uint8Array): { readonly value: unknown } | undefined {
  if (!isWellFormed(bytes)) return undefined;
  try {
    return { value: unpacker.unpack(bytes) as unknown };
  } catch {
    return undefined;
  }
}

/**
 * Returns the error that {@link encodeValue} would throw for a value, or undefined. Never throws on data
 * that came as JSON or msgpack. Use it to check foreign data before encoding it again.
 */
export function plainDataProblem(value: unknown, path: string, depth = 0): ConfigError | undefined {
  if (depth > limits.nestingDepth)
    return problemOf(path, value, `at most ${limits.nestingDepth} levels of nesting`);
  switch (typeof value) {
    case "string":
      return textProblem(value, path);
    case "boolean":
    case "undefined":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : problemOf(path, value, "a finite number");
    case "object":
      if (value === null || value instanceof Uint8Array) return undefined;
      return Array.isArray(value) ? arrayProblem(value, path, depth) : objectProblem(value, path, depth);
    default:
      return problemOf(path, value, "plain data (null, boolean, number, text, bytes, array, object)");
  }
}

function arrayProblem(items: readonly unknown[], path: string, depth: number): ConfigError | undefined {
  for (const [index, item] of items.entries()) {
    const problem = plainDataProblem(item, `${path}[${index}]`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function objectProblem(value: object, path: string, depth: number): ConfigError | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return problemOf(path, value, "plain data (not an instance of a class)");
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") return problemOf(path, key, "no property of that name");
    const problem = textProblem(key, path) ?? plainDataProblem(item, `${path}.${key}`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

/** An unpaired surrogate (text cut inside an emoji) has no UTF-8: receivers would drop the whole message. */
function textProblem(text: string, path: string): ConfigError | undefined {
  const hasHalf = /\p{Surrogate}/u.test(text);
  return hasHalf ? problemOf(path, text, "text without halves of surrogate pairs") : undefined;
}

function problemOf(field: string, value: unknown, expected: string): ConfigError {
  return new ConfigError(field, typeof value === "function" ? "a function" : value, expected);
}
