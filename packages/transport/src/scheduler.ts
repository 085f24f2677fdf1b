/** A source of monotonic time. Injected, so that tests run on a virtual one. */
export interface Clock {
  /** Milliseconds since an arbitrary origin; never runs backwards. */
  nowMs(): number;
  /**
   * The same for all that one turn of the event loop reads, such as the frame of a game: the time of the first reading
   * in it. Left out by a clock whose `nowMs` costs nothing.
   */
  readonly turnMs?: (() => number) | undefined;
}

/** {@link Clock.turnMs} of any clock. */
export function turnMsOf(clock: Clock): number {
  return clock.turnMs?.() ?? clock.nowMs();
}

/** Ends a timer; calling it twice, or after the timer has run, does nothing. */
export type Cancel = () => void;

/** A clock with timers. */
export interface Scheduler extends Clock {
  after(delayMs: number, fn: () => void): Cancel;
  /** @param slackMs that it may run early or late, where that spares a wake-up. Default 0 */
  every(periodMs: number, fn: () => void, slackMs?: number): Cancel;
  /** The scheduler under an owner's one, such as {@link GuardedScheduler}: it has the timers. */
  readonly base?: Scheduler;
  /** Returns the function as a timer of an owner's scheduler calls it. */
  guarded?(fn: () => void): () => void;
}

let turnAtMs: number | undefined;
const endTurn = (): void => {
  turnAtMs = undefined;
};

/** {@link Clock.turnMs} of the machine's own clock. */
export function systemTurnMs(): number {
  if (turnAtMs !== undefined) return turnAtMs;
  queueMicrotask(endTurn);
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
