import type { Cancel, Scheduler } from "../scheduler.js";

interface SharedTimer {
  readonly users: Set<() => void>;
  cancel: Cancel;
}

const timersOf = new WeakMap<Scheduler, Map<number, SharedTimer>>();

/**
 * Works as `scheduler.every`, with one timer for all calls of the same period, because a room has many
 * sessions. An error of one function does not stop the others.
 */
export function everyShared(scheduler: Scheduler, periodMs: number, fn: () => void, slackMs = 0): Cancel {
  // Schedulers of different owners share the timer of their base.
  if (scheduler.base) return everyShared(scheduler.base, periodMs, scheduler.guarded?.(fn) ?? fn, slackMs);
  let timers = timersOf.get(scheduler);
  if (!timers) timersOf.set(scheduler, (timers = new Map()));
  const known = timers.get(periodMs);
  const timer = known ?? started(scheduler, periodMs, slackMs);
  if (!known) timers.set(periodMs, timer);
  // A new function for each call, because the same `fn` may be given twice.
  const user = (): void => fn();
  timer.users.add(user);
  return () => {
    if (!timer.users.delete(user) || timer.users.size > 0) return;
    timer.cancel();
    if (timers.get(periodMs) === timer) timers.delete(periodMs);
  };
}

function started(scheduler: Scheduler, periodMs: number, slackMs: number): SharedTimer {
  const users = new Set<() => void>();
  return {
    users,
    cancel: scheduler.every(periodMs, () => runAll(users), slackMs),
  };
}

/** Runs all functions. Then throws the first error. */
function runAll(users: ReadonlySet<() => void>): void {
  let failure: { readonly error: unknown } | undefined;
  // Includes functions that are added meanwhile, and skips those that are removed.
  for (const user of users) {
    try {
      user();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
