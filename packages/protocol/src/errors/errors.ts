import type { ErrorCode } from "./error-codes.js";

/**
 * A mistake of the caller, thrown before anything is sent or changed. The message names field, value and
 * expected value.
 */
export class ConfigError extends Error {
  /** The option, argument or entity field as the caller wrote it: `threshold.position`. */
  readonly field: string;
  readonly value: unknown;
  /** The expected value with range and unit: `a number from -1 to 1`. */
  readonly expected: string;

  constructor(field: string, value: unknown, expected: string) {
    super(`${field}: expected ${expected}, got ${printed(value)}`);
    this.name = "ConfigError";
    this.field = field;
    this.value = value;
    this.expected = expected;
  }
}

/**
 * Throws {@link ConfigError} unless `fn` is a function. Without the check, untyped code would fail only at
 * the first call.
 */
export function assertFunction(field: string, fn: unknown): void {
  if (typeof fn !== "function") throw new ConfigError(field, fn, "a function");
}

/**
 * Throws a ConfigError that lists the known keys if `given` is not an object or has another key.
 *
 * @param at name of the object; if empty, keys are named alone
 */
export function checkKeys(at: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ConfigError(at || "options", given, `an object of ${known.join(", ")}`);
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new ConfigError(
    at === "" ? unknown : `${at}.${unknown}`,
    (given as Record<string, unknown>)[unknown],
    `no such option; known are ${known.join(", ")}`,
  );
}

/**
 * A failure that the caller could not prevent: a refusal, a time-out, a full queue. Delivered by rejection or
 * event.
 */
export class NetError extends Error {
  /** Stable code; docs/ERRORS.md explains each. */
  readonly code: ErrorCode;
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  /** Numbers of the peers that caused the failure; empty if no peer did. */
  readonly peers: readonly number[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable?: boolean; cause?: unknown; peers?: readonly number[] } = {},
  ) {
    super(`${message} [${code}]`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "NetError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.peers = options.peers ?? [];
  }
}

function printed(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? `a${kindOf(value)}` : String(value);
}

/** Returns the name of an object's class, after the rest of its article. */
function kindOf(value: object): string {
  if (Array.isArray(value)) return "n array";
  const { constructor } = value;
  const name = typeof constructor === "function" && constructor !== Object ? constructor.name : "";
  if (name === "") return "n object";
  return /^[AEIO]/.test(name) ? `n ${name}` : ` ${name}`;
}
