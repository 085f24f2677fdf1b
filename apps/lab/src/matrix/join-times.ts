import type { ProbeReport } from "./probe-report.js";

/** Times of one join, ms from the call of `joinOrCreate`; an event that never came is absent. */
export interface JoinTimes {
  readonly joinedMs?: number;
  /** Time until the participant has a state of every other one. */
  readonly playableMs?: number;
  /** Time until the participant has a direct path to every other one. */
  readonly bestPathMs?: number;
}

/** Returns the times of the slowest joiner. */
export function joinTimes(joiners: readonly ProbeReport[]): JoinTimes {
  const pairs = joiners.flatMap((joiner) => joiner.pairs);
  return {
    joinedMs: Math.max(...joiners.map(({ joinedMs }) => joinedMs)),
    ...greatest(
      "playableMs",
      pairs.map(({ playableMs }) => playableMs),
    ),
    ...greatest(
      "bestPathMs",
      pairs.map(({ directMs }) => directMs),
    ),
  };
}

/** Returns the median of each time over all joins; one that is absent in most of them stays absent. */
export function medianTimes(joins: readonly JoinTimes[]): JoinTimes & { readonly joinedMs: number } {
  const median = (key: keyof JoinTimes): number => {
    const times = joins.map((join) => join[key] ?? Number.POSITIVE_INFINITY).toSorted((a, b) => a - b);
    return Math.round(times[Math.floor(times.length / 2)]!);
  };
  const optional = (["playableMs", "bestPathMs"] as const).flatMap((key) => {
    const time = median(key);
    return Number.isFinite(time) ? [[key, time] as const] : [];
  });
  return { joinedMs: median("joinedMs"), ...Object.fromEntries(optional) };
}

function greatest(name: keyof JoinTimes, times: readonly (number | undefined)[]): JoinTimes {
  const all = times.map((time) => time ?? Number.POSITIVE_INFINITY);
  const last = Math.max(...all);
  return all.length > 0 && Number.isFinite(last) ? { [name]: last } : {};
}
