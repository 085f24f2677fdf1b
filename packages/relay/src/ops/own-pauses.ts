import { OwnLateness, SharedInterval, type Cancel, type Scheduler } from "@paceline/transport";

/** Period of the timer that is late after a pause, ms: that of steady sessions, for one wake-up. */
const PERIOD_MS = 250;
/** A shorter lateness is that of a busy process. */
const MIN_PAUSE_MS = 1000;
/** Limit of one pause: clients give up after as long. */
const MAX_PAUSE_MS = 60_000;
/** Time after a pause in which clients' requests may be older than the pause, ms. */
const RECENT_MS = 1000;
/** Time for a client that gave up to say so, ms. Node reads the end of an HTTP connection some turns after the request. */
export const GIVEN_UP_MS = 500;

/**
 * Pauses of this process, as of a suspended machine or in a debugger. Clients could not reach it meanwhile, so
 * their deadlines at the server do not count them.
 */
export class OwnPauses {
  readonly #scheduler: Scheduler;
  readonly #lateness: OwnLateness;
  readonly #looks: SharedInterval;
  #tickedAtMs: number;
  #totalMs = 0;
  #endedAtMs = -Infinity;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#tickedAtMs = scheduler.nowMs();
    this.#lateness = new OwnLateness(PERIOD_MS, scheduler.nowMs());
    this.#looks = new SharedInterval(scheduler, () => this.#tick());
    this.#looks.every(PERIOD_MS);
  }

  /**
   * Runs `fn`, which obeys a request: at once, but shortly after a pause only when a client that gave up meanwhile
   * has had {@link GIVEN_UP_MS} to say so.
   */
  obey(fn: () => void): void {
    if (this.isRecent) this.#scheduler.after(GIVEN_UP_MS, fn);
    else fn();
  }

  /** True shortly after a pause. The client of a request may have given up meanwhile. */
  get isRecent(): boolean {
    this.#look();
    return this.#scheduler.nowMs() - this.#endedAtMs < RECENT_MS;
  }

  /** True if this process was late by more than a timer's tolerance within the last `forMs`. */
  wasLate(forMs: number): boolean {
    const nowMs = this.#scheduler.nowMs();
    return this.#lateness.wasLate(nowMs - forMs, nowMs);
  }

  /** Runs `fn` once after `delayMs` without the pauses in between. */
  after(delayMs: number, fn: () => void): Cancel {
    this.#look();
    const beforeMs = this.#totalMs;
    let cancel = this.#scheduler.after(delayMs, () => {
      this.#look();
      const pausedMs = this.#totalMs - beforeMs;
      if (pausedMs > 0) cancel = this.after(pausedMs, fn);
      else fn();
    });
    return () => cancel();
  }

  stop(): void {
    this.#looks.every(0);
  }

  /** Looks before the timer is due, which may be later than what is read now. Only a pause is no part of its period. */
  #look(): void {
    if (this.#scheduler.nowMs() - this.#tickedAtMs >= PERIOD_MS + MIN_PAUSE_MS) this.#tick();
  }

  #tick(): void {
    const nowMs = this.#scheduler.nowMs();
    const lateMs = this.#lateness.tick(nowMs);
    this.#tickedAtMs = nowMs;
    if (lateMs < MIN_PAUSE_MS) return;
    this.#totalMs += Math.min(lateMs, MAX_PAUSE_MS);
    this.#endedAtMs = nowMs;
  }
}
