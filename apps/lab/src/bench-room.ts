/** `pnpm bench room [--json] [--quick]` */
import { parseArgs } from "node:util";
import { boundLines } from "./result/bound.js";
import { interleaved } from "./interleaved.js";
import { printResult } from "./result/result.js";
import type { ChildArguments } from "./room/child-process.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";
import { roomBounds, rowOf } from "./room/rows.js";
import { runRoom, type RoomRun } from "./room/run-room.js";
import type { RoomSystem } from "./room/system.js";
import { runServer } from "./room/server-process.js";
import { runSwarm } from "./room/swarm-process.js";
import { systemNamed, systems } from "./room/systems/all.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench room [--json] [--quick] [--only NAME,NAME] [--clients N,N] [--seconds N] [--warm-up S] [--rounds N] [--anyway]

A room whose state goes to all of its players 20 times a second, and 16 bytes of input from each of them to the server
as often. Server and players are two processes, each on a core of its own; every state is checked. Systems take turns, so that what else the machine does falls on all of them.
A run is refused whose players took more than 0.8 of a core, or that ended at a load above 1.5: it would be no figure of the
server. In rooms of 100 and more two players are whole clients, whose latencies count; ours decode and draw nothing otherwise.

  --quick    8 and 100 clients, one short round, without the 20 s that programs take to be compiled
  --anyway   prints what was refused, too
  --only     systems: ${systems.map(({ name }) => name).join(", ")}`;

const COLUMNS = [
  "system",
  "clients",
  "bytesPerState",
  "serverCpuRatioToWs",
  "serverCpuUsPerState",
  "serverWakeUpsPerInput",
  "latencyMsP50",
  "latencyMsP99",
  "latencyMsP99OfWs",
  "statesPerClientPerSecond",
  "inputsPerClientPerSecond",
  "bytesUpPerClientPerSecond",
  "swarmCpuCores",
  "clientCpuUsPerState",
  "rssMb",
  "rssKbPerClient",
  "wrong",
  "stale",
  "precision",
];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    clients: { type: "string" },
    seconds: { type: "string" },
    "warm-up": { type: "string" },
    rounds: { type: "string" },
    anyway: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

type Runs = ReadonlyMap<string, readonly RoomRun[]>;

interface Plan {
  readonly chosen: readonly RoomSystem[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

function planned(): Plan {
  const [sizes, rounds, seconds] = values.quick ? ["8,100", 1, 3] : ["8,32,100", 2, 6];
  return {
    chosen: values.only?.split(",").map(systemNamed) ?? systems,
    sizes: (values.clients ?? sizes).split(",").map(Number),
    rounds: Number(values.rounds ?? rounds),
    seconds: Number(values.seconds ?? seconds),
    warmUpSeconds: Number(values["warm-up"] ?? (values.quick ? 3 : 20)),
  };
}

function runAll({ chosen, sizes, rounds, ...times }: Plan): Promise<Runs> {
  return interleaved({
    turns: sizes.flatMap((players) => chosen.map(({ name: system }) => ({ system, players }))),
    rounds,
    keyOf: ({ system, players }) => keyOf(system, players),
    run: (turn, port) => runRoom({ ...turn, ...times, port }),
    inWords: (_turn, run) => inWords(run),
  });
}

function keyOf(system: string, players: number): string {
  return `${system}, ${players} clients`;
}

function inWords({ server, swarm, refused }: RoomRun): string {
  const cpu = ((server.cpuSeconds / server.seconds) * 100).toFixed(1);
  const bytes = (swarm.bytesIn / swarm.states).toFixed(0);
  const example = swarm.example === undefined ? "" : `: ${swarm.example}`;
  const verdict = refused === undefined ? "" : `; refused: ${refused}`;
  return `${bytes} bytes per state, ${cpu} % of a core, ${swarm.wrong} wrong${example}${verdict}`;
}

function accepted(all: Runs): Runs {
  return new Map([...all].map(([what, runs]) => [what, runs.filter(({ refused }) => refused === undefined)]));
}

async function run(): Promise<void> {
  const obstacle = whyNoRivals();
  if (obstacle !== undefined) throw new Error(obstacle);
  const plan = planned();
  const all = await runAll(plan);
  const runs = values.anyway ? all : accepted(all);
  const rows = plan.sizes.flatMap((players) =>
    plan.chosen.flatMap((system) => {
      const own = runs.get(keyOf(system.name, players)) ?? [];
      return own.length > 0
        ? [rowOf(system, players, own, runs.get(keyOf("ws-float32", players)) ?? [])]
        : [];
    }),
  );
  const bounds = roomBounds(rows);
  const printed = rows.map((row) => ({ ...row }));
  process.stdout.write(`${table(printed, COLUMNS)}\n\n${boundLines(bounds)}\n`);
  for (const [what, own] of all) {
    for (const { refused } of own) if (refused !== undefined) console.log(`refused: ${what}: ${refused}`);
  }
  const packages = new Set(plan.chosen.flatMap((system) => system.packages));
  printResult("room", {
    rows,
    bounds,
    isComplete:
      rows.every((row) => row.runs === plan.rounds) && rows.length === plan.sizes.length * plan.chosen.length,
    isQuick: values.quick,
    asJson: values.json,
    versions: Object.fromEntries([...packages].map((name) => [name, rivalVersion(name)])),
  });
}

if (values.child !== undefined) {
  const options = JSON.parse(values.child) as ChildArguments;
  await (options.role === "server" ? runServer(options) : runSwarm(options));
} else if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
