import { ConfigError } from "../errors/errors.js";
import { limits } from "../errors/codes.js";

/**
 * Returns the error that `encodeValue` throws for a value, or undefined. Never throws on data
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
