import type { Cancel, Scheduler } from "@paceline/transport";

/**
 * A scheduler that measures the steps of a room: from {@link begin}, which the room calls in its step, to the end of the
 * timer in which it ran. By then all states are written.
 */
export class StepTimes implements Scheduler {
  readonly turnMs: Scheduler["turnMs"];
  readonly #base: Scheduler;
  readonly #hasSockets: boolean;
  #times: number[] = [];
  #startedMs: number | undefined;
  #flushStartedMs = 0;

  /** @param hasSockets true if a server writes to its sockets at the end of the event loop's turn, which counts as well */
  constructor(base: Scheduler, hasSockets: boolean) {
    this.#base = base;
    this.turnMs = base.turnMs;
    this.#hasSockets = hasSockets;
  }

  /** Begins a step. A step that begins in the same timer ends here. */
  begin(): void {
    const nowMs = performance.now();
    if (this.#startedMs !== undefined) this.#times.push(nowMs - this.#startedMs);
    // The server asks for its turn to write after this call.
    else if (this.#hasSockets) setImmediate(() => (this.#flushStartedMs = performance.now()));
    this.#startedMs = nowMs;
  }

  /** Returns the times of all steps since the last call, ms. */
  take(): number[] {
    const times = this.#times;
    this.#times = [];
    return times;
  }

  nowMs(): number {
    return this.#base.nowMs();
  }

  after(delayMs: number, fn: () => void): Cancel {
    return this.#base.after(delayMs, () => {
      try {
        fn();
      } finally {
        this.#end();
      }
    });
  }

  every(periodMs: number, fn: () => void, slackMs?: number): Cancel {
    return this.#base.every(periodMs, fn, slackMs);
  }

  #end(): void {
    if (this.#startedMs === undefined) return;
    const stepMs = performance.now() - this.#startedMs;
    this.#startedMs = undefined;
    if (!this.#hasSockets) this.#times.push(stepMs);
    else setImmediate(() => this.#times.push(stepMs + performance.now() - this.#flushStartedMs));
  }
}
