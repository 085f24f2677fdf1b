/** A source of monotonic time. It is injected, so that tests run on a virtual one. */
export interface Clock {
  /** Returns the ms since an arbitrary origin. Never runs backwards. */
  nowMs(): number;
  /**
   * Returns one time for a whole turn of the event loop, such as a game's frame: that of its first reading. A
   * clock whose `nowMs` costs nothing leaves it out.
   */
  readonly turnMs?: (() => number) | undefined;
}

/** Returns {@link Clock.turnMs} of any clock. */
export function turnMsOf(clock: Clock): number {
  return clock.turnMs?.() ?? clock.nowMs();
}

/** Ends a timer. Does nothing at a second call, or after the timer has run. */
export type Cancel = () => void;

/** A clock with timers. */
export interface Scheduler extends Clock {
  after(delayMs: number, fn: () => void): Cancel;
  /** @param slackMs that it may run early or late to save a wake-up. Default 0 */
  every(periodMs: number, fn: () => void, slackMs?: number): Cancel;
  /** The scheduler that has the timers, if this one only wraps it, as `GuardedScheduler` does. */
  readonly base?: Scheduler;
  /** Returns a function that runs `fn` as a timer of this scheduler does. */
  guarded?(fn: () => void): () => void;
}

let turnAtMs: number | undefined;
const microtask = Promise.resolve();
const endTurn = (): void => {
  turnAtMs = undefined;
};

/** Returns {@link Clock.turnMs} of the machine's own clock. */
export function systemTurnMs(): number {
  if (turnAtMs !== undefined) return turnAtMs;
  // Browsers call a function from queueMicrotask as they call an event's listener, which takes far longer.
  void microtask.then(endTurn);
  return (turnAtMs = performance.now());
}

/** The machine's own clock and timers (browser and Node). */
export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  turnMs: systemTurnMs,
  after(delayMs, fn) {
    const timer = setTimeout(fn, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, fn) {
    const timer = setInterval(fn, periodMs);
    return () => clearInterval(timer);
  },
};

const STEP_MS = 500;

/**
 * Runs `fn` once after `delayMs` in which this process's own loop ran: the deadline of somebody else's answer.
 * After a stall of the loop, answers that arrived meanwhile may be read later than a timer that is due, so a stall
 * counts as one step at most, and as half of a short delay.
 */
export function afterOwnTime(scheduler: Pick<Scheduler, "after">, delayMs: number, fn: () => void): Cancel {
  const stepMs = Math.min(STEP_MS, delayMs / 2);
  let leftMs = delayMs;
  const step = (): Cancel =>
    scheduler.after(Math.min(stepMs, leftMs), () => {
      leftMs -= stepMs;
      if (leftMs > 0) cancel = step();
      else fn();
    });
  let cancel = step();
  return () => cancel();
}
