import type { DurationCounts } from "./room-class-report.js";

/** Durations of rooms of one kind. */
export interface RoomDurations {
  /** Letters, digits, - and _: nothing that would have to be escaped. */
  readonly room: string;
  readonly durations: DurationCounts;
}

/**
 * A histogram in Prometheus' text format, in seconds as is its custom. prom-client's own counts single observations;
 * these were counted elsewhere.
 */
export function histogramText(name: string, help: string, rooms: readonly RoomDurations[]): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
  for (const { room, durations } of rooms) lines.push(...linesOf(name, room, durations));
  return `${lines.join("\n")}\n`;
}

/** Prometheus' buckets hold what is below them too. */
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
