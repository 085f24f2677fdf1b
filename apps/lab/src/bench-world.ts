/** `pnpm bench world [--json] [--quick]` */
import { parseArgs } from "node:util";
import { Child } from "./child.js";
import { MAX_QUERY_MS, measureQuery, uniformWorld } from "./interest/measure-query.js";
import { TICK_HZ as QUERY_HZ } from "./interest/moving-world.js";
import { atMost, boundLines, type Bound } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";
import { serveMemoryWorld, type MemoryArguments } from "./world/memory-process.js";
import {
  runWorldBots,
  runWorldCheckers,
  serveWorld,
  type SocketArguments,
} from "./world/socket-processes.js";
import { runSocketWorld } from "./world/socket-world.js";
import { queryRow, scalingRows, worldBounds, worldRow, type WorldRow } from "./world/rows.js";
import { goalCases, scalingCases, schemeCases, type Scheme, type WorldCase } from "./world/world-cases.js";
import type { Distribution } from "./world/world-shape.js";
import type { WorldFigures } from "./world/world-figures.js";

const USAGE = `pnpm bench world [--json] [--quick] [--only NAME,NAME] [--rounds N] [--seconds N]

The costs of a room with interest for its server, while everything in it walks to random places. A tick's time is that of the room's
step, from the game's own step to the end of the states. "memory": a whole server and bare sessions that acknowledge ten
times a second and send inputs at 5 Hz, over links of memory in one process on one core; its memory is that of both.
"sockets": the same over WebSockets, with the server on a core of its own, bots in two processes, and eight whole clients that
check every place, that nothing far is sent and that nothing near is missing; a tick's time includes the writing to the
sockets. "query": to find out alone who sees whom. "scaling": the same over links of memory, by the number of players and by what
they see; a room has at most 1,000 players, so of 2,000 entities a half belongs to nobody.

  --quick    a tenth of the players, without limits, one world over sockets and the smallest of the scaling: less than 20 s, too
             short for the engine to compile all code, so its times are too long
  --only     memory, sockets, query, scaling, schemes
  --rounds   runs of each world with a goal, whose medians count; default 5
  --seconds  the time that is measured in each run`;

const PARTS = ["memory", "sockets", "query", "scaling", "schemes"];
const COLUMNS = [
  ...[
    "scheme",
    "entities",
    "receivers",
    "distribution",
    "hz",
    "tickMsP50",
    "tickMsP95",
    "tickMsP99",
    "queryMs",
  ],
  ...["bytesPerReceiverPerSecond", "inView", "rssMB", "goal"],
];
const FULL = { seconds: 20, warmUpSeconds: 10, rounds: 5, share: 1, scalingShare: 1, queryRounds: 600 };
const QUICK = { seconds: 2, warmUpSeconds: 2, rounds: 1, share: 0.1, scalingShare: 0.4, queryRounds: 60 };
const QUICK_SCALING = 2;
const FIRST_PORT = 21_000;
const PORTS = 8000;
const RUN_LIMIT_MS = 600_000;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

let port = FIRST_PORT + Math.floor(Math.random() * PORTS);
const settings = values.quick ? QUICK : FULL;

async function play({ scheme, shape }: WorldCase): Promise<WorldFigures> {
  const { warmUpSeconds } = settings;
  const seconds = Number(values.seconds ?? settings.seconds);
  if (scheme === "sockets") return runSocketWorld(shape, port++, { warmUpSeconds, seconds });
  const child = new Child<MemoryArguments, "run">({ role: "memory", shape, warmUpSeconds, seconds }, 0);
  try {
    await child.ready();
    return (await child.order("run", RUN_LIMIT_MS)) as WorldFigures;
  } finally {
    await child.end();
  }
}

/** Plays all cases round by round. Prints the error of a failed run, and leaves it out. */
async function playAll(cases: readonly WorldCase[], rounds: number): Promise<(WorldRow | undefined)[]> {
  const runs = cases.map((): WorldFigures[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, each] of cases.entries()) {
      const { scheme, shape } = each;
      const name = `${shape.interest ?? scheme}, ${shape.distribution}, ${shape.entities} entities, ${shape.aimedInView} in view`;
      try {
        const figures = await play(each);
        runs[index]!.push(figures);
        console.error(`${name}: p95 ${worldRow(each, [figures]).tickMsP95.toFixed(1)} ms`);
      } catch (error) {
        console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return cases.map((each, index) => (runs[index]!.length > 0 ? worldRow(each, runs[index]!) : undefined));
}

function query(): { readonly row: Record<string, string | number>; readonly bound: Bound } {
  const measured = measureQuery(uniformWorld, settings.queryRounds);
  return {
    row: queryRow(measured, QUERY_HZ, MAX_QUERY_MS),
    bound: atMost("ms to update and query 1,000 viewers, uniform", measured.queryMs, MAX_QUERY_MS),
  };
}

function chosenParts(): readonly string[] {
  const chosen = values.only?.split(",") ?? PARTS;
  const unknown = chosen.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw new Error(`no part is called "${unknown}": there are ${PARTS.join(", ")}`);
  return chosen;
}

/** True if a quick run leaves the case out. */
function isSlow(scheme: Scheme, distribution: Distribution): boolean {
  return scheme === "sockets" && distribution !== "all-in-view";
}

async function run(): Promise<void> {
  const parts = chosenParts();
  const asked = parts.includes("query") ? query() : undefined;
  // The goals are those of the whole number of players.
  const goals = goalCases(settings.share)
    .filter(
      ({ scheme, shape }) => parts.includes(scheme) && !(values.quick && isSlow(scheme, shape.distribution)),
    )
    .map((each) => (values.quick ? { ...each, goals: {} } : each));
  const scaling = parts.includes("scaling")
    ? scalingCases(settings.scalingShare).slice(0, values.quick ? QUICK_SCALING : undefined)
    : [];
  const goalRows = await playAll(goals, Number(values.rounds ?? settings.rounds));
  const scaled = await playAll(scaling, 1);
  const schemes = parts.includes("schemes") ? schemeCases(settings.share) : [];
  const schemeRows = await playAll(schemes, 1);
  const rows = [...goalRows, ...scaled, ...schemeRows];
  const known = rows.filter((row) => row !== undefined);
  const printed = [...(asked ? [asked.row] : []), ...known];
  const bounds = [
    ...(asked ? [asked.bound] : []),
    ...goals.flatMap((each, index) => worldBounds(each, goalRows[index])),
  ];
  const tables = [table(printed, COLUMNS)];
  if (scaled.length > 0) {
    const growth = scalingRows(scaled.filter((row) => row !== undefined));
    tables.push(table(growth, Object.keys(growth[0] ?? {})));
  }
  process.stdout.write(`${tables.join("\n\n")}\n\n${boundLines(bounds)}\n`);
  const isComplete = rows.length === known.length;
  printResult("world", { rows: printed, bounds, isComplete, isQuick: values.quick, asJson: values.json });
}

async function runChild(options: MemoryArguments | SocketArguments): Promise<void> {
  if (options.role === "memory") serveMemoryWorld(options);
  else if (options.role === "server") await serveWorld(options);
  else if (options.role === "bots") runWorldBots(options);
  else runWorldCheckers(options);
}

if (values.child !== undefined) await runChild(JSON.parse(values.child) as MemoryArguments | SocketArguments);
else if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
