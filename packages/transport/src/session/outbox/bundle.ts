import type { Cancel, Scheduler } from "../../scheduler.js";

/** What waits for others leaves early when it fills a packet. */
const FULL_BYTES = 1024;

/**
 * Spaces packets of one kind: the first leaves at once, and what is added within the period leaves with its end, in one
 * packet. So a lone message is never late, and many small ones share their headers.
 */
export class Bundle {
  readonly #scheduler: Scheduler;
  readonly #send: () => void;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #cancel: Cancel | undefined;

  /** @param send sends all that was added since the last call */
  constructor(scheduler: Scheduler, send: () => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  /** Whether something waits for the period's end. */
  get isWaiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** So many bytes were added that may wait until `periodMs` have passed since the last packet. */
  add(bytes: number, periodMs: number): void {
    this.#bytes += bytes;
    const waitMs = this.#sentAtMs + periodMs - this.#scheduler.nowMs();
    if (waitMs <= 0 || this.#bytes >= FULL_BYTES) this.flush();
    else this.#cancel ??= this.#scheduler.after(waitMs, () => this.flush());
  }

  /** Sends at once what waits; nothing where nothing does. */
  release(): void {
    if (this.#cancel) this.flush();
  }

  flush(): void {
    this.stop();
    this.#bytes = 0;
    this.#sentAtMs = this.#scheduler.nowMs();
    this.#send();
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
