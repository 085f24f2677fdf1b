import type { Cancel, Scheduler } from "@paceline/transport";
import type { AdmittedLink } from "../admission/admitted-link.js";
import type { ForwardShare } from "../limits/forward-rates.js";
import type { RelayCounters } from "../ops/relay-counters.js";

/**
 * Longest time for which the WebSocket of a participant is not read because of its debt, ms. Half of the
 * smallest `linkTimeoutMs`.
 */
const MAX_PAUSE_MS = 500;

/**
 * Stops to read from a participant's WebSocket, while a reliable packet waits or while the participant is in debt.
 * The client's packets then wait on its side, so that none is lost. A WebRTC link is not paused: it would go on to
 * receive.
 */
export class ReadingPause {
  readonly #forwards: ForwardShare;
  readonly #scheduler: Scheduler;
  readonly #counters: RelayCounters;
  #link: AdmittedLink | undefined;
  #pause: { readonly link: AdmittedLink; readonly sinceMs: number } | undefined;
  #cancelPayment: Cancel | undefined;

  /** `forwards`: the participant's share of the room's forwards, which may have a debt. */
  constructor(forwards: ForwardShare, scheduler: Scheduler, counters: RelayCounters) {
    this.#forwards = forwards;
    this.#scheduler = scheduler;
    this.#counters = counters;
  }

  /** Takes the link that the participant uses from now on. Reads from the former one again. */
  use(link: AdmittedLink): void {
    this.end();
    this.#link = link;
  }

  begin(): void {
    const link = this.#link;
    if (!link?.canPause || this.#pause?.link === link) return;
    this.#pause = { link, sinceMs: this.#scheduler.nowMs() };
    this.#counters.backPressure.pauses += 1;
    link.setReading(false);
  }

  end(): void {
    const pause = this.#pause;
    if (!pause) return;
    this.#pause = undefined;
    this.#counters.backPressure.pausedMs += this.#scheduler.nowMs() - pause.sinceMs;
    pause.link.setReading(true);
  }

  /** Charges packets. While there is a debt, the link is not read, for 500 ms at most. */
  charge(packets: number): void {
    const limit = this.#forwards.spend(packets, this.#scheduler.nowMs());
    if (!limit || !this.#link) return;
    this.#counters.count("limited", limit);
    this.begin();
    if (!this.#cancelPayment) this.#awaitPayment();
  }

  /** True: the debt is too large for a pause. */
  get isOverdrawn(): boolean {
    return this.#forwards.waitMs(0, this.#scheduler.nowMs()) > MAX_PAUSE_MS;
  }

  /** Begins no pause any more, since the participant has ended. */
  stop(): void {
    this.#link = undefined;
    this.#cancelPayment?.();
  }

  /** Ends a pause when the debt is paid, or when the client might take its link for dead. */
  #awaitPayment(): void {
    this.#cancelPayment = undefined;
    if (!this.#pause) return;
    const nowMs = this.#scheduler.nowMs();
    const restMs = this.#pause.sinceMs + MAX_PAUSE_MS - nowMs;
    const waitMs = Math.ceil(Math.min(this.#forwards.waitMs(0, nowMs), restMs));
    if (waitMs <= 0) return this.end();
    this.#cancelPayment = this.#scheduler.after(waitMs, () => this.#awaitPayment());
  }
}
