/** `pnpm bench relay [--json] [--quick]` */
import { parseArgs } from "node:util";
import { boundLines } from "./result/bound.js";
import { interleaved } from "./interleaved.js";
import { runServer, runSwarm, type ChildArguments } from "./relay/processes.js";
import { BASE, relayBounds, rowOf } from "./relay/rows.js";
import { runRelay, type RelayRun } from "./relay/run-relay.js";
import { systemNamed, systems } from "./relay/systems.js";
import { printResult } from "./result/result.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench relay [--json] [--quick] [--only NAME,NAME] [--work SENDERSxHZ,...] [--warm-up S] [--seconds S] [--rounds N]

A room in which everybody sends 100 bytes to all others, many times a second. The relay is one process, the clients are
two; every message is checked. Systems take turns, so that what else the machine does falls on all of them.

  --quick    two systems and 16 senders, one short round
  --only     systems: ${systems.map(({ name }) => name).join(", ")}
  --work     rooms, as 50x30 for 50 senders that send 30 times a second`;

const COLUMNS = [
  ...["system", "senders", "hz", "cpuUsPerDelivered", "ratioToWs"],
  ...["latencyMsP50", "latencyMsP99", "addedMsP50", "addedMsP99", "promptMsP50", "addedPromptMsP50"],
  ...[
    "bytesPerDelivered",
    "rssMb",
    "swarmCpuCores",
    "deliveredShare",
    "sentShare",
    "damaged",
    "lost",
    "reordered",
  ],
];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    work: { type: "string" },
    seconds: { type: "string" },
    rounds: { type: "string" },
    "warm-up": { type: "string" },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

interface Turn {
  readonly system: string;
  readonly senders: number;
  readonly hz: number;
}

interface Plan {
  readonly turns: readonly Turn[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/**
 * Plans the same work for all systems. Only the whole client also runs in larger rooms, to see whether they
 * are cut off.
 */
function planned(): Plan {
  const quick = [BASE, "paceline-wire"];
  const names = values.only?.split(",") ?? (values.quick ? quick : systems.map(({ name }) => name));
  const asked = values.work ?? (values.quick ? "16x30" : "50x30,8x30");
  const turns = asked.split(",").flatMap((room) => turnsOf(names, room));
  const isWhole = values.work === undefined && values.only === undefined && !values.quick;
  const crowds = isWhole ? ["24x30", "16x60"].flatMap((room) => turnsOf(["paceline"], room)) : [];
  return {
    turns: [...turns, ...crowds],
    rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
    seconds: Number(values.seconds ?? (values.quick ? 0.7 : 6)),
    // For its first ten seconds a relay spends a quarter of its CPU time on compiling.
    warmUpSeconds: Number(values["warm-up"] ?? (values.quick ? 0.3 : 15)),
  };
}

function turnsOf(names: readonly string[], room: string): Turn[] {
  const [senders = 0, hz = 0] = room.split("x").map(Number);
  return names.map((name) => ({ system: systemNamed(name).name, senders, hz }));
}

/** Returns all runs, by turn. */
function runAll({ turns, rounds, ...times }: Plan): Promise<Map<string, RelayRun[]>> {
  return interleaved({
    turns,
    rounds,
    keyOf,
    run: (turn, port) => runRelay({ ...turn, ...times, port }),
    inWords(turn, run) {
      const { cpuUsPerDelivered, latencyMsP50, deliveredShare } = rowOf(turn, [run], []);
      const cpu = cpuUsPerDelivered.toFixed(2);
      return `${cpu} us, p50 ${latencyMsP50.toFixed(2)} ms, ${deliveredShare.toFixed(3)} delivered`;
    },
  });
}

function keyOf({ system, senders, hz }: Turn): string {
  return `${system}, ${senders} senders at ${hz} Hz`;
}

async function run(): Promise<void> {
  const plan = planned();
  const packages = [...new Set(plan.turns.flatMap(({ system }) => systemNamed(system).packages))];
  const obstacle = packages.length > 0 ? whyNoRivals() : undefined;
  if (obstacle !== undefined) throw new Error(obstacle);
  const runs = await runAll(plan);
  const rows = plan.turns.flatMap((turn) => {
    const own = runs.get(keyOf(turn));
    return own ? [rowOf(turn, own, runs.get(keyOf({ ...turn, system: BASE })) ?? [])] : [];
  });
  const bounds = relayBounds(rows);
  const printed = rows.map((row) => ({ ...row }));
  process.stdout.write(`${table(printed, COLUMNS)}\n\n${boundLines(bounds)}\n`);
  printResult("relay", {
    rows,
    bounds,
    isComplete: rows.length === plan.turns.length && rows.every((row) => row.runs === plan.rounds),
    isQuick: values.quick,
    asJson: values.json,
    versions: Object.fromEntries(packages.map((name) => [name, rivalVersion(name)])),
  });
}

if (values.child !== undefined) {
  const options = JSON.parse(values.child) as ChildArguments;
  await (options.role === "server" ? runServer(options) : runSwarm(options));
} else if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
