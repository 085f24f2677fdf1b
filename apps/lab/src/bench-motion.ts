import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { ALL_CARS, boundsOf } from "./motion/bounds.js";
import { generatedTraces } from "./motion/generated-trace.js";
import { measure, type Cell, type MotionRow } from "./motion/measure.js";
import { linkKinds, networks } from "./motion/networks.js";
import { plotSvg, type PlotCurve } from "./motion/plot.js";
import { recordedTraces } from "./motion/recorded-traces.js";
import { boundLines, tables } from "./motion/report.js";
import { samplingCost } from "./motion/sampling-cost.js";
import { presentSeconds, sampled, shortened, type Trace } from "./motion/trace.js";
import { traceDirectory } from "./trace-directory.js";
import { curves, mainSystems, variants } from "./motion/systems/all.js";

const USAGE = `pnpm bench motion [--data DIR] [--json] [--quick] [--plot FILE]

  --data DIR       recorded traces; without it those of PACELINE_DATA or ../shared/data, or else generated ones
  --quick          a twelfth of each trace
  --plot FILE      where the SVG goes; artefacts/motion.svg unless given`;

/** A quick run plays this share of each trace, in tracks long enough to measure jitter. */
const QUICK_SHARE = 1 / 12;
const QUICK_TRACK_SECONDS = 120;
/** Seconds of each walkers' trace that every run plays. */
const WALKER_SECONDS = 300;
const GENERATED_SECONDS = 120;
/** Seconds of each trace of cars that the curves and variants play. */
const CURVE_SECONDS = 120;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    plot: { type: "string", default: "artefacts/motion.svg" },
    help: { type: "boolean", default: false },
  },
});

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function tracesToPlay(): Trace[] {
  const directory = traceDirectory(values.data);
  const all = directory === undefined ? generatedTraces(GENERATED_SECONDS) : recordedTraces(directory);
  if (values.quick) return sampled(all, QUICK_SHARE, QUICK_TRACK_SECONDS);
  return all.map((trace) => (trace.kind === "walkers" ? shortened(trace, WALKER_SECONDS) : trace));
}

/** Returns each trace alone, and all cars together, to which the bounds apply. */
function sets(traces: readonly Trace[]): { name: string; traces: readonly Trace[] }[] {
  const cars = traces.filter(({ kind }) => kind === "cars");
  return [...traces.map((trace) => ({ name: trace.id, traces: [trace] })), { name: ALL_CARS, traces: cars }];
}

/**
 * Measures all systems on all networks for all cars together, and each trace on the network that the bounds
 * use.
 */
function mainRows(traces: readonly Trace[]): MotionRow[] {
  const rows: MotionRow[] = [];
  for (const { name, traces: played } of sets(traces)) {
    for (const cell of cells().filter(({ network }) => name === ALL_CARS || network.name === "50-5-1")) {
      const systems = mainSystems().filter(({ links }) => links.includes(cell.link));
      progress(`${name}, ${cell.network.name}, ${cell.link}`);
      for (const system of systems) rows.push(measure(name, played, system, cell));
    }
  }
  return rows;
}

function cells(): Cell[] {
  return networks.flatMap((network) => linkKinds.map((link) => ({ network, link })));
}

function busyCell(): Cell {
  return { network: networks.find(({ name }) => name === "50-5-1")!, link: "unreliable" };
}

function plotted(cars: readonly Trace[]): { rows: MotionRow[]; curves: PlotCurve[] } {
  const rows: MotionRow[] = [];
  const drawn = curves().map(({ system, link, points }): PlotCurve => {
    progress(`curve of ${system}`);
    const ofCurve = points.map((point) => measure("curve", cars, point, { ...busyCell(), link }));
    rows.push(...ofCurve);
    return { name: system, points: ofCurve };
  });
  return { rows, curves: drawn };
}

function run(): void {
  const traces = tracesToPlay();
  progress(traces.map((trace) => `${trace.id} ${Math.round(seconds(trace))} s`).join(", "));
  const rows = mainRows(traces);
  const cars = traces.filter(({ kind }) => kind === "cars").map((trace) => shortened(trace, CURVE_SECONDS));
  progress("variants");
  rows.push(...variants().map((system) => measure("variants", cars, system, busyCell())));
  const plot = plotted(cars);
  rows.push(...plot.rows);
  const isRecorded = traces.every((trace) => trace.isRecorded);
  const bounds = isRecorded ? boundsOf(rows) : [];
  const cost = samplingCost(() => performance.now());
  mkdirSync(path.dirname(values.plot), { recursive: true });
  writeFileSync(values.plot, plotSvg("Cars at 50 ± 5 ms, 1 % loss", plot.curves));
  const machine = { cores: os.cpus().length, load: os.loadavg()[0] };
  process.stdout.write(`${tables(rows)}\n`);
  process.stdout.write(`${boundLines(bounds)}\n`);
  process.stdout.write(
    `1,000 entities sampled in ${cost.sampleMsPer1000.toFixed(3)} ms, ${cost.ratioToCopy.toFixed(1)} x copying their rows\n`,
  );
  process.stdout.write(`plot: ${values.plot}\n${NOTES}\n`);
  if (values.json) {
    const versions = { "@paceline/netcode": "0.1.0" };
    const head = { name: "motion", date: new Date().toISOString(), node: process.version, versions, machine };
    const body = { ...head, ...(values.quick && { quick: true }), cost, bounds, rows };
    process.stdout.write(`${JSON.stringify(body)}\n`);
  }
  process.exitCode = bounds.every(({ holds }) => holds) && rows.every(isMeasured) ? 0 : 1;
}

const NOTES = `Bytes: IP datagrams with one message each. Unreliable: data channel over DTLS 1.3, 78 bytes and padding to four;
ordered: WebSocket over TLS 1.3 and TCP with time stamps, 80 bytes. Packets that only acknowledge and clock pings, which
all systems share, are not counted. Payloads: Paceline's are its codec's, with all heads; as in a room of two, where
differences are from what is acknowledged. The others' are 18 bytes of int16 and a
time stamp. Error: what is shown against where the entity truly is at that same moment.`;

function isMeasured(row: MotionRow): boolean {
  return Object.values(row).every((value) => typeof value === "string" || Number.isFinite(value));
}

function seconds(trace: Trace): number {
  return trace.tracks.reduce((sum, track) => sum + presentSeconds(track), 0);
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else run();
