import type { Cancel, Scheduler } from "@paceline/transport";

interface ReturnPlanOptions {
  readonly scheduler: Scheduler;
  readonly serverUrl: string;
  /** Tries to return now. A failed attempt calls {@link ReturnPlan.attemptLater}. */
  attempt(): void;
  /** Tries another link while the present one may still work. */
  attemptRace(): void;
  onGiveUp(reason: string): void;
}

/** Delays before the attempts to return, ms. The last one repeats until {@link GIVE_UP_AFTER_MS}. */
const RETURN_DELAYS_MS = [0, 250, 500, 1000, 1250];
const GIVE_UP_AFTER_MS = 60_000;
/**
 * Delays between links that race a silent one, ms. The last one repeats. They are short, so that a restored
 * network is used soon.
 */
const RACE_DELAYS_MS = [0, 1000];
/**
 * Time over which clients spread their return, ms, because a server that stops disconnects all of them at
 * once.
 */
const SHUTDOWN_SPREAD_MS = 1000;

/**
 * Schedule of the attempts to return after a lost connection, and the server of each. The server's
 * `reconnectGraceMs` decides if the session still exists by then.
 */
export class ReturnPlan {
  readonly #options: ReturnPlanOptions;
  #movingTo: string | undefined;
  #attempts = 0;
  #raceAttempts = 0;
  /** Time of the loss, ms. Undefined while the connection is not lost. */
  #droppedAtMs: number | undefined;
  #cancel: Cancel | undefined;
  #cancelRace: Cancel | undefined;

  constructor(options: ReturnPlanOptions) {
    this.#options = options;
  }

  /**
   * http(s) address for the next attempt. Alternates between the old server and the one that it has named.
   */
  get serverUrl(): string {
    const { serverUrl } = this.#options;
    return this.#attempts % 2 === 1 ? (this.#movingTo ?? serverUrl) : serverUrl;
  }

  /** Stores the server that a stopping one names. */
  serverMoves(endpoint: string): void {
    if (/^https?:\/\/[^\s/]+/.test(endpoint)) this.#movingTo = endpoint.replace(/\/+$/, "");
  }

  /** Starts the time limit after a lost connection. */
  dropped(): void {
    this.#droppedAtMs = this.#options.scheduler.nowMs();
    this.#attempts = 0;
    this.#endRace();
  }

  /** Resets the plan after the connection is restored. */
  arrived(): void {
    this.#droppedAtMs = undefined;
    this.serverAnswered();
  }

  /** Restarts the delays, because the server is reachable even if it refused the request. */
  serverAnswered(): void {
    this.#attempts = 0;
    this.#endRace();
  }

  attemptLater(isShutdown = false): void {
    if (this.#hasGivenUp()) return;
    const delayMs = RETURN_DELAYS_MS[Math.min(this.#attempts, RETURN_DELAYS_MS.length - 1)]!;
    this.#schedule(
      delayMs + (isShutdown ? Math.random() * SHUTDOWN_SPREAD_MS : delayMs * Math.random() * 0.5),
    );
  }

  /** Tries at once, because the chances have changed. */
  attemptNow(): void {
    this.#attempts = 0;
    this.#schedule(0);
  }

  /** Races another link against the present one, now unless `isTried`. Repeats until one of them answers. */
  race(isTried = false): void {
    if (this.#cancelRace) return;
    this.#raceAttempts = isTried ? 1 : 0;
    this.#raceLater();
  }

  /** Races another link at once, without the rest of the present delay. */
  raceNow(): void {
    this.#endRace();
    this.race();
  }

  end(): void {
    this.#cancel?.();
    this.#endRace();
  }

  #schedule(delayMs: number): void {
    this.#attempts += 1;
    this.#cancel?.();
    this.#cancel = this.#options.scheduler.after(delayMs, () => this.#options.attempt());
  }

  #raceLater(): void {
    const delayMs = RACE_DELAYS_MS[Math.min(this.#raceAttempts, RACE_DELAYS_MS.length - 1)]!;
    this.#raceAttempts += 1;
    this.#cancelRace = this.#options.scheduler.after(delayMs, () => {
      // The time limit ends a series of attempts that neither open nor fail.
      if (this.#hasGivenUp()) return;
      this.#options.attemptRace();
      this.#raceLater();
    });
  }

  #hasGivenUp(): boolean {
    const lostForMs = this.#options.scheduler.nowMs() - (this.#droppedAtMs ?? Infinity);
    if (lostForMs <= GIVE_UP_AFTER_MS) return false;
    this.#options.onGiveUp(`no connection for ${GIVE_UP_AFTER_MS / 1000} s`);
    return true;
  }

  #endRace(): void {
    this.#cancelRace?.();
    this.#cancelRace = undefined;
  }
}
