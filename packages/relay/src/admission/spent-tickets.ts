/** Sessions whose ticket was used, kept until the ticket expires. */
export class SpentTickets {
  readonly #expiries = new Map<string, number>();

  get size(): number {
    return this.#expiries.size;
  }

  has(sessionId: string): boolean {
    return this.#expiries.has(sessionId);
  }

  /**
   * Adds a session, and forgets those that expired before `nowMs`. All tickets live equally long, so the
   * oldest expires first.
   */
  add(sessionId: string, expiresAtMs: number, nowMs: number): void {
    for (const [oldest, voidAtMs] of this.#expiries) {
      if (voidAtMs > nowMs) break;
      this.#expiries.delete(oldest);
    }
    this.#expiries.set(sessionId, expiresAtMs);
  }
}
