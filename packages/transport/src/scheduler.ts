/** A source of monotonic time. Injected, so that tests run on a virtual one. */
export interface Clock {
  /** Milliseconds since an arbitrary origin; never runs backwards. */
  nowMs(): number;
}

/** Ends a timer; calling it twice, or after the timer has run, does nothing. */
export type Cancel = () => void;

/** A clock with timers. */
export interface Scheduler extends Clock {
  after(delayMs: number, fn: () => void): Cancel;
  every(periodMs: number, fn: () => void): Cancel;
}

/** The machine's own clock and timers (browser and Node). */
export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  after(delayMs, fn) {
    const timer = setTimeout(fn, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, fn) {
    const timer = setInterval(fn, periodMs);
    return () => clearInterval(timer);
  },
};
