import { parseArgs } from "node:util";
import { boundLines } from "./bound.js";
import { matrixCases, type MatrixCase } from "./matrix/cases.js";
import { boundsOf } from "./matrix/bounds.js";
import type { MatrixRow } from "./matrix/outcome.js";
import type { ProbeReport } from "./matrix/probe-report.js";
import { runCase } from "./matrix/run-case.js";
import { simulateCase } from "./matrix/simulated-case.js";
import { cleanUpAtEnd, removeOrphans } from "./network/namespace.js";
import { whyNoNetworks } from "./network/requirements.js";
import { printResult } from "./result.js";
import { table } from "./table.js";

const USAGE = `pnpm lab matrix [--case NAME]... [--quick] [--json] [--verbose]

  --case NAME  only that case; may be repeated. Names: ${matrixCases.map(({ name }) => name).join(", ")}
  --quick      a few cases that take a short time, each joined once
  --verbose    the paths of every participant, with times and reasons

Without root, or without the tools for networks, the cases are simulated.`;

/** How often the times of joining are measured; the median counts. */
const JOINS = 3;

const COLUMNS = [
  "case",
  "browsers",
  "path",
  "rttMs",
  "joinedMs",
  "playableMs",
  "bestPathMs",
  "longestGapMs",
  "migrations",
  "reliableSent",
  "lost",
  "repeated",
  "outOfOrder",
  "lostWithSession",
];

const { values } = parseArgs({
  options: {
    case: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function historyOf({ history }: ProbeReport, index: number): string {
  const lines = history.map(({ atMs, choice, reason }) => `  ${atMs} ms: ${choice} (${reason})`);
  return [`participant ${index + 1}`, ...lines].join("\n");
}

async function run(): Promise<void> {
  const unknown = values.case?.filter((name) => !matrixCases.some((each) => each.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no case is called ${unknown.join(", ")}`);
  const cases = matrixCases.filter(({ name, isQuick }) => {
    return values.case ? values.case.includes(name) : !values.quick || isQuick;
  });
  const obstacle = whyNoNetworks();
  if (obstacle !== undefined) {
    process.stderr.write(
      `No networks can be made here (${obstacle}): the cases are simulated, without browsers.\n`,
    );
    return report(cases.map(simulateCase), cases);
  }
  removeOrphans();
  cleanUpAtEnd();
  const rows: MatrixRow[] = [];
  for (const each of cases) {
    process.stderr.write(`${each.name} ...\n`);
    try {
      const { row, reports } = await runCase(each, values.quick ? 1 : JOINS);
      rows.push(row);
      if (values.verbose) process.stderr.write(`${reports.map(historyOf).join("\n")}\n`);
    } catch (error) {
      process.stderr.write(`${each.name}: ${String(error)}\n`);
    }
  }
  report(rows, cases);
}

function report(rows: readonly MatrixRow[], cases: readonly MatrixCase[]): void {
  const bounds = boundsOf(rows, cases, cases.length === matrixCases.length);
  process.stdout.write(
    `${table(
      rows.map((row) => ({ ...row })),
      COLUMNS,
    )}\n\n${boundLines(bounds)}\n`,
  );
  const isComplete = rows.length === cases.length;
  printResult("matrix", { rows, bounds, isComplete, isQuick: values.quick, asJson: values.json });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
