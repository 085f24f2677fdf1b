import type { RaceEntry } from "./race-messages.js";

/** Compares two entries: finishers by time, then the others by laps and by the time of their laps. */
export function compareEntries(a: RaceEntry, b: RaceEntry): number {
  if (a.finished !== b.finished) return a.finished ? -1 : 1;
  return b.laps - a.laps || a.totalMs - b.totalMs || a.number - b.number;
}

/** One car in the running order. */
export interface Runner {
  readonly number: number;
  readonly progressM: number;
  readonly entry: RaceEntry | undefined;
}

/** Returns the order on the road. Cars that have finished keep their places. */
export function runningOrder<R extends Runner>(runners: readonly R[]): R[] {
  return [...runners].sort((a, b) => {
    if (a.entry?.finished === true || b.entry?.finished === true) {
      if (a.entry?.finished !== b.entry?.finished) return a.entry?.finished === true ? -1 : 1;
      return (a.entry?.totalMs ?? 0) - (b.entry?.totalMs ?? 0);
    }
    return b.progressM - a.progressM || a.number - b.number;
  });
}

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

/** Formats a time, such as 83456 ms as "1:23.456". */
export function formatTime(timeMs: number): string {
  const total = Math.max(0, Math.round(timeMs));
  const minutes = Math.floor(total / 60_000);
  const seconds = Math.floor((total % 60_000) / 1000);
  const millis = total % 1000;
  return `${minutes}:${String(seconds).padStart(2, "0")}.${String(millis).padStart(3, "0")}`;
}
