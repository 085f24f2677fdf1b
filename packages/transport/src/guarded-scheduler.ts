import type { Cancel, Scheduler } from "./scheduler.js";

/** Timers of one owner: what they throw goes to the owner, and to nobody else who uses the same clock. */
export class GuardedScheduler implements Scheduler {
  /** The scheduler whose timers these are. */
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

  /** Wraps a function: what it throws goes to the owner. */
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
