import type { MotionRow } from "./measure.js";
import type { Bound } from "./bounds.js";

const COLUMNS: readonly (readonly [title: string, cell: (row: MotionRow) => string])[] = [
  ["system", (row) => row.system],
  ["rms m", (row) => row.positionErrorRmsM.toFixed(3)],
  ["p95 m", (row) => row.positionErrorP95M.toFixed(3)],
  ["max m", (row) => row.positionErrorMaxM.toFixed(2)],
  ["heading rms", (row) => `${row.headingErrorRmsDeg.toFixed(1)}°`],
  ["p95", (row) => `${row.headingErrorP95Deg.toFixed(1)}°`],
  ["max", (row) => `${row.headingErrorMaxDeg.toFixed(0)}°`],
  ["jerk rms x", (row) => row.jerkRatioRms.toFixed(1)],
  ["jerk p95 x", (row) => row.jerkRatioP95.toFixed(1)],
  ["jumps/min", (row) => row.jumpsPerMinute.toFixed(2)],
  ["starved", (row) => (row.starvedShare === undefined ? "" : `${(row.starvedShare * 100).toFixed(2)} %`)],
  ["upd/s", (row) => row.updatesPerSecond.toFixed(2)],
  ["B/s", (row) => row.wireBytesPerSecond.toFixed(0)],
];

/** Returns one table for each trace, network and link. */
export function tables(rows: readonly MotionRow[]): string {
  const groups = new Map<string, MotionRow[]>();
  for (const row of rows) {
    const name = `${row.trace} · ${row.network} · ${row.link}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups].map(([name, group]) => `${name}\n${table(group)}\n`).join("\n");
}

function table(rows: readonly MotionRow[]): string {
  const lines = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  "),
    )
    .join("\n");
}

export function boundLines(bounds: readonly Bound[]): string {
  return bounds
    .map(({ bound, value, limit, holds }) => {
      return `${holds ? "ok  " : "MISS"} ${bound}: ${value.toPrecision(3)} (limit ${limit.toPrecision(3)})`;
    })
    .join("\n");
}
