import type { DurationCounts } from "./room-class-report.js";

/** Durations in rooms of one kind. */
export interface RoomDurations {
  /** Kind of room: letters, digits, - and _, so nothing needs escapes. */
  readonly room: string;
  readonly durations: DurationCounts;
}

/**
 * Returns a histogram in Prometheus' text format, in seconds by its convention. prom-client's histograms
 * count single values; these values are already counted.
 */
export function histogramText(name: string, help: string, rooms: readonly RoomDurations[]): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { room, durations } of rooms) lines.push(...linesOf(name, room, durations));
  return `${lines.join("\n")}\n`;
}

/** A bucket of Prometheus also counts all values below it. */
function linesOf(name: string, room: string, { boundsMs, counts, total, sumMs }: DurationCounts): string[] {
  let below = 0;
  const buckets = boundsMs.map((boundMs, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket{le="${boundMs / 1000}",room="${room}"} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket{le="+Inf",room="${room}"} ${total}`,
    `${name}_sum{room="${room}"} ${sumMs / 1000}`,
    `${name}_count{room="${room}"} ${total}`,
  ];
}
