import type { Cancel, Scheduler } from "./scheduler.js";

const STEP_MS = 500;

/**
 * Runs `fn` once after `delayMs` in which this process's own loop ran: the deadline of somebody else's answer.
 * After a stall of the loop, answers that came meanwhile may be read later than a timer that is due, so a stall
 * counts as one step at most, and as half of a short delay.
 */
export function afterOwnTime(scheduler: Pick<Scheduler, "after">, delayMs: number, fn: () => void): Cancel {
  const stepMs = Math.min(STEP_MS, delayMs / 2);
  let leftMs = delayMs;
  const step = (): Cancel =>
    scheduler.after(Math.min(stepMs, leftMs), () => {
      leftMs -= stepMs;
      if (leftMs > 0) cancel = step();
      else fn();
    });
  let cancel = step();
  return () => cancel();
}
