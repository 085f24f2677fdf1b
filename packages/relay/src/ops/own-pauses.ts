import { OwnLateness, SharedInterval, type Cancel, type Scheduler } from "@paceline/transport";

/** Period of the timer that is late after a pause, ms: that of steady sessions, for one wake-up. */
const PERIOD_MS = 250;
/** A shorter lateness is that of a busy process. */
const MIN_PAUSE_MS = 1000;
/** Limit of one pause: clients give up after as long. */
const MAX_PAUSE_MS = 60_000;
/** Time after a pause in which clients' requests may be older than the pause, ms. */
const RECENT_MS = 1000;

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

  /** True shortly after a pause: what is read now may have waited for its end. */
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

/**
 * Resolves when this process has read what waited in its sockets. A client that has given up during a pause has
 * closed its socket, which Node reads one turn after the client's request.
 */
export async function waitingRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
