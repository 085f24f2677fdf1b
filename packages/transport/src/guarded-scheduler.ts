import type { Cancel, Scheduler } from "./scheduler.js";

/**
 * A scheduler that reports errors of one owner's timers to that owner, not to other users of the same clock.
 */
export class GuardedScheduler implements Scheduler {
  /** The scheduler that runs the timers. */
  readonly base: Scheduler;
  readonly turnMs: Scheduler["turnMs"];
  readonly #onFault: (error: unknown) => void;

  constructor(base: Scheduler, onFault: (error: unknown) => void) {
    this.base = base;
    this.turnMs = base.turnMs;
    this.#onFault = onFault;
  }

  nowMs(): number {
    return this.base.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.base.after(delayMs, this.guarded(fn));
  }

  every(periodMs: number, fn: () => void, slackMs?: number): Cancel {
    return this.base.every(periodMs, this.guarded(fn), slackMs);
  }

  /** Returns a function that calls `fn` and reports its errors to the owner. */
  guarded(fn: () => void): () => void {
    return () => {
      try {
        fn();
      } catch (error) {
        this.#onFault(error);
      }
    };
  }
}
