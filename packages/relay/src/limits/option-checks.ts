import { ConfigError } from "@paceline/protocol";

/** Throws {@link ConfigError} unless `value` is a whole number of the range. */
export function assertWhole(
  field: string,
  value: unknown,
  range: { readonly min: number; readonly max: number; readonly unit: string },
): asserts value is number {
  const isWhole = typeof value === "number" && Number.isInteger(value);
  if (isWhole && value >= range.min && value <= range.max) return;
  throw new ConfigError(field, value, `a whole number from ${range.min} to ${range.max} (${range.unit})`);
}

/** Throws {@link ConfigError} unless `value` is an object that is no array. */
export function assertObject(field: string, value: unknown): asserts value is Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new ConfigError(field, value, "an object");
}

/** Throws {@link ConfigError} naming the first unknown key, which is mostly a typing error. */
export function assertKeys(field: string, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    const name = field === "" ? key : `${field}.${key}`;
    throw new ConfigError(name, key, `one of ${known.join(", ")}`);
  }
}
