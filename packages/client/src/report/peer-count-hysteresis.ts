/** Once a room was too full for direct links, it must not be so for so long before it counts as emptier. */
const EMPTIER_AFTER_MS = 15_000;

/**
 * Counts the peers for the limit on direct links: a higher count applies at once, a lower one only after a while, or one
 * player who comes and goes would have all links closed and opened each time. Pure: time comes in.
 */
export class PeerCountHysteresis {
  #isCrowded = false;
  /** Since when there are few enough again; undefined while there are not. */
  #emptierSinceMs: number | undefined;

  /** The number that counts, at least `most` + 1 while the crowd is held against the room. */
  take(count: number, most: number, nowMs: number): number {
    if (count > most) {
      this.#isCrowded = true;
      this.#emptierSinceMs = undefined;
      return count;
    }
    this.#emptierSinceMs ??= nowMs;
    if (this.hasEmptied(nowMs)) this.#isCrowded = false;
    return this.#isCrowded ? most + 1 : count;
  }

  /** Whether the number should be taken again, since there have been few enough for long enough. */
  hasEmptied(nowMs: number): boolean {
    return this.#isCrowded && nowMs - (this.#emptierSinceMs ?? nowMs) >= EMPTIER_AFTER_MS;
  }
}
