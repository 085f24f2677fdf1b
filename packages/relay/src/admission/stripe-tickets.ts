import { randomBytes } from "node:crypto";
import { SharedInterval, type Cancel, type Scheduler } from "@paceline/transport";

/** Largest number of stripes of one session, open or requested. */
export const MAX_STRIPES = 2;
const LIFETIME_MS = 10_000;
const TICKET_BYTES = 24;
/** Period of the timer that shows whether this process is slow, ms: that of steady sessions, for one wake-up. */
const CHECK_PERIOD_MS = 250;
/** Lateness of that timer, ms. */
const LATE_MS = 25;
/** Time for which a client counts late answers, ms. */
const LATE_FOR_MS = 5000;

/**
 * Tickets for stripes. Each opens one socket and expires within seconds. While this process is slow there are
 * none: late answers then say nothing about the network, and more sockets would make it slower.
 */
export class StripeTickets<Owner> {
  readonly #scheduler: Scheduler;
  readonly #outstanding = new Map<string, { readonly owner: Owner; readonly cancel: Cancel }>();
  #checkedAtMs: number;
  #lateAtMs = -Infinity;
  readonly stop: Cancel;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#checkedAtMs = scheduler.nowMs();
    const checks = new SharedInterval(scheduler, () => {
      const nowMs = scheduler.nowMs();
      const lateMs = nowMs - this.#checkedAtMs - CHECK_PERIOD_MS;
      this.#checkedAtMs = nowMs;
      if (lateMs > LATE_MS) this.#lateAtMs = nowMs;
    });
    checks.every(CHECK_PERIOD_MS);
    this.stop = () => checks.every(0);
  }

  /** Returns a new ticket; undefined if the owner has two unused ones, or while this process is slow. */
  issue(owner: Owner): string | undefined {
    if (this.#scheduler.nowMs() - this.#lateAtMs < LATE_FOR_MS) return undefined;
    let count = 0;
    for (const ticket of this.#outstanding.values()) if (ticket.owner === owner) count += 1;
    if (count >= MAX_STRIPES) return undefined;
    const ticket = randomBytes(TICKET_BYTES).toString("base64url");
    const cancel = this.#scheduler.after(LIFETIME_MS, () => this.#outstanding.delete(ticket));
    this.#outstanding.set(ticket, { owner, cancel });
    return ticket;
  }

  /** Returns the owner of the ticket, and uses the ticket up. */
  take(ticket: string): Owner | undefined {
    const found = this.#outstanding.get(ticket);
    found?.cancel();
    this.#outstanding.delete(ticket);
    return found?.owner;
  }

  forget(owner: Owner): void {
    for (const [ticket, found] of this.#outstanding) if (found.owner === owner) this.take(ticket);
  }
}
