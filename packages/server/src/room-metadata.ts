import { ConfigError } from "@paceline/protocol";

const MOST_BYTES = 4096;

/** A copy of what lists are to show of a room. Throws {@link ConfigError} for what is no plain data, or too long. */
export function checkedMetadata(metadata: unknown): Record<string, unknown> {
  const text = JSON.stringify(metadata) ?? "";
  if (text.length <= MOST_BYTES && text.startsWith("{")) return JSON.parse(text) as Record<string, unknown>;
  const expected = `an object of at most ${MOST_BYTES} bytes as JSON`;
  throw new ConfigError({ field: "metadata", value: `${text.length} bytes`, expected });
}
