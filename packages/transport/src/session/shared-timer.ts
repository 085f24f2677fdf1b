import type { Cancel, Scheduler } from "../scheduler.js";

interface SharedTimer {
  readonly users: Set<() => void>;
  cancel: Cancel;
}

const timersOf = new WeakMap<Scheduler, Map<number, SharedTimer>>();

/** As `scheduler.every`, but one timer for all who ask for the same period: a room has many sessions. */
export function everyShared(scheduler: Scheduler, periodMs: number, fn: () => void): Cancel {
  let timers = timersOf.get(scheduler);
  if (!timers) timersOf.set(scheduler, (timers = new Map()));
  const known = timers.get(periodMs);
  const timer = known ?? started(scheduler, periodMs);
  if (!known) timers.set(periodMs, timer);
  // A function of its own for every call: the same one may be given twice.
  const user = (): void => fn();
  timer.users.add(user);
  return () => {
    if (!timer.users.delete(user) || timer.users.size > 0) return;
    timer.cancel();
    if (timers.get(periodMs) === timer) timers.delete(periodMs);
  };
}

function started(scheduler: Scheduler, periodMs: number): SharedTimer {
  const users = new Set<() => void>();
  return {
    users,
    cancel: scheduler.every(periodMs, () => {
      for (const user of [...users]) if (users.has(user)) user();
    }),
  };
}
