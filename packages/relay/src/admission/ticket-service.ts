import { createHmac } from "node:crypto";
import { CloseCode } from "@paceline/protocol";
import { networkOf } from "../limits/network-address.js";
import type { RelayLimits } from "../limits/relay-limits.js";
import { SpentTickets } from "./spent-tickets.js";
import { readTicket, signTicket, type TicketClaims } from "./ticket.js";

/** The reason to refuse a ticket. */
export interface TicketFault {
  readonly code: number;
  readonly reason: string;
}

interface TicketServiceOptions {
  readonly secret: Uint8Array;
  readonly limits: Pick<RelayLimits, "ticketLifetimeMs">;
  readonly bindTicketsToAddress: boolean;
  readonly wallClockMs: () => number;
}

const NETWORK_CHARACTERS = 22;

/** Issues tickets for seats and checks the tickets of newcomers. */
export class TicketService {
  readonly #options: TicketServiceOptions;
  readonly #spent = new SpentTickets();

  constructor(options: TicketServiceOptions) {
    this.#options = options;
  }

  /** Returns a ticket for a seat. `address`: network address of the request. */
  issue(seat: Pick<TicketClaims, "roomId" | "sessionId" | "webrtc">, address: string): string {
    const { secret, bindTicketsToAddress } = this.#options;
    const network = bindTicketsToAddress ? this.#hashOfNetwork(address) : "";
    return signTicket({ ...seat, network }, secret);
  }

  /**
   * Reads a ticket and uses it up, or returns the reason of its refusal. `hasSeat`: returns true if the
   * session's seat is reserved.
   */
  take(ticket: string, address: string, hasSeat: (sessionId: string) => boolean): TicketClaims | TicketFault {
    const { secret, limits, wallClockMs } = this.#options;
    const claims = readTicket(ticket, secret);
    if (!claims) return { code: CloseCode.refused, reason: "not a ticket of this server" };
    const { sessionId, network } = claims;
    if (this.#spent.has(sessionId))
      return { code: CloseCode.ticketUsed, reason: "the ticket was used before" };
    // The seat's timer ends the ticket. The ticket itself has no expiry, since the wall clock may be changed
    // meanwhile.
    if (!hasSeat(sessionId)) return { code: CloseCode.ticketExpired, reason: "the ticket's time is over" };
    if (network !== "" && network !== this.#hashOfNetwork(address))
      return { code: CloseCode.refused, reason: "the ticket was given to another address" };
    const nowMs = wallClockMs();
    this.#spent.add(sessionId, nowMs + limits.ticketLifetimeMs, nowMs);
    return claims;
  }

  /** Returns a keyed hash, so that a ticket does not reveal the address. */
  #hashOfNetwork(address: string): string {
    const hash = createHmac("sha256", this.#options.secret).update(`network ${networkOf(address)}`);
    return hash.digest("base64url").slice(0, NETWORK_CHARACTERS);
  }
}
