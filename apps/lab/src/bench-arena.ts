/** `pnpm bench arena [--json] [--quick]` */
import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  arenaSystems,
  runArenaServer,
  runArenaSwarm,
  type ArenaArguments,
  type ArenaServerFigures,
  type ArenaSwarmFigures,
} from "./arena/arena-processes.js";
import { judge } from "./arena/judge.js";
import { openSlowLine } from "./arena/slow-line.js";
import { Child } from "./child.js";
import { quantile } from "./codec/spread.js";
import { atMost, boundLines, type Bound } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";

const USAGE = `pnpm bench arena [--json] [--quick] [--rounds N] [--seconds N] [--players N]

The starter "arena" (cells that eat, split and grow together) with 60 players, 1,000 pieces of food and 50 viruses, beside the same
rules on Socket.IO, which sends raw states of each player's screen 40 times a second. All players are whole clients on one core,
which read at 60 frames a second what a page draws; the server has a core of its own. Every message takes 50 +- 10 ms each
way. An error is the distance between where a page draws a cell of another player and where the server has it at that moment;
a frame is frozen if a cell moves and the page shows it still.

  --quick    20 players, 5 s, one round, without limits
  --rounds   runs of each, in turns, whose medians count; default 3`;

const LINE = { delayMs: 50, jitterMs: 10 };
const FULL = { players: 60, seconds: 20, warmUpSeconds: 20, rounds: 3 };
const QUICK = { players: 20, seconds: 5, warmUpSeconds: 5, rounds: 1 };
const FIRST_PORT = 21_000;
const PORTS = 8000;
const ANSWER_LIMIT_MS = 60_000;
const COLUMNS = [
  "system",
  "bytesPerPlayerPerSecond",
  "bytesUpPerPlayerPerSecond",
  "serverCores",
  "rulesCores",
  "clientMsPerSecond",
  "errorMP50",
  "errorMP95",
  "frozenShare",
];
type Row = Record<(typeof COLUMNS)[number], string | number>;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    seconds: { type: "string" },
    players: { type: "string" },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

const settings = values.quick ? QUICK : FULL;
const players = Number(values.players ?? settings.players);
let port = FIRST_PORT + Math.floor(Math.random() * PORTS);

async function play(system: string): Promise<Row> {
  const [to, from] = [port++, port++];
  const closeLine = await openSlowLine({ from, to, ...LINE });
  const children: Child<ArenaArguments>[] = [];
  const start = async (
    role: ArenaArguments["role"],
    at: number,
    core: number,
  ): Promise<Child<ArenaArguments>> => {
    const child = new Child<ArenaArguments>({ role, system, players, port: at }, core);
    children.push(child);
    await child.ready();
    return child;
  };
  try {
    const server = await start("server", to, 0);
    const swarm = await start("swarm", from, 1);
    await pause(settings.warmUpSeconds * 1000);
    await Promise.all([server.order("begin"), swarm.order("begin")]);
    await pause(Number(values.seconds ?? settings.seconds) * 1000);
    const seen = (await swarm.order("end", ANSWER_LIMIT_MS)) as ArenaSwarmFigures;
    const served = (await server.order("end", ANSWER_LIMIT_MS)) as ArenaServerFigures;
    return rowOf(system, served, seen);
  } finally {
    for (const child of children.toReversed()) await child.end();
    closeLine();
  }
}

function rowOf(system: string, server: ArenaServerFigures, swarm: ArenaSwarmFigures): Row {
  const { errorMP50, errorMP95, frozen } = judge(server.steps, swarm.frames);
  return {
    system,
    bytesPerPlayerPerSecond: swarm.bytesIn / players / swarm.seconds,
    bytesUpPerPlayerPerSecond: swarm.bytesOut / players / swarm.seconds,
    serverCores: server.cpuSeconds / server.seconds,
    rulesCores: server.rulesSeconds / server.seconds,
    clientMsPerSecond: (swarm.cpuSeconds * 1000) / players / swarm.seconds,
    errorMP50,
    errorMP95,
    frozenShare: frozen,
  };
}

function medians(system: string, rows: readonly Row[]): Row {
  const median = (column: string): number =>
    quantile(
      rows.map((row) => Number(row[column])),
      0.5,
    );
  return Object.fromEntries(COLUMNS.map((column) => [column, column === "system" ? system : median(column)]));
}

function boundsOf([ours, theirs]: readonly (Row | undefined)[]): Bound[] {
  const ratio = (column: string): number | undefined =>
    ours && theirs && Number(ours[column]) / Number(theirs[column]);
  return [
    atMost("bytes a second to each player", ours && Number(ours["bytesPerPlayerPerSecond"]), 6000),
    atMost("server CPU / Socket.IO's", ratio("serverCores"), 0.75),
    atMost("share of frozen frames", ours && Number(ours["frozenShare"]), 0.01),
    atMost("error p50 / Socket.IO's", ratio("errorMP50"), 1),
    atMost("client CPU / Socket.IO's", ratio("clientMsPerSecond"), 1),
  ];
}

async function run(): Promise<void> {
  const missing = whyNoRivals();
  if (missing !== undefined) throw new Error(missing);
  const rows = arenaSystems.map((): Row[] => []);
  for (let round = 0; round < Number(values.rounds ?? settings.rounds); round++) {
    for (const [index, { name }] of arenaSystems.entries()) {
      try {
        rows[index]!.push(await play(name));
        console.error(`${name}: done, load ${loadavg()[0]!.toFixed(1)}`);
      } catch (error) {
        console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  const measured = arenaSystems.map(({ name }, index) =>
    rows[index]!.length > 0 ? medians(name, rows[index]!) : undefined,
  );
  const known = measured.filter((row) => row !== undefined);
  const bounds = values.quick ? [] : boundsOf(measured);
  process.stdout.write(`${table(known, COLUMNS)}\n\n${boundLines(bounds)}\n`);
  const versions = Object.fromEntries(
    arenaSystems.flatMap(({ packages }) => packages).map((name) => [name, rivalVersion(name)]),
  );
  const isComplete = known.length === arenaSystems.length;
  printResult("arena", {
    rows: known,
    bounds,
    isComplete,
    isQuick: values.quick,
    asJson: values.json,
    versions,
  });
}

if (values.child !== undefined) {
  const options = JSON.parse(values.child) as ArenaArguments;
  await (options.role === "server" ? runArenaServer(options) : runArenaSwarm(options));
} else if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
