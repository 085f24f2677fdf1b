import { parseArgs } from "node:util";
import { boundLines } from "./result/bound.js";
import { matrixCases, type MatrixCase } from "./matrix/cases.js";
import { boundsOf } from "./matrix/bounds.js";
import type { MatrixRow } from "./matrix/outcome.js";
import { runCase, type Played } from "./matrix/run-case.js";
import { simulateCase } from "./matrix/simulated-case.js";
import { cleanUpAtEnd, removeOrphans } from "./network/namespace.js";
import { whyNoNetworks } from "./network/requirements.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm lab matrix [--case NAME]... [--quick] [--json] [--verbose]

  --case NAME  only that case; may be repeated. Names: ${matrixCases.map(({ name }) => name).join(", ")}
  --quick      a few cases that take a short time, each joined once
  --verbose    the paths of every participant, with times and reasons

Without root, or without the tools for networks, the cases are simulated.`;

/** Number of joins per case; the median counts. */
const JOINS = 3;
/** Attempts to play a case to its end. */
const ATTEMPTS = 2;

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

function historyOf({ reports, steps }: Played, index: number): string {
  const lines = reports[index]!.history.map(
    ({ atMs, choice, reason }) => `  ${atMs} ms: ${choice} (${reason})`,
  );
  const connections = steps[index]!.map((each) => each.map(({ atMs, step }) => `${atMs} ${step}`).join(", "));
  return [`participant ${index + 1}`, ...lines, ...connections.map((line) => `  WebRTC: ${line}`)].join("\n");
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
    const played = await playCase(each);
    if (!played) continue;
    rows.push(played.row);
    const told = played.reports.map((_, index) => historyOf(played, index)).join("\n");
    if (values.verbose) process.stderr.write(`${told}\n`);
  }
  report(rows, cases);
}

/** Plays a case. Repeats it if a browser or a server does not start, which says nothing about the SDK. */
async function playCase(matrixCase: MatrixCase): Promise<Played | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await runCase(matrixCase, values.quick ? 1 : JOINS);
    } catch (error) {
      process.stderr.write(`${matrixCase.name}, attempt ${attempt}: ${String(error)}\n`);
    }
  }
  return undefined;
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
