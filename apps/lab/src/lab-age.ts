import { parseArgs } from "node:util";
import { ageBounds } from "./age/bounds.js";
import { lossRows, narrowRows, type AgeRow } from "./age/cells.js";
import { boundLines } from "./result/bound.js";
import { cleanUpAtEnd, removeOrphans } from "./network/namespace.js";
import { whyNoNetworks } from "./network/requirements.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm lab age [--quick] [--json]

How old the newest state is that a receiver has, at every moment, over real sockets and channels on a wire with a round
trip of 50 ms: with losses, each beside the same connections without; on 64 kbit/s with more states than fit; and there
after an outage.

  --quick  a third of the time`;

const COLUMNS = [
  "system",
  "network",
  "lossPercent",
  "rateKbps",
  "rttMs",
  "statesPerSecond",
  "ageMsP50",
  "ageMsP95",
  "ageMsP99",
  "ageMsP999",
  "samples",
];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function run(): Promise<void> {
  const obstacle = whyNoNetworks({ needsTurn: false });
  if (obstacle !== undefined) throw new Error(`no networks can be made here: ${obstacle}`);
  removeOrphans();
  cleanUpAtEnd();
  const rows: AgeRow[] = [];
  const share = values.quick ? 1 / 3 : 1;
  for (const lossPercent of [1, 5]) {
    process.stderr.write(`${lossPercent} % loss ...\n`);
    rows.push(...(await lossRows(lossPercent, share)));
  }
  process.stderr.write("64 kbit/s ...\n");
  rows.push(...(await narrowRows(share)));
  const bounds = ageBounds(rows);
  process.stdout.write(
    `${table(
      rows.map((row) => ({ ...row })),
      COLUMNS,
    )}\n\n${boundLines(bounds)}\n`,
  );
  printResult("age", {
    rows,
    bounds,
    isComplete: rows.length > 0,
    isQuick: values.quick,
    asJson: values.json,
  });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
