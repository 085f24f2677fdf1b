const POLL_MS = 2;

/** Waits for a condition; fails after the deadline with what was waited for. */
export async function until(what: string, isTrue: () => boolean, deadlineMs = 8000): Promise<void> {
  const endsAtMs = performance.now() + deadlineMs;
  while (!isTrue()) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** For what must not happen: gives it the time to. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
