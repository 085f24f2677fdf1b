/** `pnpm bench interest [--json] [--quick]` */
import { parseArgs } from "node:util";
import { MAX_QUERY_MS, measureQuery, uniformWorld } from "./interest/measure-query.js";
import type { WorldShape } from "./interest/moving-world.js";
import { atMost, boundLines } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench interest [--json] [--quick]

What it costs to find out who sees whom: entities walk through a square of 1 km at 20 Hz, and each of them is the viewpoint of
a player who sees 70 m. "update" takes all places, sorts them by cell and finds out which cells every viewer sees; "query"
writes every viewer's entities with their levels. Uniform, and with 30 % of the players in 1 % of the world. "lists" are
those of a room with an exact rule, chosen for each viewer alone.

  --quick  a tenth of the rounds`;

const ROUNDS = 600;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const hotSpot = { ...uniformWorld, hotShare: 0.3 };

function shapes(): WorldShape[] {
  const both = [uniformWorld, hotSpot];
  const cells = [3, 4].map((share) => ({ ...uniformWorld, cellM: uniformWorld.radiusM / share }));
  const sizes = [200, 3000].map((entities) => ({ ...uniformWorld, entities }));
  return [...both, ...cells, ...sizes, ...both.map((shape) => ({ ...shape, hasRule: true }))];
}

function run(): void {
  const rounds = values.quick ? ROUNDS / 10 : ROUNDS;
  const rows = shapes().map((shape) => measureQuery(shape, rounds));
  // The first row has the bound.
  const [reference] = rows;
  const bounds = [atMost("ms to update and query 1,000 viewers, uniform", reference?.queryMs, MAX_QUERY_MS)];
  process.stdout.write(`${table(rows, Object.keys(rows[0]!))}\n\n${boundLines(bounds)}\n`);
  printResult("interest", { rows, bounds, isComplete: true, isQuick: values.quick, asJson: values.json });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else run();
