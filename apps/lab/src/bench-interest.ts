/** `pnpm bench interest [--json] [--quick]` */
import { parseArgs } from "node:util";
import { MovingWorld, type WorldShape } from "./interest/moving-world.js";
import { atMost, boundLines } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench interest [--json] [--quick]

What it costs to find out who sees whom: entities walk through a square of 1 km at 20 Hz, and each of them is the viewpoint of
a player who sees 70 m. "update" takes all places, sorts them by cell and finds out which cells every viewer sees; "query"
writes every viewer's entities with their levels. Uniform, and with 30 % of the players in 1 % of the world. "lists" are
those of a room with an exact rule, chosen for each viewer alone.

  --quick  a tenth of the rounds`;

const WARM_UP = 100;
const ROUNDS = 600;
const SEED = 1;
/** Limit for 1,000 viewers among 1,000 entities that are everywhere alike. */
const MAX_QUERY_MS = 0.8;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Row extends Record<string, string | number> {
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

const base = { edgeM: 1000, radiusM: 70, hotSpotM: 100 };
/** The cell that interest chooses for this radius. */
const DEFAULT_CELL_M = base.radiusM / 2;
const uniform = { ...base, hotShare: 0 };
const hotSpot = { ...base, hotShare: 0.3 };

function shapes(): WorldShape[] {
  const both = [uniform, hotSpot].map((shape) => ({ ...shape, entities: 1000, cellM: DEFAULT_CELL_M }));
  const cells = [3, 4].map((share) => ({ ...uniform, entities: 1000, cellM: base.radiusM / share }));
  const sizes = [200, 3000].map((entities) => ({ ...uniform, entities, cellM: DEFAULT_CELL_M }));
  return [...both, ...cells, ...sizes, ...both.map((shape) => ({ ...shape, hasRule: true }))];
}

function measure(shape: WorldShape): Row {
  const rounds = values.quick ? ROUNDS / 10 : ROUNDS;
  const world = new MovingWorld(shape, SEED);
  const ids = new Uint32Array(shape.entities);
  const levels = new Uint8Array(shape.entities);
  const [updates, queries, sums] = [[] as number[], [] as number[], [] as number[]];
  let inView = 0;
  let viewChanges = 0;
  for (let round = -WARM_UP; round < rounds; round++) {
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

function quantile(samples: readonly number[], share: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(share * (samples.length - 1))]!;
}

function run(): void {
  // The first row has the bound.
  const rows = shapes().map(measure);
  const [reference] = rows;
  const bounds = [atMost("ms to update and query 1,000 viewers, uniform", reference?.queryMs, MAX_QUERY_MS)];
  process.stdout.write(`${table(rows, Object.keys(rows[0]!))}\n\n${boundLines(bounds)}\n`);
  printResult("interest", { rows, bounds, isComplete: true, isQuick: values.quick, asJson: values.json });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else run();
