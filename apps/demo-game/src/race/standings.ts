import type { RaceEntry } from "./race-messages.js";

/** Finishers by time, then the others by laps and the time these took. */
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

/** The order on the road: who has finished stays where it finished. */
export function runningOrder<R extends Runner>(runners: readonly R[]): R[] {
  return [...runners].sort((a, b) => {
    if (a.entry?.finished === true || b.entry?.finished === true) {
      if (a.entry?.finished !== b.entry?.finished) return a.entry?.finished === true ? -1 : 1;
      return (a.entry?.totalMs ?? 0) - (b.entry?.totalMs ?? 0);
    }
    return b.progressM - a.progressM || a.number - b.number;
  });
}

/** 83456 -> "1:23.456" */
export function formatTime(timeMs: number): string {
  const total = Math.max(0, Math.round(timeMs));
  const minutes = Math.floor(total / 60_000);
  const seconds = Math.floor((total % 60_000) / 1000);
  const millis = total % 1000;
  return `${minutes}:${String(seconds).padStart(2, "0")}.${String(millis).padStart(3, "0")}`;
}
