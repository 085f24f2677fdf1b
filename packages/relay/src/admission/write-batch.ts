import type { Writable } from "node:stream";

/**
 * Collects what is written to a socket in one round of the event loop behind the first write of that round, which leaves at
 * once: most often it is the only one, and to hold it would cost more than a second call to the system. What comes behind
 * it is one call and, mostly, one segment. Nothing waits for a timer.
 */
export class WriteBatch {
  /** Written to in this round. */
  readonly #written = new Set<Writable>();
  readonly #held: Writable[] = [];
  readonly #flush = (): void => {
    this.#written.clear();
    for (const socket of this.#held.splice(0)) socket.uncork();
  };

  /** Something is about to be written to the socket. */
  hold(socket: Writable): void {
    if (!this.#written.has(socket)) {
      if (this.#written.size === 0) setImmediate(this.#flush);
      this.#written.add(socket);
    } else if (socket.writableCorked === 0) {
      socket.cork();
      this.#held.push(socket);
    }
  }
}
