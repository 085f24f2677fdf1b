import type { Writable } from "node:stream";

/** A socket, and the round of its {@link WriteBatch} in which something was last written to it. */
export interface BatchedSocket {
  readonly socket: Writable;
  writtenIn: number;
}

/**
 * Sends the first write to a socket in a round of the event loop at once, and collects the others. Most
 * rounds have only one write, and to hold that back costs more than a second system call. The others leave
 * together, in one system call and mostly one segment. Nothing waits for a timer.
 */
export class WriteBatch {
  /**
   * A mark in each connection instead of a set of them: V8 keeps the tables of a set that lives long, and is
   * emptied each round, in the old generation, where nothing frees them for minutes.
   */
  #round = 1;
  #isScheduled = false;
  readonly #held: Writable[] = [];
  readonly #flush = (): void => {
    this.#round += 1;
    this.#isScheduled = false;
    for (const socket of this.#held.splice(0)) socket.uncork();
  };

  /** Prepares the socket for a write in this round. */
  hold(written: BatchedSocket): void {
    const { socket } = written;
    if (written.writtenIn !== this.#round) {
      written.writtenIn = this.#round;
      if (!this.#isScheduled) setImmediate(this.#flush);
      this.#isScheduled = true;
    } else if (socket.writableCorked === 0) {
      socket.cork();
      this.#held.push(socket);
    }
  }
}
