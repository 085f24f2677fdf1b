/**
 * What a player downloads: the client, minified and compressed, and what is only fetched when WebRTC is used.
 * `--json` adds one JSON object as the last line. Measures `dist`, so build first.
 */
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, version as esbuildVersion } from "esbuild";
import { ROOT } from "./pnpm.mjs";

/** Of the client without WebRTC, msgpackr included. */
const BUDGET_BYTES = 25_000;
const MAIN = "@paceline/client without WebRTC";
const LAZY = "WebRTC, fetched on first use";

/**
 * @typedef {import("esbuild").Metafile["outputs"]} Outputs
 * @typedef {{ entry: string, gzipBytes: number, minifiedBytes: number }} Row
 */

/** @param {Outputs} outputs @param {string} first @returns {Set<string>} the chunks that load before any code runs */
function staticGraph(outputs, first) {
  const reached = new Set([first]);
  for (const name of reached) {
    for (const found of outputs[name]?.imports ?? []) {
      if (found.kind === "import-statement" && !found.external) reached.add(found.path);
    }
  }
  return reached;
}

/** @param {string} entry @param {Iterable<Uint8Array>} files @returns {Row} */
function measure(entry, files) {
  const row = { entry, gzipBytes: 0, minifiedBytes: 0 };
  for (const contents of files) {
    row.minifiedBytes += contents.byteLength;
    row.gzipBytes += gzipSync(contents, { level: 9 }).byteLength;
  }
  return row;
}

/** @returns {Promise<{ rows: Row[], faults: string[] }>} */
export async function clientSizes() {
  const entryPoint = path.join(ROOT, "packages/client/dist/index.js");
  const result = await build({
    entryPoints: [entryPoint],
    absWorkingDir: ROOT,
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outdir: "size",
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const { outputs } = result.metafile;
  const main = staticGraph(outputs, Object.keys(outputs).find((name) => outputs[name]?.entryPoint) ?? "");
  /** @param {(name: string) => boolean} isWanted */
  const contents = (isWanted) =>
    result.outputFiles
      .filter((file) => isWanted(path.relative(ROOT, file.path).split(path.sep).join("/")))
      .map((file) => file.contents);
  /** @param {boolean} inMain */
  const hasSimplePeer = (inMain) =>
    Object.keys(outputs).some(
      (name) =>
        main.has(name) === inMain &&
        Object.keys(outputs[name]?.inputs ?? {}).some((input) => input.includes("/simple-peer/")),
    );
  const rows = [
    measure(
      MAIN,
      contents((name) => main.has(name)),
    ),
    measure(
      LAZY,
      contents((name) => !main.has(name)),
    ),
  ];
  return { rows, faults: faultsOf(rows, hasSimplePeer(true), hasSimplePeer(false)) };
}

/** @param {Row[]} rows @param {boolean} inMain @param {boolean} inLazy @returns {string[]} */
function faultsOf(rows, inMain, inLazy) {
  const faults = [];
  const gzipBytes = rows[0]?.gzipBytes ?? 0;
  if (gzipBytes > BUDGET_BYTES) {
    faults.push(`${MAIN} is ${gzipBytes} bytes gzip, over its budget of ${BUDGET_BYTES}`);
  }
  if (inMain) faults.push("simple-peer is in what every game downloads; import it dynamically");
  if (!inLazy) faults.push("simple-peer is in no chunk at all");
  return faults;
}

/** @param {Row[]} rows */
function report(rows) {
  const width = Math.max(...rows.map((row) => row.entry.length));
  console.log(`${"entry".padEnd(width)}  gzip bytes  minified bytes`);
  for (const row of rows) {
    const numbers = `${String(row.gzipBytes).padStart(10)}  ${String(row.minifiedBytes).padStart(14)}`;
    console.log(`${row.entry.padEnd(width)}  ${numbers}`);
  }
  console.log(`Budget of "${MAIN}": ${BUDGET_BYTES} bytes gzip.`);
}

const { rows, faults } = await clientSizes();
report(rows);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
if (process.argv.includes("--json")) {
  const manifest = JSON.parse(readFileSync(path.join(ROOT, "packages/client/package.json"), "utf8"));
  const record = {
    name: "size",
    date: new Date().toISOString(),
    node: process.version,
    versions: { "@paceline/client": manifest.version, esbuild: esbuildVersion },
    machine: { cores: os.cpus().length, load: os.loadavg()[0] },
    rows,
  };
  console.log(JSON.stringify(record));
}
