import type { Scheduler } from "@paceline/transport";

const RETRY_MS = 3000;

/**
 * Calls `load`, and again after each failure while `isWanted`, until it succeeds. Never rejects: the browser's
 * console names the failures.
 */
export function persistently<Value>(
  load: () => Promise<Value>,
  scheduler: Pick<Scheduler, "after">,
  isWanted: () => boolean,
): Promise<Value> {
  const again = (resolve: (value: Promise<Value>) => void): void =>
    void scheduler.after(RETRY_MS, () => {
      if (isWanted()) resolve(persistently(load, scheduler, isWanted));
    });
  return load().catch(() => new Promise(again));
}
