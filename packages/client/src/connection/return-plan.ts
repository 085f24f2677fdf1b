import type { Cancel, Scheduler } from "@paceline/transport";

interface ReturnPlanOptions {
  readonly scheduler: Scheduler;
  readonly serverUrl: string;
  /** Tries to return now. A failed attempt calls {@link ReturnPlan.attemptLater}. */
  attempt(): void;
  /** Tries another link while the present one may still work. */
  attemptBeside(): void;
  onGiveUp(reason: string): void;
}

/** Delays before the attempts to return, ms. The last one repeats until {@link GIVE_UP_AFTER_MS}. */
const RETURN_DELAYS_MS = [0, 250, 500, 1000, 2000, 3000];
const GIVE_UP_AFTER_MS = 60_000;
/**
 * Delays between links that are tried beside a silent one, ms. The last one repeats. They are short, so that
 * a restored network is used soon.
 */
const BESIDE_DELAYS_MS = [0, 1000];
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
  #besides = 0;
  /** Time of the loss, ms. Undefined while the connection is not lost. */
  #droppedAtMs: number | undefined;
  #cancel: Cancel | undefined;
  #cancelBeside: Cancel | undefined;

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
    this.#endBeside();
  }

  /** Resets the plan after the connection is restored. */
  arrived(): void {
    this.#droppedAtMs = undefined;
    this.serverAnswered();
  }

  /** Restarts the delays, because the server is reachable even if it refused the request. */
  serverAnswered(): void {
    this.#attempts = 0;
    this.#endBeside();
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

  /** Tries another link, now unless `isTried`, and repeats until that link or the present one answers. */
  beside(isTried = false): void {
    if (this.#cancelBeside) return;
    this.#besides = isTried ? 1 : 0;
    this.#besideLater();
  }

  /** Tries another link at once, without the rest of the present delay. */
  besideNow(): void {
    this.#endBeside();
    this.beside();
  }

  end(): void {
    this.#cancel?.();
    this.#endBeside();
  }

  #schedule(delayMs: number): void {
    this.#attempts += 1;
    this.#cancel?.();
    this.#cancel = this.#options.scheduler.after(delayMs, () => this.#options.attempt());
  }

  #besideLater(): void {
    const delayMs = BESIDE_DELAYS_MS[Math.min(this.#besides, BESIDE_DELAYS_MS.length - 1)]!;
    this.#besides += 1;
    this.#cancelBeside = this.#options.scheduler.after(delayMs, () => {
      // Attempts that neither open nor end must not continue for ever.
      if (this.#hasGivenUp()) return;
      this.#options.attemptBeside();
      this.#besideLater();
    });
  }

  #hasGivenUp(): boolean {
    const lostForMs = this.#options.scheduler.nowMs() - (this.#droppedAtMs ?? Number.POSITIVE_INFINITY);
    if (lostForMs <= GIVE_UP_AFTER_MS) return false;
    this.#options.onGiveUp(`no connection for ${GIVE_UP_AFTER_MS / 1000} s`);
    return true;
  }

  #endBeside(): void {
    this.#cancelBeside?.();
    this.#cancelBeside = undefined;
  }
}
