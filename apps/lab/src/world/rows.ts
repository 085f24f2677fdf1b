import { quantile } from "../codec/spread.js";
import type { QueryRow } from "../interest/measure-query.js";
import { atMost, type Bound } from "../result/bound.js";
import type { Goals, Scheme, WorldCase } from "./world-cases.js";
import type { WorldFigures } from "./world-figures.js";
import type { SchemeName } from "./world-shape.js";

/** The medians of a case's runs. */
export interface WorldRow extends Record<string, string | number> {
  readonly scheme: Scheme | SchemeName;
  readonly entities: number;
  readonly receivers: number;
  readonly distribution: string;
  readonly hz: number;
  readonly tickMsP50: number;
  readonly tickMsP95: number;
  readonly tickMsP99: number;
  readonly bytesPerReceiverPerSecond: number;
  readonly inView: number;
  readonly rssMB: number;
  readonly goal: string;
}

const GOAL_NAMES: Readonly<Record<keyof Goals, string>> = {
  tickMsP95: "tick p95, ms",
  tickMsP99: "tick p99, ms",
  bytesPerReceiverPerSecond: "bytes to each, per second",
};

export function worldRow({ scheme, shape, goals }: WorldCase, runs: readonly WorldFigures[]): WorldRow {
  const median = (of: (run: WorldFigures) => number): number => quantile(runs.map(of), 0.5);
  const tick = (share: number): number => median(({ tickMs }) => quantile(tickMs, share));
  return {
    scheme: shape.interest ?? scheme,
    entities: shape.entities,
    receivers: shape.receivers,
    distribution: shape.distribution,
    hz: shape.tickHz,
    tickMsP50: tick(0.5),
    tickMsP95: tick(0.95),
    tickMsP99: tick(0.99),
    bytesPerReceiverPerSecond: median((run) => run.bytesPerReceiverPerSecond),
    inView: median(({ inView }) => inView),
    rssMB: median(({ rssMB }) => rssMB),
    goal: goalsOf(goals)
      .map(([key, limit]) => `${GOAL_NAMES[key]} <= ${limit}`)
      .join("; "),
  };
}

function goalsOf(goals: Goals): [keyof Goals, number][] {
  return Object.entries(goals) as [keyof Goals, number][];
}

/** Returns the limits of a case, and what its row says. Without a row they are missed. */
export function worldBounds({ scheme, shape, goals }: WorldCase, row: WorldRow | undefined): Bound[] {
  const name = `${shape.receivers} receivers, ${shape.distribution}, ${scheme}`;
  return goalsOf(goals).map(([key, limit]) => atMost(`${name}: ${GOAL_NAMES[key]}`, row?.[key], limit));
}

/** Returns the row of the query alone, in the columns of the others. */
export function queryRow(measured: QueryRow, hz: number, maxMs: number): Record<string, string | number> {
  const { entities, receivers, distribution, queryMs, inView } = measured;
  const goal = `query, ms <= ${maxMs}`;
  return { scheme: "query", entities, receivers, distribution, hz, queryMs, inView, goal };
}

/**
 * Returns a table of the ticks' medians by entities and by what is in view, with the cost of one entity in the view of one
 * receiver, which is the same everywhere if the cost is linear in what is in view.
 */
export function scalingRows(rows: readonly WorldRow[]): Record<string, string | number>[] {
  return rows.map(({ entities, receivers, inView, tickMsP50 }) => {
    const usPerEntityInView = (tickMsP50 * 1000) / (receivers * inView);
    return { entities, receivers, inView, tickMsP50, usPerEntityInView };
  });
}
