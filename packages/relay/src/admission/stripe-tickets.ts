import { randomBytes } from "node:crypto";
import type { Cancel, Scheduler } from "@paceline/transport";

/** Largest number of stripes of one session, open or requested. */
export const MAX_STRIPES = 2;
const LIFETIME_MS = 10_000;
const TICKET_BYTES = 24;

/** Tickets for stripes. Each opens one socket and expires within seconds. */
export class StripeTickets<Owner> {
  readonly #scheduler: Scheduler;
  readonly #outstanding = new Map<string, { readonly owner: Owner; readonly cancel: Cancel }>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Returns a new ticket, or undefined if the owner has two unused ones. */
  issue(owner: Owner): string | undefined {
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
