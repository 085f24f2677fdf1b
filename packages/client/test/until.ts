const POLL_MS = 2;

/** Waits for a condition. Fails after the deadline, and names the condition. */
export async function until(what: string, isTrue: () => boolean, deadlineMs = 20_000): Promise<void> {
  const endsAtMs = performance.now() + deadlineMs;
  while (!isTrue()) {
    if (performance.now() > endsAtMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** Waits a while, so that something unwanted has time to happen. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
