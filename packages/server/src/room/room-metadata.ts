import { ConfigError, encodeUtf8, plainDataProblem } from "@paceline/protocol";

const MAX_BYTES = 4096;

/**
 * Returns a copy of the metadata for lists of rooms. Throws {@link ConfigError} if it is not plain data
 * without bytes, or longer than 4096 bytes as JSON.
 */
export function checkedMetadata(metadata: unknown): Record<string, unknown> {
  const problem = plainDataProblem(metadata, "metadata") ?? bytesProblem(metadata, "metadata");
  if (problem) throw problem;
  const text = JSON.stringify(metadata) ?? "";
  const bytes = encodeUtf8(text).length;
  if (bytes <= MAX_BYTES && text.startsWith("{")) return JSON.parse(text) as Record<string, unknown>;
  throw new ConfigError("metadata", `${bytes} bytes`, `an object of at most ${MAX_BYTES} bytes as JSON`);
}

/** Lists of rooms are JSON, which would turn bytes into an object of numbers. */
function bytesProblem(value: unknown, path: string): ConfigError | undefined {
  if (value instanceof Uint8Array) return new ConfigError(path, value, "JSON, which has no bytes");
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const problem = bytesProblem(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (problem) return problem;
  }
  return undefined;
}
