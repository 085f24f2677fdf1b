/** `pnpm lab milmo [--json] [--quick]` */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { MESSAGES_PER_SECOND, MESSAGE_BYTES, modelBytesPerSecond } from "./milmo/milmo-model.js";
import { playIsland, type IslandFigures } from "./milmo/paceline-island.js";
import { PAPER_TOTAL_10_USERS, PAPER_USERS, paperRows, type PaperRow } from "./milmo/paper.js";
import { monthlyTb, quadraticFit, type Quadratic } from "./milmo/quadratic-fit.js";
import { HEADER_BYTES } from "./milmo/tcp-down.js";
import { LAB } from "./network/places.js";
import { atMost, boundLines, type Bound } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm lab milmo [--json] [--quick]

Hypothesis: the traffic of positions grows with the square of the users, and only interest changes that.
Method: the thesis on MilMo let test clients walk over an island and fitted the server's outgoing traffic to a + b x + c x²
(its Table 10). Here its eight combinations of smaller messages (MO), standing still (SS) and partitions (PT) send over a model of
its TCP under virtual time, and beside them a whole room of Paceline does: dead reckoning, an aura with two rings, and bundles. The
reference runs once more over real sockets, in a network namespace of its own: on a loopback device acknowledgements come at
once, so Nagle's algorithm holds nothing back, and each message takes a segment of its own.
Compared: the coefficients with the paper's, in kB (1024 bytes) a second; a month of ten islands with 100 users, TB; and for
Paceline how far positions in the area of interest are from the truth.

  --quick  three sizes, and short runs: the coefficients are rough, and nothing has a limit`;

const USERS = [10, 20, 30, 40, 70, 100, 150];
const QUICK_USERS = [10, 20, 40];
const SECONDS = { model: 120, paceline: 60, wire: 20 };
const QUICK_SECONDS = { model: 30, paceline: 10, wire: 4 };
const WIRE_USERS = PAPER_USERS[0];
/** Largest share of the reference's quadratic coefficient. The paper's best is 1 / 23.5. */
const MAX_QUADRATIC_SHARE = 1 / 50;
const MAX_ERROR_M = 0.5;
const MAX_WIRE_DIFFERENCE = 0.25;
const ISLANDS = 10;
const ISLAND_USERS = 100;
const PACELINE = "Paceline";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

type Row = Record<string, string | number>;

/** Returns the rows of a combination, one for each number of users, each with the coefficients of all. */
function rowsOf(
  combination: string,
  measured: ReadonlyMap<number, number>,
  paperFit?: Quadratic,
): { readonly rows: Row[]; readonly fit: Quadratic } {
  const fit = quadraticFit(Array.from(measured, ([users, bytes]) => [users, bytes / 1024]));
  const rows = Array.from(measured, ([users, bytesPerSecond]): Row => {
    return {
      ...{ combination, users, bytesPerSecond, quadratic: fit[2], linear: fit[1], constant: fit[0] },
      ...(paperFit && { paperQuadratic: paperFit[2], paperLinear: paperFit[1], paperConstant: paperFit[0] }),
    };
  });
  return { rows, fit };
}

/** Returns the line of a combination in the table of coefficients. */
function coefficientsOf(combination: string, fit: Quadratic, reference: Quadratic, paper?: PaperRow): Row {
  return {
    combination,
    quadratic: fit[2],
    linear: fit[1],
    ...(paper && { paperQuadratic: paper.fit[2], paperLinear: paper.fit[1] }),
    timesLess: reference[2] / fit[2],
    ...(paper && { paperTimesLess: paperRows[0]!.fit[2] / paper.fit[2] }),
    tbAMonth: monthlyTb(fit, ISLAND_USERS, ISLANDS),
    ...(paper && { paperTbAMonth: monthlyTb(paper.fit, ISLAND_USERS, ISLANDS) }),
  };
}

/** Returns what the reference carries over real sockets, kB/s in both directions; undefined where no namespace can be made. */
function wireKb(seconds: number): number | undefined {
  const file = path.join(LAB, "dist/milmo/wire-process.js");
  const command = `ip link set lo up && exec "${process.execPath}" "${file}" ${WIRE_USERS} ${seconds}`;
  const { status, stdout, stderr } = spawnSync("unshare", ["-rn", "sh", "-c", command], { encoding: "utf8" });
  if (status === 0) return Number(stdout) / 1024;
  console.error(`the reference could not run over real sockets: ${stderr}`);
  return undefined;
}

async function run(): Promise<void> {
  const users = values.quick ? QUICK_USERS : USERS;
  const seconds = values.quick ? QUICK_SECONDS : SECONDS;
  const rows: Row[] = [];
  const lines: Row[] = [];
  let reference: Quadratic | undefined;
  for (const paper of paperRows) {
    console.error(`${paper.name} ...`);
    const measured = new Map(users.map((each) => [each, modelBytesPerSecond(paper, each, seconds.model)]));
    const { rows: own, fit } = rowsOf(paper.name, measured, paper.fit);
    reference ??= fit;
    rows.push(...own);
    lines.push(coefficientsOf(paper.name, fit, reference, paper));
  }
  const islands = new Map<number, IslandFigures>();
  for (const each of users) {
    console.error(`${PACELINE}, ${each} users ...`);
    islands.set(each, await playIsland(each, seconds.paceline));
  }
  const { rows: own, fit } = rowsOf(
    PACELINE,
    new Map(Array.from(islands, ([each, { bytesPerSecond }]) => [each, bytesPerSecond])),
  );
  for (const row of own) {
    const { errorP99M, errorMaxM, missingShare } = islands.get(row["users"] as number)!;
    rows.push({ ...row, errorP99M, errorMaxM, missingShare });
  }
  lines.push(coefficientsOf(PACELINE, fit, reference!));
  console.error("the reference over real sockets ...");
  const wire = wireKb(seconds.wire);
  if (wire !== undefined)
    rows.push({
      ...{ combination: "reference over sockets, both directions", users: WIRE_USERS },
      ...{ bytesPerSecond: wire * 1024, paperBytesPerSecond: PAPER_TOTAL_10_USERS * 1024 },
    });
  const bounds = values.quick ? [] : boundsOf(fit[2] / reference![2], [...islands.values()], wire);
  process.stdout.write(`${table(lines, Object.keys(lines[0]!))}\n\n`);
  process.stdout.write(`${table(rows, KEYS)}\n\n${boundLines(bounds)}\n`);
  printResult("milmo", {
    ...{ rows, bounds, isComplete: wire !== undefined, isQuick: values.quick, asJson: values.json },
  });
}

const KEYS = ["combination", "users", "bytesPerSecond", "paperBytesPerSecond", "errorP99M", "errorMaxM"];

function boundsOf(share: number, islands: readonly IslandFigures[], wire: number | undefined): Bound[] {
  const worst = (of: (figures: IslandFigures) => number): number => Math.max(...islands.map(of));
  // Each of x users sends to the server, which sends to x - 1: a segment for each message.
  const segmentsKb = (WIRE_USERS ** 2 * MESSAGES_PER_SECOND * (MESSAGE_BYTES + HEADER_BYTES)) / 1024;
  const difference = wire === undefined ? undefined : Math.abs(wire / segmentsKb - 1);
  return [
    atMost("Paceline's quadratic coefficient, share of the reference's", share, MAX_QUADRATIC_SHARE),
    atMost(
      "99 % of the positions in the area of interest, m from the truth",
      worst(({ errorP99M }) => errorP99M),
      MAX_ERROR_M,
    ),
    atMost(
      "share of the walkers in the area that are not shown",
      worst(({ missingShare }) => missingShare),
      0.001,
    ),
    atMost(
      "the reference over real sockets beside a segment for each message, share",
      difference,
      MAX_WIRE_DIFFERENCE,
    ),
  ];
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
