/** True for an object that is not an array. A file of its own, because a page needs it before all other readers. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
