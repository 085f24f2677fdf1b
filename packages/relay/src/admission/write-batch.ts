import type { Writable } from "node:stream";

/**
 * Sends the first write to a socket in a round of the event loop at once, and collects the others. Most
 * rounds have only one write, and to hold that back costs more than a second system call. The others leave
 * together, in one system call and mostly one segment. Nothing waits for a timer.
 */
export class WriteBatch {
  readonly #written = new Set<Writable>();
  readonly #held: Writable[] = [];
  readonly #flush = (): void => {
    this.#written.clear();
    for (const socket of this.#held.splice(0)) socket.uncork();
  };

  /** Prepares the socket for a write in this round. */
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
