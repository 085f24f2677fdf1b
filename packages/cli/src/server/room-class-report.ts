/** Durations in buckets: upper bounds, and how many lie in each; what is above the last bound is in one more. */
export interface DurationCounts {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly total: number;
  readonly sumMs: number;
  readonly maxMs: number;
  quantile(share: number): number;
}

/** The counters of all rooms of one class since the start; a `ClassReport` of @paceline/server is one. */
export interface RoomClassReport {
  readonly roomName: string;
  readonly rooms: number;
  readonly players: number;
  readonly entities: number;
  readonly ticks: number;
  readonly skippedTicks: number;
  readonly lateness: DurationCounts;
  readonly duration: DurationCounts;
  readonly counters: RoomClassCounters;
}

/** Whatever else is counted is a number. */
interface RoomClassCounters {
  readonly joins: number;
  readonly joinsRefused: number;
  readonly messagesLimited: number;
  readonly breaches: number;
  readonly hookErrors: Readonly<Record<string, number>>;
}

/** Asked whenever somebody looks: `() => server.classReports()`. */
export type RoomClassSource = () => readonly RoomClassReport[];

/** A class in a line of the admin page. */
export function summaryOf(report: RoomClassReport): Readonly<Record<string, string | number>> {
  const { roomName, rooms, players, ticks, skippedTicks, duration, lateness, counters } = report;
  const hookErrors = Object.values(counters.hookErrors).reduce((sum, count) => sum + count, 0);
  return {
    roomName,
    rooms,
    players,
    ticks,
    skippedTicks,
    tickP99Ms: duration.quantile(0.99),
    latenessP99Ms: lateness.quantile(0.99),
    hookErrors,
    joinsRefused: counters.joinsRefused,
    messagesLimited: counters.messagesLimited,
    breaches: counters.breaches,
  };
}
