import type { Duplex } from "node:stream";
import { CloseCode } from "@paceline/protocol";
import type { Cancel, Scheduler } from "@paceline/transport";
import type { AdmittedLink, LinkOwner } from "./admitted-link.js";
import type { WriteBatch } from "./write-batch.js";

/** After a close, the other side gets so long to close its end too. */
const LINGER_MS = 1000;
/** Framing, and what is no packet at all, may come on top of the bytes that the meter counts. */
const FRAMING_FACTOR = 2;
const STRIKES = 3;
/** Frames without a packet that are borne before a session has taken the link. */
const MAX_EARLY_STRAYS = 32;

/** The parts of a connection. */
export interface ConnectionOptions {
  readonly socket: Duplex;
  readonly scheduler: Scheduler;
  readonly batch: WriteBatch;
  /** Once: the link over it ends. */
  readonly onClosing: (code: number) => void;
  readonly onClosed: (connection: Connection) => void;
}

/** The socket under one link: it must not outlive the link for long, nor bring more bytes than packets explain. */
export class Connection implements LinkOwner {
  readonly #socket: Duplex & { readonly bytesRead?: number };
  readonly #scheduler: Scheduler;
  readonly #batch: WriteBatch;
  readonly #onClosing: (code: number) => void;
  #isClosing = false;
  #link: AdmittedLink | undefined;
  #cancelLinger: Cancel | undefined;
  #bytesRead = 0;
  #strikes = 0;
  #earlyStrays = 0;

  constructor({ socket, scheduler, batch, onClosing, onClosed }: ConnectionOptions) {
    this.#socket = socket;
    this.#scheduler = scheduler;
    this.#batch = batch;
    this.#onClosing = onClosing;
    socket.once("close", () => {
      this.#cancelLinger?.();
      onClosed(this);
    });
  }

  /** The link that runs over the socket. */
  carry(link: AdmittedLink): void {
    this.#link = link;
  }

  sending(): void {
    this.#batch.hold(this.#socket);
  }

  /**
   * The link ends. What a flooding client still sends is not even read: its socket fills up and it has to wait,
   * while our close code is on its way to it.
   */
  closing(code: number): void {
    if (!this.#isClosing) this.#onClosing(code);
    this.#isClosing = true;
    if (this.#cancelLinger || this.#socket.destroyed) return;
    if (code === CloseCode.flooding || code === CloseCode.protocolViolation) this.#socket.pause();
    this.#cancelLinger = this.#scheduler.after(LINGER_MS, () => this.destroy());
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Called once per second: cuts those who keep sending what is no packet (text, pings) beyond their limit. */
  inspect(bytesPerSecond: number): void {
    const read = this.#socket.bytesRead ?? 0;
    const isOver = read - this.#bytesRead > bytesPerSecond * FRAMING_FACTOR;
    this.#bytesRead = read;
    this.#strikes = isOver ? this.#strikes + 1 : 0;
    if (this.#strikes < STRIKES) return;
    this.#strikes = 0;
    this.#flooded();
  }

  /** Counts a frame that carries no packet (text, ping, pong) as a packet of the session. False: over the limit. */
  stray(payloadBytes: number): boolean {
    const meter = this.#link?.meter;
    if (meter) return meter.admitPacket(payloadBytes);
    this.#earlyStrays += 1;
    if (this.#earlyStrays > MAX_EARLY_STRAYS) this.#flooded();
    return false;
  }

  #flooded(): void {
    const meter = this.#link?.meter;
    if (meter) meter.reportFlood();
    else this.#link?.link.close(CloseCode.flooding, "frames without a packet before the session");
  }
}
