/** `pnpm bench client [--json] [--quick]` */
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { atMost, boundLines } from "./result/bound.js";
import type { Traffic } from "./client/chromium.js";
import type { Reading } from "./client/page-report.js";
import { servePages } from "./client/page-server.js";
import { WatchedPage, type PageFigures } from "./client/watched-page.js";
import { LAB } from "./network/places.js";
import { printResult } from "./result/result.js";
import type { ChildArguments } from "./room/child-process.js";
import { rivalVersion, whyNoRivals } from "./room/rivals.js";
import { medianOf } from "./room/rows.js";
import { runServer } from "./room/server-process.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench client [--json] [--quick] [--entities N] [--rounds N] [--seconds N] [--profile DIR]

What a room costs a page: two Chromiums, one with our client and one with Colyseus', each in a room of its own where 100
entities move 20 times a second. Each page writes an input as often, and at each frame it reads nothing, every entity's newest
position, or, of ours, every position as it is shown. Both are measured in the same windows, in processor time of the
page's main thread and not in time of the wall. A page whose entities do not all move fails the run.

  --quick    one round of short windows, without the 15 s that engines take to compile
  --profile  writes a .cpuprofile of each page that reads the newest positions into that folder`;

interface ClientRow {
  readonly system: string;
  readonly reading: Reading;
  readonly entities: number;
  readonly scriptMsPerSecond: number;
  readonly scriptMsLeast: number;
  readonly scriptMsMost: number;
  /** Script time as a share of that of Colyseus' page, which reads as much. */
  readonly scriptRatioToColyseus?: number;
  readonly taskMsPerSecond: number;
  readonly processMsPerSecond: number;
  readonly statesPerSecond: number;
  readonly framesPerSecond: number;
  readonly packetsInPerSecond: number;
  readonly bytesInPerSecond: number;
  readonly packetsOutPerSecond: number;
  readonly bytesOutPerSecond: number;
  readonly rounds: number;
}

const COLUMNS = [
  "system",
  "reading",
  "entities",
  "scriptMsPerSecond",
  "scriptMsLeast",
  "scriptMsMost",
  "scriptRatioToColyseus",
  "taskMsPerSecond",
  "processMsPerSecond",
  "statesPerSecond",
  "framesPerSecond",
  "packetsInPerSecond",
  "bytesInPerSecond",
  "packetsOutPerSecond",
  "bytesOutPerSecond",
  "rounds",
];
const RIVAL = "colyseus-quantised";
const SYSTEMS: readonly { name: string; page: string; readings: readonly Reading[] }[] = [
  { name: "paceline", page: "paceline-page", readings: ["nothing", "newest", "shown"] },
  { name: RIVAL, page: "colyseus-page", readings: ["nothing", "newest"] },
];
const MAX_RATIO = 1.5;
const FIRST_PORT = 29_000;
const PORTS = 1000;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    profile: { type: "string" },
    entities: { type: "string", default: "100" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    help: { type: "boolean", default: false },
    child: { type: "string" },
  },
});

interface Measured {
  readonly name: string;
  readonly page: WatchedPage;
  readonly windows: Map<Reading, PageFigures[]>;
}

/**
 * Measures every page with every way of reading, round by round. Pages that read alike run at the same time.
 */
async function measureAll(all: readonly Measured[], rounds: number, seconds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const reading of ["nothing", "newest", "shown"] as const) {
      const readers = all.filter(({ windows }) => windows.has(reading));
      await Promise.all(
        readers.map(async ({ page, windows }) => {
          windows.get(reading)!.push(await page.measure(reading, seconds));
        }),
      );
    }
    console.error(`round ${round + 1} of ${rounds}, load ${loadavg()[0]!.toFixed(1)}`);
  }
}

function rowsOf(
  { name, windows }: Measured,
  traffic: Traffic,
  { entities, seconds }: { readonly entities: number; readonly seconds: number },
): ClientRow[] {
  return [...windows].map(([reading, all]) => {
    const median = (of: (figures: PageFigures) => number): number => medianOf(all.map(of));
    const scripts = all.map(({ scriptMs }) => scriptMs);
    return {
      system: name,
      reading,
      entities,
      scriptMsPerSecond: medianOf(scripts),
      scriptMsLeast: Math.min(...scripts),
      scriptMsMost: Math.max(...scripts),
      taskMsPerSecond: median(({ taskMs }) => taskMs),
      processMsPerSecond: median(({ processMs }) => processMs),
      statesPerSecond: median(({ states }) => states),
      framesPerSecond: median(({ frames }) => frames),
      packetsInPerSecond: traffic.packetsIn / seconds,
      bytesInPerSecond: traffic.bytesIn / seconds,
      packetsOutPerSecond: traffic.packetsOut / seconds,
      bytesOutPerSecond: traffic.bytesOut / seconds,
      rounds: all.length,
    };
  });
}

function withRatios(rows: readonly ClientRow[]): ClientRow[] {
  return rows.map((row) => {
    const reading = row.reading === "shown" ? "newest" : row.reading;
    const rival = rows.find((each) => each.system === RIVAL && each.reading === reading)!;
    return { ...row, scriptRatioToColyseus: row.scriptMsPerSecond / rival.scriptMsPerSecond };
  });
}

async function writeProfiles(folder: string, all: readonly Measured[], seconds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, page } of all) {
    await page.browser.evaluate(`watch.read("newest")`);
    const profile = await page.browser.profile(() => pause(seconds * 1000));
    writeFileSync(path.join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
  }
}

async function run(executable: string): Promise<void> {
  const entities = Number(values.entities);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  const seconds = Number(values.seconds ?? (values.quick ? 2 : 4));
  const { url, server } = await servePages(path.join(LAB, "dist/client"));
  const firstPort = FIRST_PORT + Math.floor(Math.random() * PORTS);
  const all: Measured[] = [];
  try {
    for (const [index, { name, page, readings }] of SYSTEMS.entries()) {
      const pageUrl = `${url}/${page}`;
      const opened = await WatchedPage.open({
        system: name,
        pageUrl,
        port: firstPort + index,
        entities,
        executable,
      });
      all.push({ name, page: opened, windows: new Map(readings.map((reading) => [reading, []])) });
    }
    for (const { page } of all) await page.browser.evaluate(`watch.read("newest")`);
    await pause(values.quick ? 1000 : 15_000);
    await measureAll(all, rounds, seconds);
    const traffic = await Promise.all(
      all.map(({ page }) => page.browser.traffic(() => pause(seconds * 1000))),
    );
    if (values.profile !== undefined) await writeProfiles(values.profile, all, seconds);
    const rows = withRatios(
      all.flatMap((each, index) => rowsOf(each, traffic[index]!, { entities, seconds })),
    );
    const bounds = rows
      .filter(({ system, reading }) => system !== RIVAL && reading !== "shown")
      .map(({ reading, scriptRatioToColyseus }) =>
        atMost(`script time in Chromium, reading ${reading}, of Colyseus'`, scriptRatioToColyseus, MAX_RATIO),
      );
    const printed = rows.map((row) => ({ ...row }));
    process.stdout.write(`${table(printed, COLUMNS)}\n\n${boundLines(bounds)}\n`);
    printResult("client", {
      rows,
      bounds,
      isComplete: rows.every((row) => row.rounds === rounds),
      isQuick: values.quick,
      asJson: values.json,
      versions: { "@colyseus/sdk": rivalVersion("@colyseus/sdk") },
    });
  } finally {
    for (const { page } of all) await page.close();
    server.close();
  }
}

async function begin(): Promise<void> {
  if (values.child !== undefined) return runServer(JSON.parse(values.child) as ChildArguments);
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const obstacle = whyNoRivals();
  if (obstacle !== undefined) throw new Error(obstacle);
  const executable = process.env["PACELINE_CHROMIUM"] ?? "";
  if (executable !== "") return run(executable);
  console.error(
    "pnpm bench client needs Chromium, which is not installed; on Debian or Ubuntu: sudo apt-get install chromium",
  );
  process.exitCode = 1;
}

await begin();
