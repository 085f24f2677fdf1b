import { Packr, Unpackr } from "msgpackr";
import { ConfigError } from "./errors.js";
import { limits } from "./codes.js";
import { isWellFormed } from "./msgpack-check.js";

/**
 * Values of rare messages (control, commands, requests) as msgpack: never per tick. Plain data only: null,
 * booleans, finite numbers, text, bytes, arrays and plain objects. Records and extensions are off, so that any
 * msgpack reader understands the bytes and no code is generated from them.
 */
const packer = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });
const unpacker = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "number" });

/**
 * Encodes plain data. Throws {@link ConfigError} naming the path (`message.cars[2].owner`) of anything else.
 * `undefined` is written as null.
 */
export function encodeValue(value: unknown, name = "message"): Uint8Array {
  assertPlain(value, name, 0);
  // The packer reuses its buffer: copy out.
  return new Uint8Array(packer.pack(value));
}

/** Decodes untrusted bytes; undefined where they are not exactly one well-formed plain value. Never throws. */
export function decodeValue(bytes: Uint8Array): { readonly value: unknown } | undefined {
  if (!isWellFormed(bytes)) return undefined;
  try {
    return { value: unpacker.unpack(bytes) as unknown };
  } catch {
    return undefined;
  }
}

function assertPlain(value: unknown, path: string, depth: number): void {
  if (depth > limits.nestingDepth)
    throw plainError(path, value, `at most ${limits.nestingDepth} levels of nesting`);
  switch (typeof value) {
    case "string":
      return assertUnicode(value, path);
    case "boolean":
    case "undefined":
      return;
    case "number":
      if (!Number.isFinite(value)) throw plainError(path, value, "a finite number");
      return;
    case "object":
      if (value === null || value instanceof Uint8Array) return;
      return assertPlainObject(value, path, depth);
    default:
      throw plainError(path, value, "plain data (null, boolean, number, text, bytes, array, object)");
  }
}

function assertPlainObject(value: object, path: string, depth: number): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => assertPlain(item, `${path}[${index}]`, depth + 1));
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw plainError(path, value, "plain data (not an instance of a class)");
  }
  for (const [key, item] of Object.entries(value)) {
    assertUnicode(key, path);
    if (key === "__proto__") throw plainError(path, key, "no property of that name");
    assertPlain(item, `${path}.${key}`, depth + 1);
  }
}

/** Half of a surrogate pair (text cut inside an emoji) has no UTF-8: receivers would drop the whole message. */
function assertUnicode(text: string, path: string): void {
  if (/\p{Surrogate}/u.test(text)) throw plainError(path, text, "text without halves of surrogate pairs");
}

function plainError(field: string, value: unknown, expected: string): ConfigError {
  return new ConfigError({ field, value: typeof value === "function" ? "a function" : value, expected });
}
