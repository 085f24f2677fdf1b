import type { Cancel, Scheduler } from "@paceline/transport";

const HIDDEN_PERIOD_MS = 1000;

/**
 * Scheduler of a page that may be hidden, in which timers then run once a second: the worst case, without a
 * Worker.
 */
export class ThrottledScheduler implements Scheduler {
  readonly #scheduler: Scheduler;
  isThrottled = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  nowMs(): number {
    return this.#scheduler.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.#scheduler.after(this.#slowed(delayMs), fn);
  }

  every(periodMs: number, fn: () => void): Cancel {
    let cancel: Cancel = () => undefined;
    const next = (): void => {
      cancel = this.after(periodMs, () => {
        next();
        fn();
      });
    };
    next();
    return () => cancel();
  }

  #slowed(delayMs: number): number {
    if (!this.isThrottled || delayMs === 0) return delayMs;
    return Math.ceil(delayMs / HIDDEN_PERIOD_MS) * HIDDEN_PERIOD_MS;
  }
}
