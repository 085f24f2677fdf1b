const MAX_BUILD_CHARACTERS = 64;

/** Returns true if a value can name a build: 1 to 64 letters, digits, and `. + - _`. */
export function isBuild(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_BUILD_CHARACTERS && /^[\w.+-]+$/.test(value);
}
