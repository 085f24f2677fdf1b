import type { Writable } from "node:stream";

/**
 * Collects what is written to many sockets while one round of the event loop reads from others, and hands it to the
 * system socket by socket: one call and, mostly, one segment for all the packets that a room sends to a receiver at
 * the same moment. Nothing waits for a timer.
 */
export class WriteBatch {
  readonly #held: Writable[] = [];
  readonly #flush = (): void => {
    for (const socket of this.#held.splice(0)) socket.uncork();
  };

  /** What is written to the socket from now on leaves at the end of this round. */
  hold(socket: Writable): void {
    if (socket.writableCorked > 0) return;
    socket.cork();
    if (this.#held.push(socket) === 1) setImmediate(this.#flush);
  }
}
