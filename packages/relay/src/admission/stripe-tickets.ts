import { randomBytes } from "node:crypto";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { OwnPauses } from "../ops/own-pauses.js";

/** Largest number of stripes of one session, open or requested. */
export const MAX_STRIPES = 2;
const LIFETIME_MS = 10_000;
const TICKET_BYTES = 24;
/** Time for which a client counts late answers, ms. */
const LATE_FOR_MS = 5000;

/**
 * Tickets for stripes. Each opens one socket and expires within seconds. While this process is slow there are
 * none: late answers then say nothing about the network, and more sockets would make it slower.
 */
export class StripeTickets<Owner> {
  readonly #scheduler: Scheduler;
  readonly #outstanding = new Map<string, { readonly owner: Owner; readonly cancel: Cancel }>();
  readonly #pauses: OwnPauses;

  constructor(scheduler: Scheduler, pauses: OwnPauses) {
    this.#scheduler = scheduler;
    this.#pauses = pauses;
  }

  /** Returns a new ticket; undefined if the owner has two unused ones, or while this process is slow. */
  issue(owner: Owner): string | undefined {
    if (this.#pauses.wasLate(LATE_FOR_MS)) return undefined;
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
