import { ConfigError } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import { TimerHeap, type Timer } from "./timer-heap.js";

/** Start and limit of a {@link VirtualScheduler}. */
export interface VirtualSchedulerOptions {
  /** First value of `nowMs()`; default 0. */
  startMs?: number;
  /** Maximum number of timers in one `advance` or `runUntil` before it throws; default 1 000 000. */
  maxTimersPerRun?: number;
}

const DEFAULT_MAX_TIMERS_PER_RUN = 1_000_000;

/**
 * A scheduler whose time stands still until a test advances it. Timers run inside `advance` and `runUntil`,
 * synchronously, in
 * the order of their times and, at the same instant, of their creation: the same program always does the
 * same.
 *
 * A callback that throws ends the run with its error; the clock then shows the time of that callback, and a
 * later run continues
 * with the timers after it.
 */
export class VirtualScheduler implements Scheduler {
  readonly #timers = new TimerHeap();
  readonly #maxTimersPerRun: number;
  #nowMs: number;
  #created = 0;
  #isRunning = false;

  constructor(options: VirtualSchedulerOptions = {}) {
    this.#nowMs = finite("startMs", options.startMs ?? 0);
    this.#maxTimersPerRun = options.maxTimersPerRun ?? DEFAULT_MAX_TIMERS_PER_RUN;
    if (!Number.isInteger(this.#maxTimersPerRun) || this.#maxTimersPerRun < 1) {
      throw new ConfigError("maxTimersPerRun", this.#maxTimersPerRun, "a whole number of timers, at least 1");
    }
  }

  /** Returns the virtual time, ms. */
  nowMs(): number {
    return this.#nowMs;
  }

  /** Time of the next timer, ms; undefined if none waits. */
  get nextAtMs(): number | undefined {
    while (this.#timers.first()?.run === undefined && this.#timers.size > 0) this.#timers.pop();
    return this.#timers.first()?.atMs;
  }

  /**
   * Runs `fn` once, `delayMs` from now. With 0 or less it runs at the present instant, but after this call
   * has returned.
   */
  after(delayMs: number, fn: () => void): Cancel {
    if (Number.isNaN(delayMs)) throw new ConfigError("delayMs", delayMs, "ms");
    return this.#add({ atMs: this.#nowMs + Math.max(0, delayMs), order: this.#created++, run: fn });
  }

  /** Runs `fn` every `periodMs` (more than 0), first after one period. */
  every(periodMs: number, fn: () => void): Cancel {
    if (!(periodMs > 0)) {
      // A period of 0 would never let time move on.
      throw new ConfigError("periodMs", periodMs, "more than 0 ms");
    }
    let cancel: Cancel;
    const tick = (): void => {
      cancel = this.after(periodMs, tick);
      fn();
    };
    cancel = this.after(periodMs, tick);
    return () => cancel();
  }

  /** Advances the time by `ms` and runs the timers due in between. */
  advance(ms: number): void {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new ConfigError("ms", ms, "a duration of 0 ms or more");
    this.runUntil(this.#nowMs + ms);
  }

  /** Advances the time to `atMs` and runs the timers due until then, `atMs` included. */
  runUntil(atMs: number): void {
    if (!(finite("atMs", atMs) >= this.#nowMs)) {
      throw new ConfigError("atMs", atMs, `${this.#nowMs} ms (now) or later`);
    }
    if (this.#isRunning) throw new Error("time was moved from inside a timer: it is moving already");
    this.#isRunning = true;
    try {
      this.#runDue(atMs);
    } finally {
      this.#isRunning = false;
    }
    this.#nowMs = atMs;
  }

  #runDue(untilMs: number): void {
    let ran = 0;
    for (let dueMs = this.nextAtMs; dueMs !== undefined && dueMs <= untilMs; dueMs = this.nextAtMs) {
      if (ran++ >= this.#maxTimersPerRun) {
        throw new Error(
          `more than ${this.#maxTimersPerRun} timers ran before ${untilMs} ms (now ${this.#nowMs} ms): ` +
            "something schedules itself without end",
        );
      }
      this.#nowMs = dueMs;
      this.#timers.pop()?.run?.();
    }
  }

  #add(timer: Timer): Cancel {
    this.#timers.push(timer);
    return () => {
      timer.run = undefined;
    };
  }
}

function finite(field: string, value: number): number {
  if (!Number.isFinite(value)) throw new ConfigError(field, value, "a finite number of ms");
  return value;
}
