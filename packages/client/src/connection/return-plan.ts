import type { Cancel, Scheduler } from "@paceline/transport";

interface ReturnPlanOptions {
  readonly scheduler: Scheduler;
  readonly serverUrl: string;
  /** Tries to come back now; what fails says so by {@link ReturnPlan.attemptLater}. */
  attempt(): void;
  /** Tries another link while the present one may still work. */
  attemptBeside(): void;
  onGiveUp(reason: string): void;
}

/** Waits before the attempts to come back; the last one repeats until {@link GIVE_UP_AFTER_MS}. */
const RETURN_DELAYS_MS = [0, 250, 500, 1000, 2000, 3000];
const GIVE_UP_AFTER_MS = 60_000;
/** Between links that are tried beside a silent one; the last repeats: a network that is back should not be waited for. */
const BESIDE_DELAYS_MS = [0, 1000];
/** A server that stops sends everybody away at once: they come back spread over this. */
const SHUTDOWN_SPREAD_MS = 1000;

/** When, and to which server, a connection that was lost tries to come back. */
export class ReturnPlan {
  readonly #options: ReturnPlanOptions;
  #movingTo: string | undefined;
  #attempts = 0;
  #besides = 0;
  /** Undefined while the connection is not lost. */
  #droppedAtMs: number | undefined;
  #cancel: Cancel | undefined;
  #cancelBeside: Cancel | undefined;

  constructor(options: ReturnPlanOptions) {
    this.#options = options;
  }

  /** http(s) address of the server to ask next: the one that the old server named and the old one's by turns. */
  get serverUrl(): string {
    const { serverUrl } = this.#options;
    return this.#attempts % 2 === 1 ? (this.#movingTo ?? serverUrl) : serverUrl;
  }

  /** The server stops and names another one. */
  serverMoves(endpoint: string): void {
    if (/^https?:\/\/[^\s/]+/.test(endpoint)) this.#movingTo = endpoint.replace(/\/+$/, "");
  }

  /** The connection is lost: the time for giving up begins. */
  dropped(): void {
    this.#droppedAtMs = this.#options.scheduler.nowMs();
    this.#attempts = 0;
    this.#endBeside();
  }

  /** The connection is there again. */
  arrived(): void {
    this.#droppedAtMs = undefined;
    this.serverAnswered();
  }

  /** The server is there, although not what was asked of it. */
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

  /** Something has changed that makes an attempt worthwhile at once. */
  attemptNow(): void {
    this.#attempts = 0;
    this.#schedule(0);
  }

  /** Tries another link, now unless `isTried`, and again while nothing is heard of it or of the present one. */
  beside(isTried = false): void {
    if (this.#cancelBeside) return;
    this.#besides = isTried ? 1 : 0;
    this.#besideLater();
  }

  /** Tries another link at once, however long the wait was. */
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
      // Attempts that neither open nor end are no reason to go on for ever.
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
