import type { Runner } from "../race/standings.js";

/** The car that a spectator's camera follows: the leader's, until the spectator has chosen one. */
export class WatchedCar {
  #chosen: number | undefined;

  /** Number of that car; undefined without any. The choice outlives its car by nothing: the leader follows. */
  numberIn(standings: readonly Runner[]): number | undefined {
    return standings.some(({ number }) => number === this.#chosen) ? this.#chosen : standings[0]?.number;
  }

  /** The next car in the order of the numbers, which stays the same while cars overtake; or the one before. */
  choose(step: 1 | -1, standings: readonly Runner[]): void {
    const numbers = standings.map(({ number }) => number).sort((a, b) => a - b);
    const current = this.numberIn(standings);
    if (current === undefined) return;
    this.#chosen = numbers.at((numbers.indexOf(current) + step) % numbers.length);
  }
}
