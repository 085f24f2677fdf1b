import { ConfigError } from "../errors/errors.js";
import { limits } from "../limits.js";

/** Items in all arrays and objects of a value. A member of an object counts as two, its key and its value. */
interface Count {
  items: number;
}

/**
 * Returns the error that `encodeValue` throws for a value, or undefined. Never throws on data
 * that came as JSON or msgpack. Use it to check foreign data before encoding it again.
 * @param count the items of the arrays and objects around the value; those in it are added
 */
export function plainDataProblem(
  value: unknown,
  path: string,
  depth = 0,
  count: Count = { items: 0 },
): ConfigError | undefined {
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
      return Array.isArray(value)
        ? arrayProblem(value, path, depth, count)
        : objectProblem(value, path, depth, count);
    default:
      return problemOf(path, value, "plain data (null, boolean, number, text, bytes, array, object)");
  }
}

function arrayProblem(
  items: readonly unknown[],
  path: string,
  depth: number,
  count: Count,
): ConfigError | undefined {
  const tooMany = countProblem(path, items.length, count);
  if (tooMany) return tooMany;
  for (const [index, item] of items.entries()) {
    const problem = plainDataProblem(item, `${path}[${index}]`, depth + 1, count);
    if (problem) return problem;
  }
  return undefined;
}

function objectProblem(value: object, path: string, depth: number, count: Count): ConfigError | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return problemOf(path, value, "plain data (not an instance of a class)");
  }
  const entries = Object.entries(value);
  const tooMany = countProblem(path, 2 * entries.length, count);
  if (tooMany) return tooMany;
  for (const [key, item] of entries) {
    if (key === "__proto__") return problemOf(path, key, "no property of that name");
    const problem = textProblem(key, path) ?? plainDataProblem(item, `${path}.${key}`, depth + 1, count);
    if (problem) return problem;
  }
  return undefined;
}

function countProblem(path: string, items: number, count: Count): ConfigError | undefined {
  count.items += items;
  if (count.items <= limits.valueItems) return undefined;
  const expected = `at most ${limits.valueItems} items in arrays and objects (a member counts as two)`;
  return problemOf(path, count.items, expected);
}

/** An unpaired surrogate (text cut inside an emoji) has no UTF-8: receivers would drop the whole message. */
function textProblem(text: string, path: string): ConfigError | undefined {
  const hasHalf = /\p{Surrogate}/u.test(text);
  return hasHalf ? problemOf(path, text, "text without halves of surrogate pairs") : undefined;
}

function problemOf(field: string, value: unknown, expected: string): ConfigError {
  return new ConfigError(field, typeof value === "function" ? "a function" : value, expected);
}
