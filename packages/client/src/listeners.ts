import { assertFunction } from "@paceline/protocol";

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** The listeners of one event. An error in one of them affects neither the others nor the SDK. */
export class Listeners<Arguments extends unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => unknown>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Adds a listener. Throws `ConfigError` for a value that is not a function. */
  add(listener: (...args: Arguments) => void): Unsubscribe {
    assertFunction("listener", listener);
    // The wrapper allows the same function twice, each with its own subscription.
    const entry = (...args: Arguments): unknown => listener(...args);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  clear(): void {
    this.#listeners.clear();
  }

  emit(...args: Arguments): void {
    if (this.isEmpty) return;
    for (const listener of Array.from(this.#listeners)) guarded(() => listener(...args));
  }
}

/** Runs code of the game. Reports an error that it throws or rejects with, and does not pass it on. */
export function guarded(fn: () => unknown): void {
  try {
    const result = fn();
    if (isThenable(result)) result.then(undefined, reportGameError);
  } catch (error) {
    reportGameError(error);
  }
}

/**
 * Time of the last report and number of held errors since, for each place in the code that throws. The code
 * limits their number.
 */
const kinds = new Map<string, { atMs: number; more: number }>();

/**
 * Reports an error of the game's code as uncaught: at most one per second for each place, with the number of
 * held ones. A hostile participant can make a listener throw hundreds of times a second.
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

/**
 * Returns the first place in the stack. Leaves out the message, because a participant may have written parts
 * of it.
 */
function placeOf(error: unknown): string {
  const { stack = "", message = "" } = error instanceof Error ? error : {};
  return /[^\s(@]+:\d+:\d+/.exec(stack.replace(message, ""))?.[0] ?? "";
}
