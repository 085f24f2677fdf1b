/** `pnpm bench first-state [--before REF] [--json] [--quick]` */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { firstStateOf, type Page } from "./first-state/load.js";
import { openColyseus, openPaceline } from "./first-state/game-servers.js";
import { PageFront } from "./first-state/page-front.js";
import { ShapedLine } from "./first-state/shaped-line.js";
import { interleaved } from "./interleaved.js";
import { LAB } from "./network/places.js";
import { atMost, boundLines } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";
import { medianOf } from "./room/rows.js";

const USAGE = `pnpm bench first-state [--before REF] [--json] [--quick]

How long a player waits for the first state of another's car: README's game of this version and of an earlier one, and the
smallest page with a room of @colyseus/sdk, each built by Vite and loaded by a new Chromium over 1.6 Mbit/s and 50 ms, round
by round. A load without a first state within 30 s is counted, and the run fails.

  --before  commit of the earlier version, which is built once in artefacts/versions
  --quick   two loads of each page instead of nine`;

const LINE = { bytesPerSecond: 200_000, rttMs: 50 };
const LOADS = 9;
const MAX_RATIO_TO_BEFORE = 0.7;
const MAX_RATIO_TO_COLYSEUS = 1.1;
const [SYSTEM, BEFORE, RIVAL] = ["paceline", "paceline-before", "colyseus"];
const COLUMNS = [
  "system",
  "version",
  "firstStateMs",
  "firstStateMsLeast",
  "firstStateMsMost",
  "scriptBytes",
  "ratioToBefore",
  "ratioToColyseus",
  "loads",
  "loadsWithoutState",
];

/** What `tools/first-state-pages.mjs` has built. */
interface BuiltPage {
  readonly system: string;
  readonly version: string;
  readonly folder: string;
  /** Folder of the version's packages; undefined for the rival. */
  readonly packages?: string;
}

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Served {
  readonly page: Page;
  close(): Promise<void>;
}

async function serve({ system, folder, packages }: BuiltPage): Promise<Served> {
  const game = packages === undefined ? await openColyseus() : await openPaceline(packages);
  const front = await PageFront.open(folder, game.port);
  const line = await ShapedLine.open(front.port, LINE);
  return {
    page: { system, url: `http://127.0.0.1:${line.port}/`, front },
    async close() {
      line.close();
      front.close();
      await game.stop();
    },
  };
}

async function run(executable: string): Promise<void> {
  const built = JSON.parse(
    readFileSync(path.join(LAB, "dist/first-state/pages.json"), "utf8"),
  ) as BuiltPage[];
  const loads = values.quick ? 2 : LOADS;
  const served: Served[] = [];
  try {
    for (const page of built) served.push(await serve(page));
    const runs = await interleaved({
      turns: served.map(({ page }) => page),
      rounds: loads,
      keyOf: ({ system }) => system,
      run: (page) => firstStateOf(page, executable),
      inWords: (_, { firstStateMs, scriptBytes }) =>
        `${firstStateMs.toFixed(0)} ms, ${scriptBytes} bytes of scripts, load ${loadavg()[0]!.toFixed(1)}`,
    });
    const timesOf = (system: string) => (runs.get(system) ?? []).map(({ firstStateMs }) => firstStateMs);
    const ratioTo = (system: string): number | undefined => {
      const [own, other] = [timesOf(SYSTEM), timesOf(system)];
      return own.length > 0 && other.length > 0 ? medianOf(own) / medianOf(other) : undefined;
    };
    const [toBefore, toColyseus] = [ratioTo(BEFORE), ratioTo(RIVAL)];
    const rows = built.map(({ system, version }) => {
      const times = timesOf(system);
      return {
        system,
        version: system === RIVAL ? rivalVersion("@colyseus/sdk") : version,
        ...(times.length > 0 && {
          firstStateMs: medianOf(times),
          firstStateMsLeast: Math.min(...times),
          firstStateMsMost: Math.max(...times),
          scriptBytes: medianOf(runs.get(system)!.map(({ scriptBytes }) => scriptBytes)),
        }),
        ...(system === SYSTEM && toBefore !== undefined && { ratioToBefore: toBefore }),
        ...(system === SYSTEM && toColyseus !== undefined && { ratioToColyseus: toColyseus }),
        loads,
        loadsWithoutState: loads - times.length,
      };
    });
    const bounds = [
      atMost("first state, of the version before", toBefore, MAX_RATIO_TO_BEFORE),
      atMost("first state, of Colyseus'", toColyseus, MAX_RATIO_TO_COLYSEUS),
    ];
    process.stdout.write(`${table(rows, COLUMNS)}\n\n${boundLines(bounds)}\n`);
    printResult("first-state", {
      rows,
      bounds,
      isComplete: rows.every(({ loadsWithoutState }) => loadsWithoutState === 0),
      isQuick: values.quick,
      asJson: values.json,
      versions: { "@colyseus/sdk": rivalVersion("@colyseus/sdk") },
    });
  } finally {
    for (const each of served) await each.close();
  }
}

const executable = process.env["PACELINE_CHROMIUM"];
const missing = executable ? whyNoRivals() : "Chromium is not installed";
if (values.help) console.log(USAGE);
else if (missing !== undefined || !executable) {
  console.error(missing);
  process.exitCode = 1;
} else {
  await run(executable);
  // Colyseus keeps timers that never end.
  process.exit();
}
