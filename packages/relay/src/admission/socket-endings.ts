import type { Duplex } from "node:stream";

/** Sockets that are ended in one round of the event loop, which takes about 3 ms. */
const MAX_PER_ROUND = 32;

interface Ending {
  readonly socket: Duplex;
  readonly status: string;
}

/**
 * Ends connections with an HTTP status, a few in each round of the event loop. Node reports all that have
 * timed out in one round: ending 5,000 half-open ones there would block the server for half a second.
 */
export class SocketEndings {
  readonly #waiting: Ending[] = [];

  end(socket: Duplex, status: string): void {
    if (this.#waiting.push({ socket, status }) === 1) setImmediate(() => this.#round());
  }

  #round(): void {
    const ending = this.#waiting.slice(0, MAX_PER_ROUND);
    for (const { socket, status } of ending) endNow(socket, status);
    this.#waiting.splice(0, ending.length);
    if (this.#waiting.length > 0) setImmediate(() => this.#round());
  }
}

/** Answers with the status and closes the socket. Destroys a socket that cannot be written to. */
export function endNow(socket: Duplex, status: string): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
