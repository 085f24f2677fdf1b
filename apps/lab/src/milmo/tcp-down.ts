/** Ethernet, IPv4 and TCP without options: the paper's headers. */
export const HEADER_BYTES = 54;
const MAX_SEGMENT_BYTES = 1460;
/**
 * Time until a segment with data is acknowledged, ms: with Nagle's algorithm the next one waits for that. From the paper's
 * reference, whose bytes beside the payload are 8.1 to 8.8 headers a second for each client.
 */
const ACKNOWLEDGED_AFTER_MS = 113;
/** Time for which a TCP waits for data that takes an acknowledgement along, ms. */
const DELAYED_ACK_MS = 200;

/** Counts what a server's TCP sends to one client. Times must not go back. */
export class TcpDown {
  bytes = 0;
  readonly #hasNagle: boolean;
  #waitingBytes = 0;
  #freeAtMs = -Infinity;
  #owesAckAtMs = Infinity;

  constructor({ hasNagle }: { readonly hasNagle: boolean }) {
    this.#hasNagle = hasNagle;
  }

  /** The game writes a message. */
  write(nowMs: number, bytes: number): void {
    this.advance(nowMs);
    this.#waitingBytes += bytes;
    if (!this.#hasNagle || nowMs >= this.#freeAtMs) this.#flush(nowMs);
  }

  /** A segment of the client arrives, which must be acknowledged. */
  receive(nowMs: number): void {
    this.advance(nowMs);
    if (this.#owesAckAtMs === Infinity) this.#owesAckAtMs = nowMs + DELAYED_ACK_MS;
  }

  /** Sends what was due until now. */
  advance(nowMs: number): void {
    if (this.#waitingBytes > 0 && this.#freeAtMs <= Math.min(nowMs, this.#owesAckAtMs))
      this.#flush(this.#freeAtMs);
    if (this.#owesAckAtMs <= nowMs) {
      this.bytes += HEADER_BYTES;
      this.#owesAckAtMs = Infinity;
    }
    if (this.#waitingBytes > 0 && this.#freeAtMs <= nowMs) this.#flush(this.#freeAtMs);
  }

  #flush(atMs: number): void {
    this.bytes += this.#waitingBytes + HEADER_BYTES * Math.ceil(this.#waitingBytes / MAX_SEGMENT_BYTES);
    this.#waitingBytes = 0;
    this.#freeAtMs = atMs + ACKNOWLEDGED_AFTER_MS;
    this.#owesAckAtMs = Infinity;
  }
}
