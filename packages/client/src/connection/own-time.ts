import type { Cancel, Scheduler } from "@paceline/transport";

const STEP_MS = 500;

/**
 * Runs `fn` once after `delayMs` in which this page's own loop ran. After a stall of the loop, answers that came
 * meanwhile are read later than a timer that is due, so a stall counts as one step at most.
 */
export function afterOwnTime(scheduler: Pick<Scheduler, "after">, delayMs: number, fn: () => void): Cancel {
  const stepMs = Math.min(STEP_MS, delayMs);
  let cancel = scheduler.after(stepMs, () => {
    if (stepMs === delayMs) fn();
    else cancel = afterOwnTime(scheduler, delayMs - stepMs, fn);
  });
  return () => cancel();
}
