import type { Cancel, Scheduler } from "../scheduler.js";

interface SharedTimer {
  readonly users: Set<SharedInterval>;
  readonly cancel: Cancel;
}

const timersOf = new WeakMap<Scheduler, Map<number, SharedTimer>>();

/**
 * Calls a function at intervals, with one timer for all functions of the same period, because a room has many
 * sessions. The period may change often. An error of one function does not stop the others.
 */
export class SharedInterval {
  readonly #timers: Map<number, SharedTimer>;
  readonly #scheduler: Scheduler;
  readonly #slackMs: number;
  readonly #run: () => void;
  #periodMs = 0;

  constructor(scheduler: Scheduler, fn: () => void, slackMs = 0) {
    // Schedulers of different owners share the timers of their base.
    for (; scheduler.base; scheduler = scheduler.base) fn = scheduler.guarded?.(fn) ?? fn;
    let timers = timersOf.get(scheduler);
    if (!timers) timersOf.set(scheduler, (timers = new Map()));
    this.#timers = timers;
    this.#scheduler = scheduler;
    this.#slackMs = slackMs;
    this.#run = fn;
  }

  /** Time between calls, ms; 0 while there are none. */
  get periodMs(): number {
    return this.#periodMs;
  }

  /** Calls the function each `periodMs` from now on; 0 stops. */
  every(periodMs: number): void {
    if (periodMs === this.#periodMs) return;
    const old = this.#timers.get(this.#periodMs);
    if (old?.users.delete(this) && old.users.size === 0) {
      this.#timers.delete(this.#periodMs);
      old.cancel();
    }
    this.#periodMs = periodMs;
    if (periodMs === 0) return;
    let timer = this.#timers.get(periodMs);
    if (!timer) {
      const users = new Set<SharedInterval>();
      const cancel = this.#scheduler.every(periodMs, () => SharedInterval.#runAll(users), this.#slackMs);
      this.#timers.set(periodMs, (timer = { users, cancel }));
    }
    timer.users.add(this);
  }

  /** Runs all functions. Then throws the first error. */
  static #runAll(users: ReadonlySet<SharedInterval>): void {
    let failure: { readonly error: unknown } | undefined;
    // Includes functions that are added meanwhile, and skips those that are removed.
    for (const user of users) {
      try {
        user.#run();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure) throw failure.error;
  }
}
