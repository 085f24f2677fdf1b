import type { MotionRow } from "./measure.js";

/** A limit that the measurement states, and whether it holds. */
export interface Bound {
  readonly bound: string;
  readonly value: number;
  readonly limit: number;
  readonly holds: boolean;
}

/** Name of the rows that combine all recorded cars. */
export const ALL_CARS = "all-cars";

/** Returns the bounds for recorded cars at 50 ± 5 ms with 1 % loss, over an unreliable link. */
export function boundsOf(rows: readonly MotionRow[]): Bound[] {
  const at = (system: string): MotionRow | undefined =>
    rows.find(
      (row) =>
        row.system === system &&
        row.trace === ALL_CARS &&
        row.network === "50-5-1" &&
        row.link === "unreliable",
    );
  const ours = at("paceline");
  const interpolation = at("interpolation-100ms-20hz");
  const extrapolation = at("extrapolation-20hz");
  if (!ours || !interpolation || !extrapolation) return [];
  const bounds = [
    atMost(
      "p95 position error at most 0.05 x that of 100 ms interpolation",
      ours.positionErrorP95M,
      0.05 * interpolation.positionErrorP95M,
    ),
    atMost(
      "p95 position error no larger than that of extrapolation",
      ours.positionErrorP95M,
      extrapolation.positionErrorP95M,
    ),
    atMost(
      "wire bytes at most 0.45 x those of either",
      ours.wireBytesPerSecond,
      0.45 * Math.min(interpolation.wireBytesPerSecond, extrapolation.wireBytesPerSecond),
    ),
    atMost("jumps per minute", ours.jumpsPerMinute, 0),
  ];
  return [...bounds, ...starvationBounds(rows), ...orderedBounds(rows)];
}

/**
 * Returns the bounds for a stream that waits for lost packets: an adaptive delay must be no worse than a
 * fixed one.
 */
function orderedBounds(rows: readonly MotionRow[]): Bound[] {
  const ordered = rows.filter(({ trace, link }) => trace === ALL_CARS && link === "ordered");
  const fixed = ordered.filter(({ system }) => system === "interpolation-100ms-20hz");
  return fixed.flatMap(({ network, positionErrorP95M }) => {
    const ours = ordered.find(
      (row) => row.system === "paceline-interpolation-20hz" && row.network === network,
    );
    const bound = `p95 position error of interpolation, ordered, ${network}, no larger than with a fixed 100 ms`;
    return ours ? [atMost(bound, ours.positionErrorP95M, positionErrorP95M)] : [];
  });
}

function starvationBounds(rows: readonly MotionRow[]): Bound[] {
  const row = rows.find(
    ({ system, trace, network, link }) =>
      system === "paceline-interpolation-20hz" &&
      trace === ALL_CARS &&
      network === "100-20-2-bursty" &&
      link === "unreliable",
  );
  return row ? [atMost("interpolation starved, share of frames", row.starvedShare ?? 0, 0.005)] : [];
}

function atMost(bound: string, value: number, limit: number): Bound {
  return { bound, value, limit, holds: value <= limit };
}
