/**
 * Measures a player's download from `dist`, minified and compressed, so build first. Rows: the entry that
 * every page loads at
 * its start, the code of rooms, which loads while the game gets ready to join, and code that loads on demand.
 * `--json` adds one
 * JSON object as the last line, `--modules` a table of a WebSocket player's modules.
 */
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, version as esbuildVersion } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const ENTRY = "entry: what a page loads before the game starts";
const ROOM = "rooms: fetched from the first Client on";
const PLAYER = "a WebSocket player, room without authority: both";
const ERRORS = "import { NetError } alone";
const PANEL = "panel with plots and simulator, fetched by who opens it";
const SUM = "all of it";
/** Goals and budgets. Lower a budget when the client has become smaller. */
const LIMITS = new Map([
  [ENTRY, { goalBytes: 28_000, budgetBytes: 20_400 }],
  [ERRORS, { goalBytes: 3000, budgetBytes: 1500 }],
  [PANEL, { goalBytes: 14_000, budgetBytes: 14_000 }],
  [PLAYER, { goalBytes: 48_000, budgetBytes: 106_500 }],
]);

const ROOM_MARK = "/client/dist/api/room.js";
/** Chunks that load on demand. A mark is a module that only this chunk contains. */
const LATER = [
  {
    entry: "rooms with an authority, fetched on join",
    mark: "/client/dist/modes/authoritative/authoritative-mode.js",
  },
  { entry: "words of the decision tree, fetched to explain", mark: "/transport/dist/profiles/tree-words.js" },
  { entry: "words of a running room, fetched to explain", mark: "/client/dist/report/explanation.js" },
  { entry: PANEL, mark: "/client/dist/panel/panel.js" },
  { entry: "panel: what is sent, fetched when it is unfolded", mark: "/client/dist/panel/content-view.js" },
  { entry: "nearest server, measured on demand", mark: "/client/dist/connection/nearest.js" },
  { entry: "queue, fetched by who waits", mark: "/client/dist/api/queueing.js" },
  { entry: "simulator, fetched to pretend", mark: "/transport/dist/simulated/simulated-line.js" },
  { entry: "interpolation, fetched on first use", mark: "/netcode/dist/interpolation/delayed-body.js" },
  {
    entry: "columns of other builds, fetched when two meet",
    mark: "/protocol/dist/state/plan/stream-columns.js",
  },
  { entry: "WebRTC, fetched on first use", mark: "/simple-peer/" },
];
/** Parts that a game needs only in a room. */
const NOT_IN_ENTRY = ["/msgpackr/", "/transport/dist/session/", "/protocol/dist/state/codec/"];
/** Parts that no game needs to download. */
const NEVER = ["/protocol/dist/errors/error-codes.js"];

/**
 * @typedef {import("esbuild").Metafile["outputs"]} Outputs
 * @typedef {import("esbuild").Metafile["inputs"]} Inputs
 * @typedef {{ entry: string, gzipBytes: number, minifiedBytes: number }} Row
 * @typedef {{ chunk: string, module: string, minifiedBytes: number, gzipBytes: number, importers: string[] }} Module
 */

/** @param {Outputs} outputs @param {string} first @returns {Set<string>} the chunk and those that load with it */
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

/**
 * @param {Outputs} outputs @param {string} mark @returns {(chunk: string) => boolean} whether a chunk has
 * code of the module
 */
function holds(outputs, mark) {
  return (chunk) =>
    Object.entries(outputs[chunk]?.inputs ?? {}).some(
      ([input, { bytesInOutput }]) => bytesInOutput > 0 && `/${input}`.includes(mark),
    );
}

const OPTIONS = /** @type {const} */ ({
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

/** @param {import("esbuild").BuildOptions} source */
async function bundle(source) {
  const result = await build({ ...source, ...OPTIONS });
  const { outputs } = result.metafile;
  const contents = new Map(
    result.outputFiles.map((file) => [
      path.relative(ROOT, file.path).split(path.sep).join("/"),
      file.contents,
    ]),
  );
  return { inputs: result.metafile.inputs, outputs, contents };
}

/** Measures a game's module that only tells errors apart. */
async function errorsRow() {
  const contents = 'export { NetError } from "./packages/client/dist/index.js";';
  const built = await bundle({ stdin: { contents, resolveDir: ROOT, sourcefile: "errors.js" } });
  const first = Object.keys(built.outputs).find((name) => built.outputs[name]?.entryPoint === "errors.js");
  const chunks = [...staticGraph(built.outputs, first ?? "")];
  return measure(
    ERRORS,
    chunks.flatMap((name) => built.contents.get(name) ?? []),
  );
}

/** @param {Row[]} rows */
function overBudget(rows) {
  return rows.flatMap(({ entry, gzipBytes }) => {
    const { budgetBytes = Number.POSITIVE_INFINITY } = LIMITS.get(entry) ?? {};
    if (gzipBytes <= budgetBytes) return [];
    return [`"${entry}": ${gzipBytes} bytes gzip, over its budget of ${budgetBytes}`];
  });
}

/**
 * Returns the modules of some chunks, largest first. A module's compressed bytes are its share of its
 * chunk's.
 * @param {Awaited<ReturnType<typeof bundle>>} built @param {Iterable<string>} chunks @returns {Module[]}
 */
function modulesOf({ inputs, outputs, contents }, chunks) {
  const short = /** @param {string} file */ (file) =>
    file.replace(/^.*(packages|node_modules)\/|dist\//g, "");
  const importersOf = /** @param {string} module */ (module) =>
    Object.entries(inputs).flatMap(([file, { imports }]) =>
      imports.some((found) => found.path === module) ? [short(file)] : [],
    );
  const modules = [...chunks].flatMap((chunk) => {
    const code = contents.get(chunk) ?? new Uint8Array();
    const ratio = gzipSync(code, { level: 9 }).byteLength / code.byteLength;
    return Object.entries(outputs[chunk]?.inputs ?? {}).map(([module, { bytesInOutput }]) => ({
      chunk: path.basename(chunk),
      module: short(module),
      minifiedBytes: bytesInOutput,
      gzipBytes: Math.round(bytesInOutput * ratio),
      importers: importersOf(module),
    }));
  });
  return modules
    .filter(({ minifiedBytes }) => minifiedBytes > 0)
    .sort((one, other) => other.gzipBytes - one.gzipBytes);
}

/** @returns {Promise<{ rows: Row[], modules: Module[], faults: string[] }>} */
export async function clientSizes() {
  const built = await bundle({
    entryPoints: ["index.js", "panel/index.js"].map((entry) =>
      path.join(ROOT, "packages/client/dist", entry),
    ),
  });
  const { outputs, contents } = built;
  /** @param {string} entry @param {Iterable<string>} chunks */
  const row = (entry, chunks) =>
    measure(
      entry,
      [...chunks].flatMap((name) => contents.get(name) ?? []),
    );

  const names = Object.keys(outputs);
  const isMain = /** @param {string} name */ (name) =>
    outputs[name]?.entryPoint === "packages/client/dist/index.js";
  const main = staticGraph(outputs, names.find(isMain) ?? "");
  const faults = [];
  /** @param {string} mark @param {ReadonlySet<string>} known the chunks that are there already */
  const fetchedBy = (mark, known) => {
    const first = names.find(holds(outputs, mark));
    const chunks =
      first === undefined ? [] : [...staticGraph(outputs, first)].filter((name) => !known.has(name));
    if (chunks.length === 0) faults.push(`"${mark}" is ${first ? "in what is there before" : "nowhere"}`);
    return chunks;
  };
  const room = fetchedBy(ROOM_MARK, main);
  const player = new Set([...main, ...room]);
  const rows = [row(ENTRY, main), await errorsRow(), row(ROOM, room), row(PLAYER, player)];
  for (const mark of NOT_IN_ENTRY) {
    if ([...main].some(holds(outputs, mark))) faults.push(`"${mark}" is in the entry`);
    if (!names.some(holds(outputs, mark))) faults.push(`"${mark}" is nowhere`);
  }
  const known = new Set(player);
  for (const { entry, mark } of LATER) {
    const chunks = fetchedBy(mark, player);
    for (const name of chunks) known.add(name);
    rows.push(row(entry, chunks));
  }
  // A module that only re-exports others has no code.
  const hasCode = /** @param {string} name */ (name) => holds(outputs, "")(name);
  for (const name of names.filter((chunk) => !known.has(chunk) && hasCode(chunk))) {
    faults.push(`${name} is a chunk that this tool does not know: give it a row`);
  }
  for (const mark of NEVER) {
    if (names.some(holds(outputs, mark))) faults.push(`"${mark}" is in the client`);
    if (!existsSync(path.join(ROOT, "packages", mark))) faults.push(`"${mark}" is nowhere`);
  }
  rows.push(row(SUM, known));
  faults.push(...overBudget(rows));
  return { rows, modules: modulesOf(built, player), faults };
}

/** @param {Row[]} rows */
function report(rows) {
  const width = Math.max(...rows.map((row) => row.entry.length));
  console.log(`${"entry".padEnd(width)}  gzip bytes  minified bytes`);
  for (const row of rows) {
    const numbers = `${String(row.gzipBytes).padStart(10)}  ${String(row.minifiedBytes).padStart(14)}`;
    console.log(`${row.entry.padEnd(width)}  ${numbers}`);
  }
  for (const { entry, gzipBytes } of rows) {
    const limits = LIMITS.get(entry);
    if (!limits) continue;
    const reached = gzipBytes <= limits.goalBytes ? "reached" : "not reached";
    console.log(`"${entry}": budget ${limits.budgetBytes} bytes gzip; goal ${limits.goalBytes}, ${reached}.`);
  }
}

const { rows, modules, faults } = await clientSizes();
if (process.argv.includes("--modules")) {
  console.log("gzip  minified  chunk  module < importers");
  for (const { chunk, module, minifiedBytes, gzipBytes, importers } of modules)
    console.log(gzipBytes, minifiedBytes, chunk, module, "<", importers.join(" "));
}
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
