import { ConfigError } from "@paceline/protocol";

/** Throws {@link ConfigError} for what is longer than allowed. */
export function assertBytes(field: string, bytes: number, max: number): void {
  if (bytes > max)
    throw new ConfigError({ field, value: `${bytes} bytes`, expected: `at most ${max} bytes` });
}
