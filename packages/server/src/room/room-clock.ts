import { ConfigError, assertFunction } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";

/**
 * The time of a room, and timers that end with it. An error in a timer counts as the room's error; the timer
 * continues.
 */
export class RoomClock {
  readonly #scheduler: Scheduler;
  #startedAtMs: number;
  readonly #guard: (fn: () => unknown) => void;
  readonly #timers = new Set<Cancel>();
  #isEnded = false;

  /** @internal */
  constructor(scheduler: Scheduler, guard: (fn: () => unknown) => void) {
    this.#scheduler = scheduler;
    this.#startedAtMs = scheduler.nowMs();
    this.#guard = guard;
  }

  /** Time since the room was opened, ms. */
  get elapsedMs(): number {
    return this.#scheduler.nowMs() - this.#startedAtMs;
  }

  /** Runs `fn` once, after `delayMs`. Returns a function that cancels the timer. */
  setTimeout(fn: () => unknown, delayMs: number): Cancel {
    assertFunction("fn", fn);
    assertMs("delayMs", delayMs, 0);
    const timer = this.#add(
      this.#scheduler.after(delayMs, () => {
        this.#timers.delete(timer);
        this.#guard(fn);
      }),
    );
    return timer;
  }

  /** Runs `fn` every `periodMs`. Returns a function that cancels the timer. */
  setInterval(fn: () => unknown, periodMs: number): Cancel {
    assertFunction("fn", fn);
    assertMs("periodMs", periodMs, 1);
    return this.#add(this.#scheduler.every(periodMs, () => this.#guard(fn)));
  }

  /** @internal Returns true for a timer of this clock that has neither run nor been cancelled. */
  isWaiting(timer: Cancel): boolean {
    return this.#timers.has(timer);
  }

  /** Cancels all timers, also those of `Room.after` and `Room.every`. */
  clear(): void {
    for (const timer of [...this.#timers]) timer();
  }

  /** @internal Goes on from the time of a room of an earlier process. */
  restore(elapsedMs: number): void {
    this.#startedAtMs = this.#scheduler.nowMs() - elapsedMs;
  }

  /** @internal Cancels all timers, and lets none start any more. */
  end(): void {
    this.#isEnded = true;
    this.clear();
  }

  #add(cancel: Cancel): Cancel {
    const timer = (): void => {
      this.#timers.delete(timer);
      cancel();
    };
    if (this.#isEnded) cancel();
    else this.#timers.add(timer);
    return timer;
  }
}

function assertMs(field: string, value: number, min: number): void {
  if (Number.isFinite(value) && value >= min) return;
  throw new ConfigError(field, value, `${min} or more ms`);
}
