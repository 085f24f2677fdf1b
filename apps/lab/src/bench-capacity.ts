/** `pnpm bench capacity [--json] [--quick]` */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runBots } from "./capacity/bots-process.js";
import { runCheckers } from "./capacity/checkers-process.js";
import type { ChildArguments } from "./capacity/child-process.js";
import { botsSideCores, coresInWords, coresOf, runProbe, type Probe } from "./capacity/probe.js";
import { capacityBounds, capacityRows } from "./capacity/rows.js";
import { ROOM_OF_16, runCapacity, type Limit, type Shape, type Turn } from "./capacity/run-capacity.js";
import type { SearchOptions } from "./capacity/search.js";
import { runServer } from "./capacity/server-process.js";
import { systemNamed, systems } from "./capacity/systems/all.js";
import { boundLines } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";

const USAGE = `pnpm bench capacity [--json] [--quick] [--only NAME,NAME] [--shapes NAME,NAME] [--players N] [--profile DIR]

The most players whose states are at most 50 ms old (p99) while a server on one core moves all of them 20 times a second: in one room where all see all, and in
full rooms of 16. The size grows by half until it fails twice, then the interval is halved down to 5 %. Bots are bare sockets; eight whole clients
beside them decode, check and measure. The systems take turns. A size that failed while the bots' side had no CPU left, or other programs
took some, is no result.

  --quick       short windows, at most 256 players and four probes for each system and shape: less than three minutes
  --only        systems: ${systems.map(({ name }) => name).join(", ")}
  --shapes      one-room, rooms-of-16
  --players     one probe at this number of players instead of a search
  --first       the first number of players of a search
  --largest     the largest number of players of a search
  --seconds     the time that is measured in each probe
  --warm-up     the time before it, in seconds
  --profile     writes a CPU profile of the server of each probe into this folder
  --anyway      counts failures that other programs may have caused`;

const SHAPES: readonly Shape[] = ["one-room", "rooms-of-16"];
const COLUMNS = [
  "system",
  "shape",
  "players",
  "atLeastPlayers",
  "hz",
  "ageMsP50",
  "ageMsP99",
  "serverCpuCores",
  "ratioToColyseus",
  "statesPerSecond",
  "bytesPerPlayerPerSecond",
  "botsSideCpuCores",
  "checkersDelayMsP99",
  "rssMb",
  "wrong",
  "stale",
  "probes",
  "limit",
];
const FIRST_PORT = 21_000;
const PORTS = 8000;
/** The first size hardly loads any of the systems. */
const FULL = {
  ...{ seconds: 6, warmUpSeconds: 4, deadlineMinutes: 23 },
  ...{ first: 128, largest: 4096, factor: 1.5, precision: 0.05, maxProbes: 16, attempts: 2 },
};
const QUICK = {
  ...{ seconds: 2, warmUpSeconds: 1, deadlineMinutes: 2.5 },
  ...{ first: 64, largest: 256, factor: 2, precision: 0.3, maxProbes: 4, attempts: 1 },
};

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    shapes: { type: "string" },
    players: { type: "string" },
    first: { type: "string" },
    largest: { type: "string" },
    seconds: { type: "string" },
    "warm-up": { type: "string" },
    profile: { type: "string" },
    anyway: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

const settings = values.quick ? QUICK : FULL;
let port = FIRST_PORT + Math.floor(Math.random() * PORTS);

function shapeNamed(name: string): Shape {
  const shape = SHAPES.find((each) => each === name);
  if (shape === undefined) throw new Error(`no shape is called "${name}": there are ${SHAPES.join(", ")}`);
  return shape;
}

function searchOf(system: string, shape: Shape): SearchOptions {
  const step = shape === "one-room" ? 1 : ROOM_OF_16;
  const most = shape === "one-room" ? systemNamed(system).maxRoomPlayers : Infinity;
  const { factor, precision, maxProbes, attempts } = settings;
  const only = values.players === undefined ? undefined : Number(values.players);
  return {
    first: only ?? Number(values.first ?? settings.first),
    largest: Math.min(most, only ?? Number(values.largest ?? settings.largest)),
    step,
    factor,
    precision,
    ...(only === undefined ? { maxProbes, attempts } : { maxProbes: 1, attempts: 1 }),
  };
}

async function probe({ system, shape, players }: Turn): Promise<Probe> {
  const profile = values.profile && path.join(values.profile, `${system}-${shape}-${players}.cpuprofile`);
  const run = await runProbe({
    system,
    port: port++,
    players,
    roomPlayers: shape === "one-room" ? players : ROOM_OF_16,
    seconds: Number(values.seconds ?? settings.seconds),
    warmUpSeconds: Number(values["warm-up"] ?? settings.warmUpSeconds),
    profile,
  });
  const { verdict } = run;
  if (!values.anyway || verdict.limit !== "machine") return run;
  return { ...run, verdict: { ...verdict, limit: "server" } };
}

function inWords({ system, shape, players }: Turn, { limit, reason }: Limit, run: Probe | undefined): void {
  const verdict = limit === "none" ? "held" : `${limit}: ${reason}`;
  const figures = run
    ? `, p99 ${run.checkers.ageMsP99.toFixed(1)} ms, server ${coresOf(run.server).toFixed(2)} cores, bots' side ${botsSideCores(run).toFixed(2)}, others ${(run.foreignCores ?? Number.NaN).toFixed(2)}`
    : "";
  console.error(`${system}, ${shape}, ${players} players: ${verdict}${figures}`);
}

async function run(): Promise<void> {
  const chosen = values.only?.split(",").map(systemNamed) ?? systems;
  const obstacle = whyNoRivals();
  const needsRivals = chosen.some(({ name }) => name === "colyseus");
  if (needsRivals && obstacle !== undefined) throw new Error(obstacle);
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true });
  const found = await runCapacity({
    systems: chosen.map(({ name }) => name),
    shapes: values.shapes?.split(",").map(shapeNamed) ?? SHAPES,
    searchOf,
    deadlineMs: settings.deadlineMinutes * 60_000,
    probe,
    inWords,
  });
  const rows = capacityRows(found);
  const bounds = capacityBounds(rows);
  const printed = rows.map((row) => ({ ...row }));
  process.stdout.write(`${table(printed, COLUMNS)}\n\n${coresInWords()}\n${boundLines(bounds)}\n`);
  const packages = needsRivals ? chosen.flatMap((system) => system.packages) : [];
  printResult("capacity", {
    rows: rows.map((row) => ({ ...row, cores: coresInWords() })),
    bounds,
    isComplete: rows.every(({ players }) => players !== undefined),
    isQuick: values.quick,
    asJson: values.json,
    versions: Object.fromEntries(packages.map((name) => [name, rivalVersion(name)])),
  });
}

if (values.child !== undefined) {
  const options = JSON.parse(values.child) as ChildArguments;
  if (options.role === "server") await runServer(options);
  else if (options.role === "bots") runBots(options);
  else runCheckers(options);
} else if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
