import type { Duplex } from "node:stream";
import { CloseCode } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { AdmittedLink, LinkOwner } from "./admitted-link.js";
import type { BatchedSocket, WriteBatch } from "./write-batch.js";

/** Time for the other side to close its end after a close. */
const LINGER_MS = 1000;
/** Allowance for framing and for frames without a packet, as a factor of the metered bytes. */
const FRAMING_FACTOR = 2;
const STRIKES = 3;
/** Frames without a packet that are allowed before a session takes the link. */
const MAX_EARLY_STRAYS = 32;

/** The parts of a connection. */
export interface ConnectionOptions {
  readonly socket: Duplex;
  readonly scheduler: Scheduler;
  readonly batch: WriteBatch;
  /** Called once, when the link over the socket ends. */
  readonly onClosing: (code: number) => void;
  readonly onClosed: (connection: Connection) => void;
}

/**
 * The socket under one link. It closes soon after the link, and is cut if it brings far more bytes than
 * packets explain.
 */
export class Connection implements LinkOwner, BatchedSocket {
  readonly socket: Duplex & { readonly bytesRead?: number };
  writtenIn = 0;
  readonly #options: ConnectionOptions;
  #isClosing = false;
  /** The link that runs over the socket. */
  link: AdmittedLink | undefined;
  #cancelLinger: Cancel | undefined;
  #bytesRead = 0;
  #strikes = 0;
  #earlyStrays = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.socket = options.socket;
    this.socket.once("close", () => {
      this.#cancelLinger?.();
      options.onClosed(this);
    });
  }

  sending(): void {
    this.#options.batch.hold(this);
  }

  /**
   * Closes the socket soon after its link. Stops reading from a flooding client: its socket fills up and it
   * has to wait while the close code is on its way.
   */
  closing(code: number): void {
    if (!this.#isClosing) this.#options.onClosing(code);
    this.#isClosing = true;
    if (this.#cancelLinger || this.socket.destroyed) return;
    if (code === CloseCode.flooding || code === CloseCode.protocolViolation) this.socket.pause();
    this.#cancelLinger = this.#options.scheduler.after(LINGER_MS, () => this.destroy());
  }

  destroy(): void {
    this.socket.destroy();
  }

  /**
   * Called once per second. Cuts a client that exceeds the limit several times in a row with bytes that are
   * no packets (text, pings).
   */
  inspect(bytesPerSecond: number): void {
    const read = this.socket.bytesRead ?? 0;
    const isOver = read - this.#bytesRead > bytesPerSecond * FRAMING_FACTOR;
    this.#bytesRead = read;
    this.#strikes = isOver ? this.#strikes + 1 : 0;
    if (this.#strikes < STRIKES) return;
    this.#strikes = 0;
    this.#flooded();
  }

  /**
   * Counts a frame without a packet (text, ping, pong) as a packet of the session. Returns false if the limit
   * is reached, or if no session has taken the link.
   */
  stray(payloadBytes: number): boolean {
    const meter = this.link?.meter;
    if (meter) return meter.admitPacket(payloadBytes);
    this.#earlyStrays += 1;
    if (this.#earlyStrays > MAX_EARLY_STRAYS) this.#flooded();
    return false;
  }

  #flooded(): void {
    const meter = this.link?.meter;
    if (meter) meter.options.onFlood();
    else this.link?.link.close(CloseCode.flooding, "frames without a packet before the session");
  }
}
