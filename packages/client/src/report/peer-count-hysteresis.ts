/** A room that had more players than a limit counts as emptier after this time at or below it. */
const EMPTIER_AFTER_MS = 15_000;

/**
 * Counts the peers for a limit at which direct links open or close. A higher count applies at once, a lower one only
 * after a while. Otherwise one player who comes and goes would close and open all links each time. Pure: the caller
 * passes the time.
 */
export class PeerCountHysteresis {
  #isCrowded = false;
  /** When the count last fell to the limit; undefined while it is above. */
  #emptierSinceMs: number | undefined;

  /** Returns the count to use: at least `most` + 1 until a crowded room has been emptier for long enough. */
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

  /** True if the count has been low for long enough to be taken again. */
  hasEmptied(nowMs: number): boolean {
    return this.#isCrowded && nowMs - (this.#emptierSinceMs ?? nowMs) >= EMPTIER_AFTER_MS;
  }
}
