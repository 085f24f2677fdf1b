import { ConfigError, checkKeys } from "./errors.js";

/** A range of whole numbers and their unit. */
interface WholeRange {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

/** One limit: its default and its range. */
export interface LimitRow extends WholeRange {
  readonly default: number;
}

/** Throws {@link ConfigError} unless `value` is a whole number of the range. */
export function assertWhole(field: string, value: unknown, range: WholeRange): asserts value is number {
  const isWhole = typeof value === "number" && Number.isInteger(value);
  if (isWhole && value >= range.min && value <= range.max) return;
  throw new ConfigError(field, value, `a whole number from ${range.min} to ${range.max} (${range.unit})`);
}

/** Throws {@link ConfigError} unless `value` is a number of the range. */
export function assertRange(
  field: string,
  value: unknown,
  [least, most, unit]: readonly [least: number, most: number, unit: string],
): void {
  if (typeof value === "number" && value >= least && value <= most) return;
  throw new ConfigError(field, value, `${least} to ${most} ${unit}`);
}

/** Throws {@link ConfigError} unless `value` is an object that is no array. */
export function assertObject(field: string, value: unknown): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new ConfigError(field, value, "an object");
}

/** Fills in the defaults of a table of limits. Throws {@link ConfigError} naming field, value, range and unit. */
export function checkedLimits<Name extends string>(
  field: string,
  table: Readonly<Record<Name, LimitRow>>,
  given: Readonly<Partial<Record<Name, number>>>,
): Readonly<Record<Name, number>> {
  const rows = Object.entries(table) as [Name, LimitRow][];
  checkKeys(field, given, Object.keys(table));
  const limits = rows.map(([name, row]) => {
    const value = given[name] ?? row.default;
    assertWhole(`${field}.${name}`, value, row);
    return [name, value];
  });
  return Object.freeze(Object.fromEntries(limits) as Record<Name, number>);
}
