/** Sessions whose ticket was used, until the ticket would be void anyway. */
export class SpentTickets {
  readonly #expiries = new Map<string, number>();

  get size(): number {
    return this.#expiries.size;
  }

  has(sessionId: string): boolean {
    return this.#expiries.has(sessionId);
  }

  /** Remembers, and forgets those that expired before `nowMs`. Tickets live equally long: the oldest expire first. */
  add(sessionId: string, expiresAtMs: number, nowMs: number): void {
    for (const [oldest, voidAtMs] of this.#expiries) {
      if (voidAtMs > nowMs) break;
      this.#expiries.delete(oldest);
    }
    this.#expiries.set(sessionId, expiresAtMs);
  }
}
