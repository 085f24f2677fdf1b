import type { BulkRate } from "@paceline/transport";

/** Half of a relay's default limit for one session. The other half is for the game's other traffic. */
const BYTES_PER_SECOND = 131_072;
const BURST_BYTES = 16_384;

/**
 * Common rate limit for the bulk traffic of all relayed pairs of a room. Pure: the caller passes the time.
 */
export class SharedBulkRate implements BulkRate {
  #bytes = BURST_BYTES;
  #atMs = -Infinity;

  take(bytes: number, nowMs: number): boolean {
    const gained = ((nowMs - this.#atMs) / 1000) * BYTES_PER_SECOND;
    this.#bytes = Math.min(BURST_BYTES, this.#bytes + gained);
    this.#atMs = nowMs;
    if (this.#bytes < bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}
