import { quantile } from "../codec/spread.js";
import { MovingWorld, type WorldShape } from "./moving-world.js";

const WARM_UP_ROUNDS = 100;
const SEED = 1;
/** Limit for 1,000 viewers among 1,000 entities that are everywhere alike. */
export const MAX_QUERY_MS = 0.8;

/** The world to which the limit applies. It has the cells that interest chooses for its radius. */
export const uniformWorld: WorldShape = {
  ...{ entities: 1000, edgeM: 1000, radiusM: 70, cellM: 35 },
  ...{ hotShare: 0, hotSpotM: 100 },
};

export interface QueryRow extends Record<string, string | number> {
  scheme: string;
  distribution: string;
  entities: number;
  receivers: number;
  cellM: number;
  updateMsP50: number;
  queryMsP50: number;
  /** Both together. */
  queryMs: number;
  queryMsP99: number;
  inView: number;
  viewChangesPerTick: number;
}

/** Lets a world move, and measures what it costs to find out who sees whom. */
export function measureQuery(shape: WorldShape, rounds: number): QueryRow {
  const world = new MovingWorld(shape, SEED);
  const ids = new Uint32Array(shape.entities);
  const levels = new Uint8Array(shape.entities);
  const [updates, queries, sums] = [[] as number[], [] as number[], [] as number[]];
  let inView = 0;
  let viewChanges = 0;
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    world.walk();
    const start = performance.now();
    world.update();
    const between = performance.now();
    let seen = 0;
    for (const viewer of world.viewers) seen += world.interest.query(viewer, ids, levels);
    const end = performance.now();
    if (round < 0) continue;
    updates.push(between - start);
    queries.push(end - between);
    sums.push(end - start);
    inView += seen;
    viewChanges += world.viewChanges;
  }
  return {
    scheme: shape.hasRule ? "lists" : "cells",
    distribution: shape.hotShare > 0 ? "hot-spot" : "uniform",
    entities: shape.entities,
    receivers: shape.entities,
    cellM: shape.cellM,
    updateMsP50: quantile(updates, 0.5),
    queryMsP50: quantile(queries, 0.5),
    queryMs: quantile(sums, 0.5),
    queryMsP99: quantile(sums, 0.99),
    inView: inView / rounds / shape.entities,
    viewChangesPerTick: viewChanges / rounds,
  };
}
