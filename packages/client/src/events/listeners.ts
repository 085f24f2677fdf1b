import { assertFunction } from "@paceline/protocol";

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** The subscribers of one kind of news. One that throws or rejects disturbs neither the others nor the SDK. */
export class Listeners<Arguments extends unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => unknown>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Throws {@link ConfigError} for a listener that is no function. */
  add(listener: (...args: Arguments) => void): Unsubscribe {
    assertFunction("listener", listener);
    // Wrapped, so that the same function may subscribe twice and each subscription ends by itself.
    const entry = (...args: Arguments): unknown => listener(...args);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tell(...args: Arguments): void {
    for (const listener of Array.from(this.#listeners)) guarded(() => listener(...args));
  }
}

/** Runs code of the game. An error that it throws, or that its promise rejects with, is reported and goes no further. */
export function guarded(fn: () => unknown): void {
  try {
    const result = fn();
    if (isThenable(result)) result.then(undefined, reportGameError);
  } catch (error) {
    reportGameError(error);
  }
}

/** For each place that throws: when an error was reported last, and how many were held back since. The code bounds the places. */
const kinds = new Map<string, { atMs: number; more: number }>();

/**
 * Reports an error of the game's code as uncaught: one a second of each kind, with the number of those that were held
 * back. What a hostile participant sends may make a listener throw hundreds of times a second.
 */
export function reportGameError(error: unknown): void {
  const key = placeOf(error);
  const { atMs, more } = kinds.get(key) ?? { atMs: -Infinity, more: 0 };
  const nowMs = performance.now();
  const isHeld = nowMs - atMs < 1000;
  kinds.set(key, isHeld ? { atMs, more: more + 1 } : { atMs: nowMs, more: 0 });
  if (isHeld) return;
  report(error);
  if (more > 0) report(new Error(`${more} more like it`));
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function report(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
  // oxlint-disable-next-line no-console -- Node has no reportError
  else console.error(error);
}

/** The first place in the stack, without the message: that may be made of what somebody sent. */
function placeOf(error: unknown): string {
  const { stack = "", message = "" } = error instanceof Error ? error : {};
  return /[^\s(@]+:\d+:\d+/.exec(stack.replace(message, ""))?.[0] ?? "";
}
