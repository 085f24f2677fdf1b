/** `pnpm bench paths [--json] [--quick]` */
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { parseArgs } from "node:util";
import { atLeast, atMost, boundLines, type Bound } from "./result/bound.js";
import { play, type PathsRow, type Situation, type Way } from "./paths/play.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench paths [--json] [--quick]

What each player sends and computes where players reach each other directly, and where all goes through the relay: real
WebSockets and data channels on the loopback, all players in one process, the server in another. Bytes are payloads: each
packet has headers besides, more over WebRTC than over a WebSocket.

  --quick  3 s instead of 10 for each`;

/** Situations in which the decision tree does not choose direct links. */
const situations: readonly Situation[] = [
  { name: "racing, 3 others, for the CPU", genre: "racing", others: 3, numbers: { sendPeriodMs: 66 } },
  { name: "puzzle, 3 others, for the CPU", genre: "puzzle", others: 3, numbers: { sendPeriodMs: 66 } },
  { name: "racing, 20 others", genre: "racing", others: 20 },
];
const ways: readonly Way[] = ["direct", "relay"];
const COLUMNS = [
  "situation",
  "way",
  "players",
  "pairsThatWay",
  "bytesOutPerPlayerPerSecond",
  "packetsOutPerPlayerPerSecond",
  "cpuMsPerPlayerPerSecond",
  "statesInPerPlayerPerSecond",
  "bytesOutPerState",
];

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function bounds(rows: readonly PathsRow[]): Bound[] {
  return situations.flatMap(({ name }) => {
    const [direct, relay] = ways.map((way) => rows.find((row) => row.situation === name && row.way === way));
    const ratio = (key: "bytesOutPerState" | "cpuMsPerPlayerPerSecond"): number | undefined =>
      direct && relay && relay[key] / direct[key];
    const least = Math.min(direct?.pairsThatWay ?? 0, relay?.pairsThatWay ?? 0);
    return [
      // Pairs that fall back to the relay, because the machine is too slow, would make "direct" look cheaper.
      atLeast(`${name}: pairs that were reached the way they should`, least, 0.5),
      atMost(
        `${name}: bytes out for each state through the relay, of direct`,
        ratio("bytesOutPerState"),
        0.85,
      ),
      atMost(`${name}: CPU through the relay, of direct`, ratio("cpuMsPerPlayerPerSecond"), 1),
    ];
  });
}

async function run(): Promise<void> {
  const file = path.join(import.meta.dirname, "paths/server-process.mjs");
  const server = fork(file, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [url] = (await once(server, "message")) as [string];
  const rows: PathsRow[] = [];
  for (const situation of situations) {
    for (const way of ways) {
      process.stderr.write(`${situation.name}: ${way} ...\n`);
      rows.push(await play(situation, way, url, values.quick ? 3 : 10));
    }
  }
  server.kill();
  const held = bounds(rows);
  process.stdout.write(
    `${table(
      rows.map((row) => ({ ...row })),
      COLUMNS,
    )}\n\n${boundLines(held)}\n`,
  );
  printResult("paths", {
    rows,
    bounds: held,
    isComplete: rows.length === situations.length * ways.length,
    isQuick: values.quick,
    asJson: values.json,
  });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
