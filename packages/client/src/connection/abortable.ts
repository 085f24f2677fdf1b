import { ConfigError } from "@paceline/protocol";

/**
 * Throws {@link ConfigError} for anything but a signal. Signals of other realms (a frame, a test's page) are
 * valid.
 */
export function assertSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  const { aborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (signal === undefined || (typeof aborted === "boolean" && typeof addEventListener === "function"))
    return;
  throw new ConfigError("signal", signal, "an AbortSignal");
}

/**
 * Returns the result of `begin`. Rejects with the signal's reason as soon as the signal is aborted, and calls
 * `onAbort` to end what has begun. If the signal is already aborted, rejects without a call of `begin`.
 */
export function untilAborted<Value>(
  signal: AbortSignal | undefined,
  begin: () => Promise<Value>,
  onAbort: () => void,
): Promise<Value> {
  if (!signal) return begin();
  if (signal.aborted) return Promise.reject(reasonOf(signal));
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(reasonOf(signal));
      onAbort();
    };
    signal.addEventListener("abort", abort, { once: true });
    // Removed before the promise settles, because its receiver may abort at once.
    begin()
      .finally(() => signal.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}

/** Returns the signal's reason. Signals of older browsers have none. */
function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return (reason ?? new DOMException("aborted", "AbortError")) as Error;
}

/**
 * Returns a signal that aborts with either of the two. Without `AbortSignal.any` (older browsers) returns the
 * first one.
 */
export function anySignal(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second && typeof AbortSignal.any === "function" ? AbortSignal.any([first, second]) : first;
}
