import { readFileSync } from "node:fs";

/** A mistake in the command line, the environment or the configuration file. The message is for the user. */
export class UsageError extends Error {}

/** Values of a configuration file by the name of their flag. */
type FileValues = ReadonlyMap<string, string>;

/** Content of a configuration file. */
export interface FileContent {
  readonly values: FileValues;
  readonly limits: Readonly<Record<string, unknown>>;
}

/** Content without a configuration file. */
export const NO_FILE: FileContent = { values: new Map(), limits: {} };

/**
 * Reads a configuration file: one JSON object. Its keys are the names of the flags without dashes, and
 * `limits`, an object of the relay's limits by name. Throws {@link UsageError} naming the file, the key, its
 * value and what is allowed.
 */
export function readConfigFile(path: string, flags: readonly string[]): FileContent {
  const content = parsed(path);
  const values = new Map<string, string>();
  let limits: Readonly<Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === "limits") limits = objectOf(path, key, value);
    else if (flags.includes(key)) values.set(key, textOf(path, key, value));
    else
      throw new UsageError(`${path}: there is no setting "${key}"${suggestion(key, [...flags, "limits"])}`);
  }
  return { values, limits };
}

function parsed(path: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(path, "the file", JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function objectOf(path: string, key: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`${path}: ${key}: expected an object, got ${JSON.stringify(value)}`);
}

/** Returns the value as the text of its flag. Lists and rooms become the notation of the flag. */
function textOf(path: string, key: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (key === "rooms") {
    const rooms = Object.entries(objectOf(path, key, value));
    return rooms.map(([name, size]) => `${name}:${String(size)}`).join(",");
  }
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "1" : "0";
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(",");
  const expected = "text, a number, true, false or a list of texts";
  throw new UsageError(`${path}: ${key}: expected ${expected}, got ${JSON.stringify(value)}`);
}

/**
 * Returns a hint for the message: the known name that differs in at most two letters, or else all known
 * names.
 */
function suggestion(key: string, known: readonly string[]): string {
  const near = known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= 2);
  return near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
}

/** Returns the Levenshtein distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [at, letter] of Array.from(a).entries()) {
    const next = [at + 1];
    for (const [index, other] of Array.from(b).entries()) {
      next.push(Math.min(row[index]! + (letter === other ? 0 : 1), row[index + 1]! + 1, next[index]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
