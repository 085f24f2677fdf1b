import type { BulkRate } from "@paceline/transport";

/** Half of what a relay lets one session send by default: the other half is for what the game does meanwhile. */
const BYTES_PER_SECOND = 131_072;
const BURST_BYTES = 16_384;

/** How fast bulk of all pairs of a room goes through the server together. Pure: time comes in. */
export class SharedBulkRate implements BulkRate {
  #bytes = BURST_BYTES;
  #atMs = Number.NEGATIVE_INFINITY;

  take(bytes: number, nowMs: number): boolean {
    const gained = ((nowMs - this.#atMs) / 1000) * BYTES_PER_SECOND;
    this.#bytes = Math.min(BURST_BYTES, this.#bytes + gained);
    this.#atMs = nowMs;
    if (this.#bytes < bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}
