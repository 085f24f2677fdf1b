import type { Runner } from "../race/standings.js";

/** Chooses the car that a spectator's camera follows: the leader's, until the spectator chooses one. */
export class WatchedCar {
  #chosen: number | undefined;

  /** Returns the car's number; undefined without cars. If the chosen car is gone, it is the leader's. */
  numberIn(standings: readonly Runner[]): number | undefined {
    return standings.some(({ number }) => number === this.#chosen) ? this.#chosen : standings[0]?.number;
  }

  /** Chooses the next or the previous car by number, since that order stays the same while cars overtake. */
  choose(step: 1 | -1, standings: readonly Runner[]): void {
    const numbers = standings.map(({ number }) => number).sort((a, b) => a - b);
    const current = this.numberIn(standings);
    if (current === undefined) return;
    this.#chosen = numbers.at((numbers.indexOf(current) + step) % numbers.length);
  }
}
