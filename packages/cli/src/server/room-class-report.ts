/**
 * Durations in buckets: upper bounds, and the count in each bucket. A last bucket counts longer durations.
 */
export interface DurationCounts {
  readonly boundsMs: readonly number[];
  readonly counts: readonly number[];
  readonly total: number;
  readonly sumMs: number;
  readonly maxMs: number;
  quantile(share: number): number;
}

/** Counters of all rooms of one class since the start. A `ClassReport` of @paceline/server has this type. */
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

/** Counters of a room class. All others of a `ClassReport` are plain numbers. */
interface RoomClassCounters {
  readonly joins: number;
  readonly joinsRefused: number;
  readonly messagesLimited: number;
  readonly breaches: number;
  readonly hookErrors: Readonly<Record<string, number>>;
}

/** Returns the present reports, for example `() => server.classReports()`. */
export type RoomClassSource = () => readonly RoomClassReport[];

/** Returns a class's row in the table of the admin page. */
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
