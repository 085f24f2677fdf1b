/** Ends a subscription. */
export type Unsubscribe = () => void;

/** The subscribers of one kind of news. One that throws disturbs neither the others nor the SDK. */
export class Listeners<Arguments extends unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => void>();

  add(listener: (...args: Arguments) => void): Unsubscribe {
    // Wrapped, so that the same function may subscribe twice and each subscription ends by itself.
    const entry = (...args: Arguments): void => listener(...args);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  tell(...args: Arguments): void {
    for (const listener of Array.from(this.#listeners)) guarded(() => listener(...args));
  }
}

/** Runs code of the game; what it throws is reported as uncaught and goes no further. */
export function guarded(fn: () => void): void {
  try {
    fn();
  } catch (error) {
    reportGameError(error);
  }
}

export function reportGameError(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
  // oxlint-disable-next-line no-console -- Node has no reportError
  else console.error(error);
}
