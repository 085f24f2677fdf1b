import { ConfigError } from "@paceline/protocol";

/** Throws {@link ConfigError} for what is no signal; one of another realm (a frame, a test's page) is one too. */
export function assertSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  const { aborted, addEventListener } = (signal ?? {}) as Partial<AbortSignal>;
  if (signal === undefined || (typeof aborted === "boolean" && typeof addEventListener === "function"))
    return;
  throw new ConfigError({ field: "signal", value: signal, expected: "an AbortSignal" });
}

/**
 * Resolves to the result of `begin`. Rejects with the signal's reason as soon as it is aborted, before `begin` is called at all if it
 * was before; `giveUp` then ends what has begun.
 */
export function untilAborted<Value>(
  signal: AbortSignal | undefined,
  begin: () => Promise<Value>,
  giveUp: () => void,
): Promise<Value> {
  if (!signal) return begin();
  if (signal.aborted) return Promise.reject(reasonOf(signal));
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(reasonOf(signal));
      giveUp();
    };
    signal.addEventListener("abort", abort, { once: true });
    // Before the promise is settled: whoever waits for it may abort at once.
    begin()
      .finally(() => signal.removeEventListener("abort", abort))
      .then(resolve, reject);
  });
}

/** Older browsers have signals without a reason. */
function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return (reason ?? new DOMException("aborted", "AbortError")) as Error;
}

/** Aborted when one of them is; without `AbortSignal.any` (older browsers) only with the first one. */
export function eitherOf(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second && typeof AbortSignal.any === "function" ? AbortSignal.any([first, second]) : first;
}
