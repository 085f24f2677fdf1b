import type { Scheduler } from "@paceline/transport";

const RETRY_MS = 3000;

/** Calls `load`, and again after each failure, until it succeeds. The browser's console names the failures. */
export function persistently<Value>(
  load: () => Promise<Value>,
  scheduler: Pick<Scheduler, "after">,
): Promise<Value> {
  const again = (resolve: (value: Promise<Value>) => void): void =>
    void scheduler.after(RETRY_MS, () => resolve(persistently(load, scheduler)));
  return load().catch(() => new Promise(again));
}
