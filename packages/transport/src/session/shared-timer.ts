import type { Cancel, Scheduler } from "../scheduler.js";

interface SharedTimer {
  readonly users: Set<() => void>;
  cancel: Cancel;
}

const timersOf = new WeakMap<Scheduler, Map<number, SharedTimer>>();

/**
 * As `scheduler.every`, but one timer for all who ask for the same period: a room has many sessions. One that throws does
 * not keep the others from their turn.
 */
export function everyShared(scheduler: Scheduler, periodMs: number, fn: () => void, slackMs = 0): Cancel {
  // Owners differ, the timer is one.
  if (scheduler.base) return everyShared(scheduler.base, periodMs, scheduler.guarded?.(fn) ?? fn, slackMs);
  let timers = timersOf.get(scheduler);
  if (!timers) timersOf.set(scheduler, (timers = new Map()));
  const known = timers.get(periodMs);
  const timer = known ?? started(scheduler, periodMs, slackMs);
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

function started(scheduler: Scheduler, periodMs: number, slackMs: number): SharedTimer {
  const users = new Set<() => void>();
  return {
    users,
    cancel: scheduler.every(periodMs, () => runAll(users), slackMs),
  };
}

/** Throws what the first one threw that failed, after all have had their turn. */
function runAll(users: ReadonlySet<() => void>): void {
  let failure: { readonly error: unknown } | undefined;
  // One that comes meanwhile has its turn, too; one that is gone has none.
  for (const user of users) {
    try {
      user();
    } catch (error) {
      failure ??= { error };
    }
  }
  if (failure) throw failure.error;
}
